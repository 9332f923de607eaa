#!/bin/sh
# Runs the JMH benchmarks with the flags they need; arguments go to JMH. `waiting [POLICY…]` prints
# what a step costs by the number of requests that wait, `simulation [REQUESTS]` what a whole
# simulation takes in a warm JVM, `still [LOAD…]` how much of one goes to steps in which nothing
# changes. Needs a packaged build:
#   ./mvnw -B -ntp -DskipTests package
# Results go to benchmarks/target/results/TIME.json, what they were measured on to TIME.txt; make
# tables of them with scripts/bench-page.py. HEADWAY_BENCH_RESULTS names another directory.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
ls "$root"/benchmarks/target/headway-benchmarks-*.jar >/dev/null 2>&1 || {
  echo "bench: build first: ./mvnw -B -ntp -DskipTests package" >&2
  exit 1
}
java=$("$root/scripts/find-jdk.sh")/bin/java
flags='--add-opens=java.base/java.lang.reflect=ALL-UNNAMED
  --add-exports=java.base/sun.nio.ch=ALL-UNNAMED
  --add-exports=java.base/jdk.internal.ref=ALL-UNNAMED
  --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow
  -Dchronicle.announcer.disable=true -Dchronicle.analytics.disable=true
  -Dorg.slf4j.simpleLogger.defaultLogLevel=error'
# shellcheck disable=SC2086
jmh() {
  "$java" $flags -cp "$root/benchmarks/target/*:$root/benchmarks/target/lib/*" \
    org.openjdk.jmh.Main -jvmArgsAppend "$(echo $flags)" "$@"
}

table() { # a program that prints a table
  program=$1
  shift
  # shellcheck disable=SC2086
  exec "$java" $flags -Xmx6g -cp "$root/benchmarks/target/*:$root/benchmarks/target/lib/*" \
    "dev.headway.benchmarks.$program" "$@"
}

case ${1:-} in
  waiting) shift && table WaitingTable "$@" ;; # of steps by the length of the queue
  simulation) shift && table SimulationTable "$@" ;; # of whole simulations in a warm JVM
  still) shift && table StillTable "$@" ;; # of steps in which nothing changes
esac

for argument; do
  case $argument in
    -rf | -rff | -l | -lp | -lrf | -lprof | -h) # the caller's own file, or nothing is run
      jmh "$@"
      exit
      ;;
  esac
done

results=${HEADWAY_BENCH_RESULTS:-$root/benchmarks/target/results}
mkdir -p "$results"
run=$results/$(date -u +%Y%m%dT%H%M%SZ)
{
  echo "date:      $(date -u +%Y-%m-%dT%H:%M:%SZ)"
  echo "revision:  $(git -C "$root" describe --always --dirty 2>/dev/null || echo unknown)"
  echo "arguments: $*"
  echo "system:    $(uname -srm)"
  echo "cpu:       $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)"
  echo "cpus:      $(getconf _NPROCESSORS_ONLN)"
  echo "load:      $(uptime | sed 's/.*load average[s]*: //')"
  echo "java:      $("$java" --version | tail -n 1)"
} >"$run.txt"
jmh -rf json -rff "$run.json" "$@"
echo "results: $run.json"
