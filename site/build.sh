#!/usr/bin/env bash
# Installs what package-lock.json names, if that was not done yet, and builds the site into
# site/.vitepress/dist. Quiet unless something fails. Needs node >= 20 and npm.
#
#   site/build.sh --api                  with the Javadoc of the published modules under /api/; after ./mvnw -DskipTests package
#   SITE_BASE=/headway/ site/build.sh    for a site that lives below a path
#   SITE_REPOSITORY=https://…            adds a link to where the sources can be seen
set -euo pipefail
SITE_API=0
if [ "${1:-}" = --api ]; then
  SITE_API=1
elif [ $# -gt 0 ]; then
  echo "usage: site/build.sh [--api]" >&2
  exit 2
fi
export SITE_API
cd "$(dirname "${BASH_SOURCE[0]}")"
if [ "$SITE_API" = 1 ]; then
  scripts/javadoc.sh --check # it is said now, not after the pages were built
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
quietly() {
  "$@" >"$log" 2>&1 </dev/null || {
    status=$?
    cat "$log" >&2
    exit "$status"
  }
}

installed=node_modules/.package-lock.json
if [ ! -f "$installed" ] || [ package-lock.json -nt "$installed" ]; then
  quietly npm ci --no-audit --no-fund
fi
quietly npm run build
if [ "$SITE_API" = 1 ]; then
  scripts/javadoc.sh .vitepress/dist
fi
quietly node scripts/check-built.mjs
tail -n 1 "$log"
