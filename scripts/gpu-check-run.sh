#!/bin/sh
# Packed as run.sh by gpu-check.sh: checks and measures the CUDA executor on this machine's device.
#
#   run.sh [RESULTS_DIRECTORY [STAGE...]]
#
# Stages, in this order unless named: report, steps, tests, products, kernels, load, torch, sanitizer. Each has a
# limit of its own and leaves its table as it goes; all together end in time (below), and what has no time left
# does not run and is "not measured". The last thing made is goals.csv: every goal met, not met or not measured,
# from the tables that are there, also those of earlier calls with the same directory.
#
#   HEADWAY_CHECK_SECONDS    time for all of it; 570
#   HEADWAY_CUDA_LIBRARY     another driver library than libcuda.so.1
#   HEADWAY_CUBLASLT         this cuBLASLt; otherwise PyTorch's, or the newest that is found and loads
#   HEADWAY_PYTHON           another Python with PyTorch than python3
#   HEADWAY_JAVA             another java than the packed one
#   HEADWAY_BENCH_TINY       true: the smallest shapes, for a dry run
#   HEADWAY_CHECK_ROOT       where cuBLASLt is looked for, /
#   OUT                      a directory that gets goals.csv, log.txt, load.tar.gz, and all else as results.tar.gz
#
# Ends with 1 if there is no device, or a test failed, or was skipped without a reason, or a stage broke; with 2, before
# anything runs, if an argument or a variable is wrong. HEADWAY_CHECK_ARGUMENTS=only ends there.
set -u
wrong() {
  echo "gpu-check: $*" >&2
  exit 2
}
here=$(cd "$(dirname "$0")" && pwd -P)
results=${1:-${TMPDIR:-/tmp}/headway-gpu-check-results}
[ $# -eq 0 ] || shift
known="report steps tests products kernels load torch sanitizer"
stages=${*:-$known}
for stage in $stages; do
  case " $known " in
    *" $stage "*) ;;
    *) wrong "a stage is one of $known: stage=$stage" ;;
  esac
done
begin=$(date +%s)
seconds=${HEADWAY_CHECK_SECONDS:-570}
case $seconds in
  '' | *[!0-9]* | ??????*) wrong "HEADWAY_CHECK_SECONDS must be whole seconds, 0 to 99999: HEADWAY_CHECK_SECONDS=$seconds" ;;
esac
for folder in "$results" ${OUT:+"$OUT"}; do # before minutes of work, and before anything is deleted in it
  { mkdir -p "$folder" && [ -d "$folder" ] && [ -w "$folder" ] && [ -x "$folder" ]; } 2>/dev/null ||
    wrong "the folder of results must be one that can be made and written: $folder; name another as first argument${OUT:+, or as OUT}"
done
results=$(cd "$results" && pwd -P) || wrong "the folder of results must be one that can be entered: $results"
[ "${HEADWAY_CHECK_ARGUMENTS:-}" != only ] || exit 0
log=$results/log.txt
tiny=${HEADWAY_BENCH_TINY:-false}
python=${HEADWAY_PYTHON:-python3}
java=${HEADWAY_JAVA:-$here/jre/bin/java}
status=0
# the driver's compiler keeps what it makes of the kernels; HOME may be missing or read-only
export CUDA_CACHE_PATH="${CUDA_CACHE_PATH:-${TMPDIR:-/tmp}/headway-ptx-cache}"
mkdir -p "$CUDA_CACHE_PATH"

say() { echo "$*" | tee -a "$log"; }
left() { echo $((begin + seconds - $(date +%s))); }
limit() { # SECONDS COMMAND...: a hung kernel must not take what comes after it
  most=$1
  shift
  [ "$(left)" -ge "$most" ] || most=$(left)
  [ "$most" -gt 0 ] || most=1
  if command -v timeout >/dev/null 2>&1; then timeout -k 5 "$most" "$@"; else "$@"; fi
}

# newest_blas: the newest cuBLASLt below HEADWAY_CHECK_ROOT that the loader takes, by its version before its folder
newest_blas() {
  root=${HEADWAY_CHECK_ROOT:-}
  libraries=$(limit 20 find "$root/usr" "$root/opt" "$root/home" "$root/root" -name 'libcublasLt.so.1[23]' 2>/dev/null |
    awk -F/ '{ print $NF " " $0 }' | sort -r | cut -d' ' -f2-)
  [ -z "$libraries" ] || echo "$libraries" | run_java 20 dev.headway.cuda.gpu.LoadableLibrary 2>>"$log"
}

class_path=$(find "$here/classes" -mindepth 1 -maxdepth 1 | LC_ALL=C sort | tr '\n' ':')$here/lib/*
run_java() { # SECONDS CLASS ARGUMENTS...
  java_seconds=$1
  shift
  limit "$java_seconds" ${sanitizer_command:-} "$java" -Xmx12g \
    --add-opens=java.base/java.lang.reflect=ALL-UNNAMED --add-exports=java.base/sun.nio.ch=ALL-UNNAMED \
    --add-exports=java.base/jdk.internal.ref=ALL-UNNAMED --enable-native-access=ALL-UNNAMED \
    --sun-misc-unsafe-memory-access=allow -Dchronicle.announcer.disable=true -Dchronicle.analytics.disable=true \
    "-Dheadway.cuda.library=${HEADWAY_CUDA_LIBRARY:-libcuda.so.1}" \
    ${blas:+"-Dheadway.cublaslt.library=$blas"} \
    "-Dheadway.bench.tiny=$tiny" \
    -Dorg.slf4j.simpleLogger.defaultLogLevel=error \
    -cp "$class_path" "$@"
}

# what the machine is; every call says it, since each is read alone
say "revision:  $(cat "$here/revision.txt"), $(date -u +%Y-%m-%dT%H:%M:%SZ)"
say "system:    $(uname -srm), $(ldd --version 2>&1 | head -n 1)"
say "cpu:       $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1), $(getconf _NPROCESSORS_ONLN) cores"
say "driver:    $(nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.sm,clocks.mem --format=csv,noheader 2>/dev/null || echo 'no nvidia-smi')"
# cuBLASLt is not in the driver's package; the one that PyTorch uses is the one to compare with
found=$(limit 40 "$python" -c '
import torch
from torch.nn.attention import sdpa_kernel  # of 2.5, which the comparison needs
print(torch.__version__)
print(next((l.split()[-1] for l in open("/proc/self/maps") if "libcublasLt.so" in l), ""))' 2>/dev/null)
torch=$(echo "$found" | sed -n 1p)
blas=${HEADWAY_CUBLASLT:-$(echo "$found" | sed -n 2p)}
[ -n "$blas" ] || blas=$(newest_blas)
say "cuBLASLt:  ${blas:-not found}"
say "pytorch:   ${torch:-not found, or older than 2.5: nothing is compared with it}"

table() { # NAME SECONDS CLASS ARGUMENTS...: standard output is a table, which stays if the time is over
  name=$1
  shift
  run_java "$@" 2>"$results/$name.err" </dev/null | tee "$results/$name.csv"
  why=$(sed -n 's/^Exception in thread "[^"]*" //p' "$results/$name.err" | tail -n 1)
  cat "$results/$name.err" >>"$log"
  rm -f "$results/$name.err"
  [ -z "$why" ] || say "gpu-check: $name: $why"
  [ -s "$results/$name.csv" ] && [ "$(wc -l <"$results/$name.csv")" -gt 1 ]
}

check() { # WHAT SHAPE VALUE UNIT: a line of checks.csv in the place of an older one
  touch "$results/checks.csv"
  grep -v "^$1,$2," "$results/checks.csv" >"$results/checks.new" || :
  echo "$1,$2,$3,$4" >>"$results/checks.new"
  mv "$results/checks.new" "$results/checks.csv"
}

run_tests() { # all classes in one JVM; a JVM that a kernel took down goes on with the class after it
  : >"$results/tests.csv"
  rm -f "$results/checks.csv"
  waiting="$(grep DriverSymbols "$here/classes.txt") $(grep '\.kernel\.' "$here/classes.txt")"
  waiting="$waiting $(grep '\.executor\.' "$here/classes.txt")"
  waiting="$waiting $(grep -vE 'DriverSymbols|\.kernel\.|\.executor\.' "$here/classes.txt")"
  tests_end=$(($(date +%s) + 130))
  [ "$tiny" = false ] || tests_end=$((tests_end + 170)) # an emulated driver on few processors
  # shellcheck disable=SC2086 # words
  while [ -n "$(echo $waiting)" ] && [ "$(left)" -gt 5 ] && [ "$(date +%s)" -lt $tests_end ]; do
    run_java $((tests_end - $(date +%s))) dev.headway.cuda.gpu.TestClassRun $waiting 2>>"$log" </dev/null | tee "$results/lines.txt" |
      grep -v '^#'
    cat "$results/lines.txt" >>"$results/tests.csv"
    rest=
    for class in $waiting; do
      grep -q "^$class," "$results/lines.txt" || rest="$rest $class"
    done
    lost=$(echo $rest | cut -d' ' -f1)
    if grep -q '^#lost' "$results/lines.txt"; then # CUDA was lost to the process, its class has failed
      waiting=$rest
      continue
    fi
    [ -z "$lost" ] || echo "$lost,1,1,0,0" | tee -a "$results/tests.csv"
    [ -z "$lost" ] || say "gpu-check: the JVM or the time was lost in $lost"
    waiting=$(echo $rest | cut -s -d' ' -f2-)
  done
  rm -f "$results/lines.txt"
  failed=$(grep -v '^#' "$results/tests.csv" | awk -F, '{ n += $3 } END { print n + 0 }')
  silent=$(grep '^#skip' "$results/tests.csv" | awk -F, '$4 == "NONE" { n += $3 } END { print n + 0 }')
  tests=$(grep -v '^#' "$results/tests.csv" | awk -F, '{ n += $2; s += $4 } END { print n + 0 " tests, " s + 0 " skipped" }')
  say "tests:     $tests, $failed failed, $silent skipped without a reason"
  grep '^#skip' "$results/tests.csv" | cut -d, -f2-
  waiting=$(echo $waiting)
  [ -n "$waiting" ] && [ "$failed" -eq 0 ] || check "tests failed" "all classes" "$failed" tests
  [ -n "$waiting" ] || check "tests skipped without a reason" "all classes" "$silent" tests
  [ "$failed" -eq 0 ] && [ "$silent" -eq 0 ]
}

run_load() {
  rm -rf "$results/load"
  mkdir -p "$results/load"
  table load 130 dev.headway.cuda.gpu.DeviceCheck load "$results/load"
  code=$?
  # journals are for who wants to look closer
  tar -C "$results" -czSf "$results/load.tar.gz" load 2>>"$log" && rm -rf "$results/load"
  return $code
}

run_torch() {
  [ -n "$torch" ] || return 0
  small=
  [ "$tiny" = false ] || small=tiny
  limit 100 "$python" "$here/torch-rates.py" $small 2>>"$log" </dev/null | tee "$results/torch.csv"
  [ "$(wc -l <"$results/torch.csv")" -gt 1 ]
}

run_sanitizer() { # every kernel class under each tool, as far as the time goes
  sanitizer=$(command -v compute-sanitizer || find /usr/local/cuda*/bin /usr/local/cuda*/compute-sanitizer \
    -name compute-sanitizer -type f 2>/dev/null | sort | tail -n 1)
  if [ -z "$sanitizer" ]; then
    say "sanitizer: compute-sanitizer was not found"
    return 0
  fi
  classes=$(grep '\.kernel\.' "$here/classes.txt" | grep -v MissingBarrier)
  [ "$tiny" = false ] || classes=$(echo "$classes" | tail -n 1)
  echo "tool,class,errors,seconds" >"$results/sanitizer.csv"
  clean=0
  for tool in memcheck racecheck initcheck synccheck; do
    sum=0
    for class in $classes; do
      [ "$(left)" -gt 10 ] || return $clean
      at=$(date +%s)
      sanitizer_command="$sanitizer --tool $tool --print-limit 5"
      run_java 100 dev.headway.cuda.gpu.TestClassRun "$class" >"$results/sanitizer.txt" 2>&1 </dev/null
      sanitizer_command=
      cat "$results/sanitizer.txt" >>"$log"
      errors=$(sed -n 's/.*ERROR SUMMARY: \([0-9]*\) error.*/\1/p; s/.*RACECHECK SUMMARY: \([0-9]*\) hazard.*/\1/p' \
        "$results/sanitizer.txt" | tail -n 1)
      echo "$tool,$class,${errors:-no summary},$(($(date +%s) - at))" | tee -a "$results/sanitizer.csv"
      [ -n "$errors" ] || sum=
      [ -z "$sum" ] || sum=$((sum + errors))
      [ "${errors:-0}" -eq 0 ] || clean=1
    done
    [ -z "$sum" ] || check "$tool" "kernel classes" "$sum" errors
  done
  rm -f "$results/sanitizer.txt"
  return $clean
}

deliver() { # what OUT gets; few files: some machines give back no more than eight
  [ -n "${OUT:-}" ] && [ "$OUT" != "$results" ] || return 0
  for file in "$results/goals.csv" "$log" "$results/load.tar.gz"; do
    [ ! -e "$file" ] || cp "$file" "$OUT/"
  done
  tar -C "$results" -czf "$OUT/results.tar.gz" --exclude=./load.tar.gz .
}

if [ "$(left)" -ge 6 ]; then # without a device every stage would say so in its own way
  answer=$(run_java 40 dev.headway.cuda.gpu.DeviceReport available 2>&1 </dev/null) || {
    say "gpu-check: stopped, nothing can run without a device:"
    say "$(echo "${answer:-the driver did not answer in time}" |
      sed 's/the JVM option -Dheadway\.cuda\.library=/HEADWAY_CUDA_LIBRARY=/')"
    deliver
    exit 1
  }
fi

touch "$results/stages.csv"
for stage in $stages; do
  if [ "$(left)" -lt 6 ]; then
    say "== $stage: no time left"
    continue
  fi
  say "== $stage, $(left) s left"
  at=$(date +%s)
  case $stage in
    report) run_java 40 dev.headway.cuda.gpu.DeviceReport 2>&1 </dev/null | tee "$results/report.txt" | tee -a "$log" &&
      grep -q '^device:' "$results/report.txt" ;;
    steps) table steps 130 dev.headway.cuda.gpu.DeviceCheck steps ;;
    tests) run_tests ;;
    products) table products 60 dev.headway.cuda.gpu.DeviceCheck products ;;
    kernels) table kernels 80 dev.headway.cuda.gpu.DeviceCheck kernels ;;
    load) run_load ;;
    torch) run_torch ;;
    sanitizer) run_sanitizer ;;
  esac
  code=$?
  [ $code -eq 0 ] || status=1
  took=$(($(date +%s) - at))
  say "== $stage: status $code, $took s"
  grep -v "^$stage," "$results/stages.csv" >"$results/stages.new" || :
  echo "$stage,$code,$took" >>"$results/stages.new"
  mv "$results/stages.new" "$results/stages.csv"
done

seconds=$((seconds + 30)) # reading tables takes a second, whatever is left
run_java 25 dev.headway.cuda.gpu.Goals "$results" 2>>"$log" </dev/null | tee "$results/goals.csv"
[ -s "$results/goals.csv" ] || status=1
say "results:   $results, $(($(date +%s) - begin)) s, exit status $status"
deliver
exit $status
