#!/usr/bin/env bash
# Makes the program with a Java of its own, for machines without one: OUT/headway-VERSION-PLATFORM.tar.gz, of the
# distribution and the modules of the JDK that its jars use, by jlink.
#
#   scripts/image.sh [OUT]                 for the platform of the JDK of the build
#   JMODS=DIR scripts/image.sh [OUT]       for that of another JDK of the same version, whose jmods are in DIR
#
# OUT is target/ unless given. DISTRIBUTION=DIR takes the distribution in DIR, an unpacked headway.zip, in place of building one.
# Same inputs, same bytes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p "${1:-target}"
out=$(cd "${1:-target}" && pwd)
jdk=$(scripts/find-jdk.sh)
if [ -z "${DISTRIBUTION:-}" ]; then
  ./headway --version >/dev/null # builds the distribution if sources are newer
fi
distribution=${DISTRIBUTION:-$(echo "$PWD"/apps/cli/target/headway/headway-*)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# As one folder of classes, which jdeps reads at once: jars with a descriptor it would want to resolve.
mkdir "$work/classes"
for jar in "$distribution"/lib/*.jar; do
  unzip -qqo "$jar" '*.class' -x 'META-INF/versions/*' '*module-info.class' -d "$work/classes" 2>/dev/null || [ $? -eq 11 ]
done
# zip files are opened as folders
modules=jdk.zipfs$("$jdk/bin/jdeps" --ignore-missing-deps --list-deps "$work/classes" |
  sed -n 's#^ *\(\(java\|jdk\)\.[a-z.]*\).*#,\1#p' | sort -u | tr -d '\n')

platform=linux-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')
if [ -n "${JMODS:-}" ]; then
  platform=$("$jdk/bin/jmod" describe "$JMODS/java.base.jmod" | sed -n 's/^platform //p' | sed 's/amd64/x64/; s/aarch64/arm64/')
fi
name=$(basename "$distribution")-$platform
mkdir "$work/$name"
cp -r "$distribution"/. "$work/$name"
rm -f "$work/$name/lib/headway.aot" # of another Java; bin/headway-aot makes it again
"$jdk/bin/jlink" ${JMODS:+--module-path "$JMODS"} --add-modules "$modules" --strip-debug --no-header-files --no-man-pages \
  --output "$work/$name/jdk"
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rw,go+rX,go-w --mtime='2026-01-01 00:00:00Z' \
  -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
echo "$out/$name.tar.gz: $(($(stat -c %s "$out/$name.tar.gz") >> 20)) MiB, modules=$modules"
