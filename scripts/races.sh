#!/bin/sh
# Runs the races of dev.headway.concurrency with jcstress; arguments go to jcstress, for example
# "-t SubmitClose" for one of them or "-m stress" for longer. Needs a packaged build:
#   ./mvnw -B -ntp -DskipTests package
# Fails if an outcome was seen that no race lists. Report: benchmarks/target/races/index.html.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
ls "$root"/benchmarks/target/headway-benchmarks-*.jar >/dev/null 2>&1 || {
  echo "races: build first: ./mvnw -B -ntp -DskipTests package" >&2
  exit 1
}
mode='-m quick'
for argument; do
  case $argument in
    -m | -tb | -time) mode= ;; # the caller's own
  esac
done
mkdir -p "$root/benchmarks/target/races"
cd "$root/benchmarks/target/races" # jcstress leaves its raw results where it runs
# shellcheck disable=SC2086
exec "$("$root/scripts/find-jdk.sh")/bin/java" \
  -cp "$root/benchmarks/target/*:$root/benchmarks/target/lib/*" \
  org.openjdk.jcstress.Main $mode -af NONE -r . \
  -jvmArgsPrepend "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn" "$@"
