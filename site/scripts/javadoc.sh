#!/usr/bin/env bash
# Makes the Javadoc of the exported packages of all published modules, those of bom/pom.xml, in one set of
# pages: OUT/api. Needs compiled classes: ./mvnw -DskipTests package
#
#   site/scripts/javadoc.sh OUT
#   site/scripts/javadoc.sh --check    only whether the classes are there
set -euo pipefail
out=${1:?usage: site/scripts/javadoc.sh OUT, or --check}
if [ "$out" != --check ]; then
  mkdir -p "$out"
  out=$(cd "$out" && pwd)
fi
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

modules=()
for artifact in $(sed -n 's/.*<dependency>.*<artifactId>\(headway-[a-z0-9-]*\)<.*/\1/p' bom/pom.xml); do
  modules+=("$(dirname "$(grep -l "^  <artifactId>$artifact</artifactId>" ./*/pom.xml ./integrations/*/pom.xml)")")
done

for classes in "${modules[@]/%//target/classes}" sdk-cuda-ffm/target/test-classes; do
  [ -d "$classes" ] || {
    echo "site: the Javadoc needs compiled classes, first: ./mvnw -DskipTests package: missing=$classes" >&2
    exit 1
  }
done
if [ "$out" = --check ]; then
  exit
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A file per module: what it is compiled with. The classes are there, so that nothing is compiled again.
./mvnw -B -ntp -q -pl "$(IFS=,; echo "${modules[*]}")" -am -Dmaven.main.skip=true -Dmaven.test.skip=true \
  test-compile dependency:build-classpath -Dmdep.outputFile=target/javadoc.classpath </dev/null >"$work/log" 2>&1 || {
  cat "$work/log" >&2
  exit 1
}
cat "${modules[@]/%//target/javadoc.classpath}" | tr ':' '\n' | grep '\.jar$' | sort -u >"$work/jars"
classpath=$(paste -sd: "$work/jars")

for module in "${modules[@]}"; do
  sources=$module/src/main/java
  classpath=$PWD/$module/target/classes:$classpath
  sed -n 's/^ *exports \([a-z.0-9]*\);.*/\1/p' "$sources/module-info.java" | while read -r package; do
    find "$sources/${package//.//}" -maxdepth 1 -name '*.java'
  done
done >"$work/files"

version=$(sed -n 's|^  <version>\(.*\)</version>|\1|p' pom.xml | head -1)
group() { # TITLE PACKAGES
  printf -- '-group "%s" "%s"\n' "$1" "$2"
}
{
  group 'Contracts (headway-api)' 'dev.headway.api*'
  group 'Scheduler and engine' 'dev.headway.scheduler*'
  group 'KV cache' 'dev.headway.kvcache*'
  group 'Executors' 'dev.headway.executor*:dev.headway.cuda*'
  group 'Probes and exporters' 'dev.headway.probes*:dev.headway.report*'
  group 'Events of a run' 'dev.headway.events*'
  group 'Simulation' 'dev.headway.simulation*'
  group 'Routing' 'dev.headway.routing*'
  group 'Test kit' 'dev.headway.testkit*'
  group 'Output directories' 'dev.headway.toolbox*'
} >"$work/groups"

"$(scripts/find-jdk.sh)/bin/javadoc" -quiet -Xdoclint:none -J-Xmx1g -d "$out/api" -encoding UTF-8 -charset UTF-8 \
  -notimestamp -protected --no-fonts --release 25 \
  -windowtitle "Headway $version" -doctitle "Headway $version" \
  -header '<a href="{@docRoot}/../index.html">Headway</a>' \
  -classpath "$classpath" "@$work/groups" "@$work/files" >"$work/log" 2>&1 || {
  cat "$work/log" >&2
  exit 1
}
grep -v '^$' "$work/log" | head -20 >&2 || true
echo "javadoc: $(find "$out/api" -name '*.html' | wc -l) pages"
