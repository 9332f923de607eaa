#!/bin/sh
# Compares the exported packages of the modules with those of REVISION: fails where
# a program compiled against REVISION would no longer link or compile. A package that is no longer
# exported is not reported: that is in the diff of its module-info. HTML and XML reports are in
# MODULE/target/japicmp. REVISION is the last tag unless given.
#
#   scripts/api-check.sh [REVISION [Maven arguments]]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
cd "$root"
revision=${1:-$(git describe --tags --abbrev=0)}
[ $# -eq 0 ] || shift
commit=$(git rev-parse --short=12 --verify "$revision^{commit}")
baseline=$root/target/api-baseline/$commit

modules_of() { # the directory of a checkout
  (cd "$1" && find . -path ./target -prune -o -path '*/src/main/java/module-info.java' -print) |
    sed 's|^\./||; s|/src/.*||' | sort
}

if [ ! -d "$baseline" ]; then
  echo "api-check: building $revision ..." >&2
  work=$root/target/api-baseline/work
  rm -rf "$work"
  git clone -q --shared --no-checkout . "$work"
  git -C "$work" checkout -q --detach "$commit"
  (cd "$work" && ./mvnw -q -B -ntp -Dmaven.test.skip=true "$@" \
    -pl "$(modules_of . | paste -s -d , -)" -am package)
  mkdir "$baseline.new"
  for jar in "$work"/*/target/headway-*.jar "$work"/integrations/*/target/headway-*.jar; do
    [ -e "$jar" ] || continue # a revision without integrations
    name=$(basename "$jar")
    case $name in
      *-tests.jar) ;;
      *) cp "$jar" "$baseline.new/${name%%-[0-9]*}.jar" ;;
    esac
  done
  rm -rf "$work"
  mv "$baseline.new" "$baseline"
fi

modules=$(modules_of .)
packages=$(for module in $modules; do
  sed -n 's/^ *exports \([a-z0-9.]*\);/\1/p' "$module/src/main/java/module-info.java"
done)
exec ./mvnw -B -ntp -Papi-check -Dmaven.test.skip=true -Dmdep.analyze.skip=true \
  -Dheadway.api.baseline="$baseline" -Dheadway.api.packages="$(echo "$packages" | paste -s -d , -)" \
  "$@" -pl "$(echo "$modules" | paste -s -d , -)" -am verify
