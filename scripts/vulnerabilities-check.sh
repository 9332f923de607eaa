#!/usr/bin/env bash
# Does scripts/vulnerabilities.sh find what is there? Plants advisories for a component of the SBOM in a
# database of its own: such as must be found, and such as must not. After ./mvnw -DskipTests -Dcyclonedx.skip=false package.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

name=tools.jackson.core:jackson-databind
version=$(sed -n 's/.*<jackson.version>\(.*\)<.*/\1/p' pom.xml)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/clean" "$work/all"

# advisory ID FOLDER AFFECTED [MORE]
advisory() {
  cat >"$work/$2/$1.json" <<JSON
{"id": "$1", "modified": "2026-01-02T03:04:05Z", "summary": "planted", ${4:-}
 "affected": [{"package": {"ecosystem": "${ecosystem:-Maven}", "name": "${package:-$name}"}, $3}]}
JSON
}
range() { echo "\"ranges\": [{\"type\": \"ECOSYSTEM\", \"events\": [$1]}]"; }

advisory FIXED-HERE clean "$(range "{\"introduced\": \"0\"}, {\"fixed\": \"$version\"}")"
advisory LATER clean "$(range '{"introduced": "999"}')"
advisory LAST-BEFORE clean "$(range '{"introduced": "0"}, {"last_affected": "0.9"}')"
advisory BETWEEN clean "$(range '{"introduced": "998"}, {"introduced": "0"}, {"fixed": "0.1"}')"
advisory WITHDRAWN clean "$(range '{"introduced": "0"}')" '"withdrawn": "2026-01-03T00:00:00Z",'
ecosystem=PyPI advisory OTHER-ECOSYSTEM clean "$(range '{"introduced": "0"}')"
package=org.example:absent advisory ABSENT clean "$(range '{"introduced": "0"}')"
cp "$work"/clean/* "$work/all"
advisory OPEN all "$(range '{"introduced": "0"}')"
advisory FIXED-LATER all "$(range "{\"introduced\": \"$version\"}, {\"fixed\": \"999\"}")"
advisory LISTED all "\"versions\": [\"0.1\", \"$version\"]"
advisory LAST all "$(range "{\"introduced\": \"0\"}, {\"last_affected\": \"$version\"}")"

# scan EXIT DATABASE EXPECTED...
scan() {
  local exit=0 expected=$1 database=$2
  shift 2
  scripts/vulnerabilities.sh "$database" >"$work/out" 2>&1 || exit=$?
  local found
  found=$(sed -n 's/^\([A-Z-]*\) \[.*/\1/p' "$work/out" | sort | tr '\n' ' ')
  if [ "$exit" -ne "$expected" ] || [ "$found" != "$(printf '%s\n' "$@" | sort | tr '\n' ' ' | sed 's/^ *//')" ]; then
    echo "must end with $expected and find '$*': exit=$exit, found='$found'" >&2
    cat "$work/out" >&2
    status=1
  fi
}
status=0
scan 1 "$work/all" OPEN FIXED-LATER LISTED LAST
scan 0 "$work/clean"
"$(scripts/find-jdk.sh)/bin/jar" --create --file "$work/all.zip" --no-manifest -C "$work/all" .
scan 1 "$work/all.zip" OPEN FIXED-LATER LISTED LAST
scan 2 "$work/absent"
mkdir "$work/empty"
scan 2 "$work/empty"
[ "$status" -eq 0 ] && echo "the look-up finds what is planted: component=$name, version=$version"
exit "$status"
