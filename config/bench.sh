#!/bin/sh
# Runs the JMH benchmarks with the flags they need; arguments go to JMH. Needs a packaged build:
#   ./mvnw -B -ntp -DskipTests package
set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
ls "$root"/benchmarks/target/headway-benchmarks-*.jar >/dev/null 2>&1 || {
  echo "bench: build first: ./mvnw -B -ntp -DskipTests package" >&2
  exit 1
}
flags='--add-opens=java.base/java.lang.reflect=ALL-UNNAMED
  --add-exports=java.base/sun.nio.ch=ALL-UNNAMED
  --add-exports=java.base/jdk.internal.ref=ALL-UNNAMED
  --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow
  -Dchronicle.announcer.disable=true -Dchronicle.analytics.disable=true
  -Dorg.slf4j.simpleLogger.defaultLogLevel=error'
# shellcheck disable=SC2086
exec "$("$root/config/find-jdk.sh")/bin/java" $flags \
  -cp "$root/benchmarks/target/*:$root/benchmarks/target/lib/*" \
  org.openjdk.jmh.Main -jvmArgsAppend "$(echo $flags)" "$@"
