#!/usr/bin/env bash
# Installs what package-lock.json names, if that was not done yet, and builds the site into
# site/.vitepress/dist. Quiet unless something fails. Needs node >= 20 and npm.
#
#   SITE_BASE=/headway/ site/build.sh    for a site that lives below a path
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

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
tail -n 1 "$log"
