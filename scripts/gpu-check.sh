#!/bin/sh
# Checks and measures the CUDA executor on a machine with an NVIDIA driver and nothing else: no JDK, no toolkit.
#
#   scripts/gpu-check.sh run [RESULTS_DIRECTORY [STAGE...]]   here, on this machine's device, without an archive
#   scripts/gpu-check.sh pack [ARCHIVE]                       packs a runtime, the classes and their tests
#   scripts/gpu-check.sh dry-run [RESULTS_DIRECTORY]          all of it but the archive, with the smallest shapes, on
#                                                             an emulated driver that looks like a real one
#
# There, x86-64 or aarch64 as here, glibc 2.17 or newer:
#
#   tar -xJf headway-gpu-check.tar.xz && headway-gpu-check/run.sh [RESULTS_DIRECTORY [STAGE...]]
#
# or, without xz: python3 -c 'import tarfile; tarfile.open("headway-gpu-check.tar.xz").extractall()'. It ends within
# ten minutes, the build that run, pack and dry-run begin with not counted; what it does and what it leaves is said at
# the head of run.sh, here scripts/gpu-check-run.sh. RESULTS_DIRECTORY is headway-gpu-check-results in TMPDIR unless
# named, headway-gpu-check-dry-run for a dry run.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
modules=java.base,java.logging,java.naming,java.xml,java.management,jdk.management,jdk.unsupported,java.compiler
modules=$modules,jdk.incubator.vector,jdk.jfr,jdk.zipfs,java.net.http,jdk.httpserver

# stage DIRECTORY: everything that is packed, unpacked; without the runtime.
stage() {
  mkdir -p "$1/classes" "$1/lib"
  echo "gpu-check: building the module and its tests, minutes at the first time ..." >&2
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
  rm -f "$1"/lib/byte-buddy* "$1"/lib/jqwik* # no class that runs there needs them
  (cd "$root/sdk-cuda-ffm/src/test/java" && grep -rl '^@OnCudaDriver' . | LC_ALL=C sort |
    sed 's|^\./||; s|/|.|g; s|\.java$||') >"$1/classes.txt"
  git -C "$root" describe --always --dirty >"$1/revision.txt" 2>/dev/null || echo unknown >"$1/revision.txt"
  rm -f "$1/build.log"
  cp "$root/scripts/gpu-check-run.sh" "$1/run.sh"
  chmod +x "$1/run.sh"
  cp "$root/scripts/gpu-check-torch.py" "$1/torch-rates.py"
}

runtime() { # DIRECTORY
  "$("$root/scripts/find-jdk.sh")/bin/jlink" --add-modules "$modules" --strip-debug --no-header-files --no-man-pages \
    --compress=zip-0 --vm=server --output "$1/jre"
}

case ${1:-} in
  run)
    shift
    HEADWAY_CHECK_ARGUMENTS=only sh "$root/scripts/gpu-check-run.sh" "$@"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    stage "$work/headway-gpu-check"
    HEADWAY_JAVA=$("$root/scripts/find-jdk.sh")/bin/java "$work/headway-gpu-check/run.sh" "$@"
    ;;
  pack)
    archive=${2:-$root/headway-gpu-check.tar.xz}
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    stage "$work/headway-gpu-check"
    runtime "$work/headway-gpu-check"
    tar -C "$work" -c headway-gpu-check | xz -6 -T2 >"$archive"
    echo "packed: $archive, $(wc -c <"$archive") bytes"
    ;;
  dry-run)
    results=${2:-${TMPDIR:-/tmp}/headway-gpu-check-dry-run} # not among the figures of a device
    HEADWAY_CHECK_ARGUMENTS=only sh "$root/scripts/gpu-check-run.sh" "$results"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    there=$work/headway-gpu-check
    stage "$there"
    runtime "$there"
    library=$(cd "$root/sdk-cuda-ffm" && "$there/jre/bin/java" \
      -cp "$(find "$there/classes" -mindepth 1 -maxdepth 1 | tr '\n' ':')" dev.headway.cuda.emulation.EmulatorBuild)
    HEADWAY_CUDA_LIBRARY=$library HEADWAY_CUBLASLT=$library HEADWAY_BENCH_TINY=true \
      "$there/run.sh" "$results"
    ;;
  *)
    echo "usage: scripts/gpu-check.sh run [RESULTS [STAGE...]] | pack [ARCHIVE] | dry-run [RESULTS]" >&2
    exit 2
    ;;
esac
