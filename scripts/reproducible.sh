#!/usr/bin/env bash
# Builds twice, in two folders with another umask, time zone and language, and compares every jar, SBOM
# and zip byte for byte.
#
#   scripts/reproducible.sh [BUILT [MODULE [PAGES]]]
#
# Jars of tests are left out: they are not published.
#
# BUILT is a checkout of this commit that is built already, up to package and with -Dcyclonedx.skip=false;
# without it two clones are built. MODULE is what is built with all that it needs: apps/cli unless given, or "published" for all
# that is published. With PAGES, "pages", the second build begins as the pages of the site have it: their
# commands are run in its folder first, by site/scripts/run-commands.mjs, which must not fail.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
built=$(cd "${1:-.}" && pwd)
module=${2:-apps/cli}
compared=(.)
if [ "$module" = published ]; then
  compared=(sdk-* probes-* integrations/*) # others name the JDK that Maven ran on, which ./headway chooses
  module=$(sed -n 's/.*<module>\(\(sdk-\|probes-\|integrations\/\)[^<]*\)<.*/\1/p' pom.xml | paste -sd,)
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# build FOLDER UMASK TIMEZONE LANGUAGE [PAGES]
build() {
  (
    umask "$2"
    export TZ=$3 LANG=$4 LC_ALL=$4
    if [ "${5:-}" = pages ]; then
      node site/scripts/run-commands.mjs --clone "$work/$1" --maven-opts "-Duser.language=${4%%_*}"
    else
      git clone --quiet . "$work/$1"
    fi
    cd "$work/$1"
    # The other way to skip tests than the pages have: both must pass the checks of the build.
    MAVEN_OPTS="-Duser.language=${4%%_*} ${MAVEN_OPTS:-}" \
      ./mvnw -B -ntp -q -Dmaven.test.skip=true -Dcyclonedx.skip=false -pl "$module" -am verify </dev/null
  )
}

if [ $# -eq 0 ]; then
  build one 022 UTC en_US.UTF-8
  built=$work/one
fi
build "another folder" 077 Asia/Tokyo tr_TR.UTF-8 "${3:-}"

status=0
count=0
cd "$work/another folder"
while read -r file; do
  count=$((count + 1))
  if ! cmp -- "$file" "$built/$file"; then
    status=1
    case $file in
      *.json) diff -- "$file" "$built/$file" | head -20 || true ;;
      *) diff <(zipinfo "$file") <(zipinfo "$built/$file") | head -20 || true ;;
    esac
  fi
done < <(find "${compared[@]}" -path '*/target/*' -prune -o -name target -print |
  while read -r target; do
    find "$target" -maxdepth 1 \( -name 'headway*[!s].jar' -o -name bom.json -o -name headway.zip \)
  done | sort)
if [ "$count" -eq 0 ]; then
  echo "nothing was built: module=$module" >&2
  exit 1
fi
[ "$status" -eq 0 ] && echo "equal in both builds: files=$count"
exit "$status"
