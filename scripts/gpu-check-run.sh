#!/bin/sh
# Packed as run.sh by gpu-check.sh: runs the tests and the benchmark on this machine's device.
#
#   run.sh [RESULTS_DIRECTORY [STAGE...]]
#
# Stages: tests, rates, torch; all of them unless named. Each leaves its table when it ends, and the
# comparison is made from the tables that are there, so that a time limit can be met stage by stage.
#
#   HEADWAY_CUDA_LIBRARY   another driver library than libcuda.so.1
#   HEADWAY_PYTHON         another Python with PyTorch than python3
#   HEADWAY_BENCH_TINY     true: the smallest shapes, for a dry run
set -u
here=$(cd "$(dirname "$0")" && pwd -P)
results=${1:-$here/results}
[ $# -eq 0 ] || shift
stages=${*:-tests rates torch}
for stage in $stages; do
  case $stage in
    tests | rates | torch) ;;
    *)
      echo "gpu-check: a stage is one of tests, rates, torch: stage=$stage" >&2
      exit 2
      ;;
  esac
done
mkdir -p "$results"
log=$results/log.txt

say() { echo "$*" | tee -a "$log"; }
say "revision:  $(cat "$here/revision.txt")"
say "date:      $(date -u +%Y-%m-%dT%H:%M:%SZ)"
say "system:    $(uname -srm)"
say "glibc:     $(ldd --version 2>&1 | head -n 1)"
say "cpu:       $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1), $(getconf _NPROCESSORS_ONLN) cores"
say "driver:    $(nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null || echo 'no nvidia-smi')"
say "linker:    $(ldconfig -p 2>/dev/null | grep -E 'libcuda\.so|libcublasLt' | tr -s '\t ' ' ' | tr '\n' ';')"

# cuBLASLt is not in the driver's package; a toolkit or a Python wheel may have it
blas=$(timeout 60 find /usr /opt /home /root -name 'libcublasLt.so.1[23]' 2>/dev/null | sort | tail -n 1)
say "cublasLt:  ${blas:-not found}"
python=${HEADWAY_PYTHON:-python3}
torch=$("$python" -c 'import torch; print(torch.__version__)' 2>/dev/null | tail -n 1)
say "pytorch:   ${torch:-not found, nothing is compared with it}"

class_path=$(find "$here/classes" -mindepth 1 -maxdepth 1 | tr '\n' ':')$here/lib/*
run_java() {
  "$here/jre/bin/java" --enable-native-access=ALL-UNNAMED \
    "-Dheadway.cuda.library=${HEADWAY_CUDA_LIBRARY:-libcuda.so.1}" \
    ${blas:+"-Dheadway.cublaslt.library=$blas"} \
    "-Dheadway.bench.tiny=${HEADWAY_BENCH_TINY:-false}" \
    -Dorg.slf4j.simpleLogger.defaultLogLevel=off \
    -cp "$class_path" "$@"
}

run_tests() {
  echo "class,tests,failed,skipped,milliseconds" >"$results/tests.csv"
  while read -r class; do
    run_java dev.headway.cuda.gpu.TestClassRun "$class" >"$results/line.txt" 2>>"$log" </dev/null
    code=$?
    # a JVM that a kernel took down has printed no line
    line=$(grep "^$class," "$results/line.txt" || echo "$class,0,crashed with $code,0,0")
    echo "$line" | tee -a "$results/tests.csv"
    [ $code -eq 0 ] || status=1
  done <"$here/classes.txt"
  rm -f "$results/line.txt"
}

measure() {
  run_java dev.headway.cuda.gpu.DeviceBenchmark 2>>"$log" </dev/null | tee "$results/rates.csv"
  [ "$(wc -l <"$results/rates.csv")" -gt 1 ] || status=1
}

measure_torch() {
  [ -n "$torch" ] || return 0
  tiny=
  [ "${HEADWAY_BENCH_TINY:-false}" = false ] || tiny=tiny
  "$python" "$here/torch-rates.py" $tiny 2>>"$log" </dev/null | tee "$results/torch.csv"
  [ "$(wc -l <"$results/torch.csv")" -gt 1 ] || status=1
}

run_java dev.headway.cuda.gpu.DeviceReport 2>&1 | tee -a "$log"
status=0
for stage in $stages; do
  case $stage in
    tests) run_tests ;;
    rates) measure ;;
    torch) measure_torch ;;
  esac
done
if [ -e "$results/rates.csv" ]; then
  run_java dev.headway.cuda.gpu.Milestones "$results/rates.csv" "$results/torch.csv" |
    tee "$results/milestones.csv"
fi
say "results:   $results, exit status $status"
exit $status
