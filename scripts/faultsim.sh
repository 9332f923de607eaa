#!/bin/sh
# Simulates the engine with everything that can go wrong: scripts/faultsim.sh --help. Builds the
# program first if it has not been built; after changes: ./mvnw -B -ntp -DskipTests -pl apps/faultsim -am package
# FAULTSIM_OPTS are options of the JVM, FAULTSIM_CLASSES a folder with classes to use in place of the project's.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
jdk=$("$root/scripts/find-jdk.sh")
ls "$root"/apps/faultsim/target/headway-app-faultsim-*.jar >/dev/null 2>&1 || {
  echo "faultsim: building ..." >&2
  (cd "$root" && ./mvnw -B -ntp -q -DskipTests -pl apps/faultsim -am package </dev/null) >&2
}
# the flags of journals
# shellcheck disable=SC2086
exec "$jdk/bin/java" \
  --add-opens=java.base/java.lang.reflect=ALL-UNNAMED \
  --add-exports=java.base/sun.nio.ch=ALL-UNNAMED \
  --add-exports=java.base/jdk.internal.ref=ALL-UNNAMED \
  --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow \
  -Dchronicle.announcer.disable=true -Dchronicle.analytics.disable=true \
  -Dorg.slf4j.simpleLogger.defaultLogLevel=off ${FAULTSIM_OPTS:-} \
  -cp "${FAULTSIM_CLASSES:+$FAULTSIM_CLASSES:}$root/apps/faultsim/target/*:$root/apps/faultsim/target/lib/*" \
  dev.headway.faultsim.FaultSim "$@"
