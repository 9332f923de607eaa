#!/usr/bin/env bash
# Makes jinja.js of sdk-serving: Hugging Face's own Jinja for chat templates, in the version of
# scripts/jinja/package-lock.json, in the JavaScript that Rhino runs. "write" (the default) writes
# it, "check" says whether it would change. Needs node >= 20 and npm, whose packages come from its
# cache or its registry.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
script=$root/sdk-serving/src/main/resources/dev/headway/serving/chat/jinja.js
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# beside the sources nothing is left behind
cp "$root"/scripts/jinja/* "$work"
(cd "$work" && npm ci --ignore-scripts --no-audit --no-fund >"$work/npm.log" 2>&1) || {
  cat "$work/npm.log" >&2
  exit 1
}
(cd "$work" && node rewrite.cjs >jinja.js)

case ${1:-write} in
  write)
    mkdir -p "$(dirname "$script")"
    cp "$work/jinja.js" "$script"
    ;;
  check) diff -q "$work/jinja.js" "$script" ;;
  *)
    echo "usage: scripts/jinja.sh [write|check]" >&2
    exit 2
    ;;
esac
