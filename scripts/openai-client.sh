#!/usr/bin/env bash
# Runs OpenAI's own client, in the version of package-lock.json, against `headway serve`: the
# built-in model, and the small one of the tests. Needs node >= 20 and npm, whose packages come from
# its cache or its registry.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
client=$root/apps/server/src/test/client
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT

# beside the sources nothing is left behind
cp "$client"/package.json "$client"/package-lock.json "$client"/check.mjs "$work"
(cd "$work" && npm ci --ignore-scripts --no-audit --no-fund >"$work/npm.log" 2>&1) || {
  cat "$work/npm.log" >&2
  exit 1
}

run() {
  echo "headway serve --port 0 $*"
  : >"$work/serve.log" # the address of the server before is not taken for this one's
  "$root/headway" serve --port 0 "$@" >"$work/serve.log" 2>&1 &
  server=$!
  until url=$(grep -o 'http://[0-9.:]*/v1' "$work/serve.log" | head -n 1) && [ -n "$url" ]; do
    kill -0 "$server" 2>/dev/null || {
      cat "$work/serve.log" >&2
      exit 1
    }
    sleep 0.2
  done
  timeout 120 node "$work/check.mjs" "$url"
  kill "$server"
  wait "$server" || true
  server=
}

run
run --model "$root/sdk-executor-host/src/test/resources/models/stories260K-hf"
