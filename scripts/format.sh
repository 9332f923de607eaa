#!/bin/sh
# Formats all Java sources ("apply", the default) or checks them ("check"), whatever Java runs
# Maven by default: the formatter needs Java 21 or newer to parse our sources, so this runs Maven
# on the JDK of the build. More arguments go to Maven.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
goal=${1:-apply}
[ $# -eq 0 ] || shift
case $goal in
  apply | check) ;;
  *)
    echo "usage: scripts/format.sh [apply|check] [Maven arguments]" >&2
    exit 2
    ;;
esac

JAVA_HOME=$("$root/scripts/find-jdk.sh")
export JAVA_HOME
if [ -n "${MAVEN_HOME_OF_BUILD:-}" ]; then
  mvn=$MAVEN_HOME_OF_BUILD/bin/mvn
else
  mvn=$root/mvnw
fi
# Set by the Maven that called us, for itself.
unset MAVEN_HOME MAVEN_PROJECTBASEDIR MAVEN_CMD_LINE_ARGS CLASSWORLDS_JAR CLASSWORLDS_LAUNCHER 2>/dev/null || true
cd "$root"
# these have no parent of ours, hence no spotless; examples formats their sources
exec "$mvn" -q -B -ntp -pl '!bom,!examples/langchain4j,!examples/spring-ai,!examples/spring-boot,!examples/spring-boot-3' "spotless:$goal" "$@"
