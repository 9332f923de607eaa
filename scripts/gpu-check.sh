#!/bin/sh
# Checks the CUDA executor on a machine with an NVIDIA driver and nothing else: no JDK, no toolkit.
#
#   scripts/gpu-check.sh pack [ARCHIVE]   here: packs a runtime, the classes and their tests
#   scripts/gpu-check.sh dry-run          here: packs, unpacks, and runs all of it on the emulated driver
#
# There, x86-64 or aarch64 as here, glibc 2.17 or newer:
#
#   tar -xJf headway-gpu-check.tar.xz && headway-gpu-check/run.sh [RESULTS_DIRECTORY [STAGE...]]
#
# Prints what the machine is, runs every test class with the tag "gpu" in a JVM of its own (stage tests),
# measures (rates), measures PyTorch where Python has it (torch), and compares. Writes tests.csv,
# rates.csv, torch.csv, milestones.csv and log.txt. Ends with 1 if a test failed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
modules=java.base,java.logging,java.xml,java.management,jdk.management,jdk.unsupported
modules=$modules,jdk.incubator.vector,jdk.jfr,jdk.zipfs,java.net.http,jdk.httpserver

# stage DIRECTORY: everything that is packed, unpacked.
stage() {
  jdk=$("$root/scripts/find-jdk.sh")
  mkdir -p "$1/classes" "$1/lib"
  "$jdk/bin/jlink" --add-modules "$modules" --strip-debug --no-header-files --no-man-pages \
    --compress=zip-0 --vm=server --output "$1/jre"
  # any test will do: its report tells the class path
  (cd "$root" && ./mvnw -q -B -ntp ${HEADWAY_MVN_ARGS:-} -pl sdk-cuda-ffm -am test \
    -Dtest='NativeLibraryTest' -Dsurefire.failIfNoSpecifiedTests=false) >"$1/build.log" 2>&1 || {
    tail -n 30 "$1/build.log" >&2
    exit 1
  }
  report=$root/sdk-cuda-ffm/target/surefire-reports/TEST-dev.headway.cuda.driver.NativeLibraryTest.xml
  class_path=$(sed -n 's/.*name="surefire.test.class.path" value="\([^"]*\)".*/\1/p' "$report")
  [ -n "$class_path" ] || {
    echo "gpu-check: the class path must be in the report of the tests: $report" >&2
    exit 1
  }
  echo "$class_path" | tr ':' '\n' | while read -r entry; do
    if [ -d "$entry" ]; then
      # a directory of each module: resources of one name must not fall together
      name=$(echo "${entry#"$root"/}" | tr '/' '-')
      cp -r "$entry" "$1/classes/$name"
    elif [ -f "$entry" ]; then
      cp "$entry" "$1/lib/"
    fi
  done
  find "$1/classes" -name module-info.class -delete # a class path, not a module path
  (cd "$root/sdk-cuda-ffm/src/test/java" && grep -rl '^@OnCudaDriver' . | LC_ALL=C sort |
    sed 's|^\./||; s|/|.|g; s|\.java$||') >"$1/classes.txt"
  git -C "$root" describe --always --dirty >"$1/revision.txt" 2>/dev/null || echo unknown >"$1/revision.txt"
  rm -f "$1/build.log"
  cp "$root/scripts/gpu-check-run.sh" "$1/run.sh"
  chmod +x "$1/run.sh"
  cp "$root/scripts/gpu-check-torch.py" "$1/torch-rates.py"
}

case ${1:-} in
  pack)
    archive=${2:-$root/headway-gpu-check.tar.xz}
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    stage "$work/headway-gpu-check"
    tar -C "$work" -c headway-gpu-check | xz -6 -T2 >"$archive"
    echo "packed: $archive, $(wc -c <"$archive") bytes"
    ;;
  dry-run)
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    "$0" pack "$work/headway-gpu-check.tar.xz"
    tar -C "$work" -xJf "$work/headway-gpu-check.tar.xz"
    (cd "$root" && ./mvnw -q -B -ntp ${HEADWAY_MVN_ARGS:-} -pl sdk-cuda-ffm -am test \
      -Dtest='DriverSymbolsTest' -Dsurefire.failIfNoSpecifiedTests=false)
    library=$(find "$root/sdk-cuda-ffm/target/emulation" -name 'libcuda-*.so' -printf '%T@ %p\n' |
      sort -n | tail -n 1 | cut -d' ' -f2-)
    [ -n "$library" ] || {
      echo "gpu-check: a dry run needs g++ for the emulated driver" >&2
      exit 1
    }
    HEADWAY_CUDA_LIBRARY=$library HEADWAY_BENCH_TINY=true \
      "$work/headway-gpu-check/run.sh" "${2:-$work/results}"
    ;;
  *)
    echo "usage: scripts/gpu-check.sh pack [ARCHIVE] | dry-run [RESULTS_DIRECTORY]" >&2
    exit 2
    ;;
esac
