#!/bin/sh
# Takes pictures of reports as a browser shows them, for people to look at: each page whole at 1440
# and at 390 pixels, once without scripts, and as it prints.
#
#   scripts/report-shots.sh OUT REPORT.html...
#
# Needs Chromium (Debian: apt-get install chromium); CHROMIUM names another one.
set -eu

if [ $# -lt 2 ]; then
  echo "usage: scripts/report-shots.sh OUT REPORT.html..." >&2
  exit 2
fi
out=$1
shift
browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
if [ -z "$browser" ]; then
  echo "report-shots: no Chromium found; apt-get install chromium, or set CHROMIUM" >&2
  exit 1
fi
mkdir -p "$out"
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT

chromium() {
  "$browser" --headless=new --no-sandbox --disable-gpu --hide-scrollbars --no-first-run \
    --force-device-scale-factor=1 --virtual-time-budget=5000 --user-data-dir="$profile" "$@" \
    >"$profile/log" 2>&1 || {
    cat "$profile/log" >&2
    exit 1
  }
}

# The height of a page at a width. A headless window is 500 pixels wide at least, so that narrow
# pages are looked at inside a frame.
framed() { # FILE WIDTH HEIGHT
  printf '<!DOCTYPE html><body style="margin:0"><iframe src="file://%s" style="border:0;width:%spx;height:%spx"></iframe>' \
    "$1" "$2" "$3" >"$profile/frame.html"
}

for report in "$@"; do
  page=$(cd "$(dirname "$report")" && pwd -P)/$(basename "$report")
  name=$(basename "$report" .html)
  chromium --window-size=1440,"${HEIGHT_WIDE:-8600}" --screenshot="$out/$name-1440.png" "file://$page"
  framed "$page" 390 "${HEIGHT_NARROW:-15500}"
  chromium --window-size=500,"${HEIGHT_NARROW:-15500}" --screenshot="$out/$name-390.png" \
    "file://$profile/frame.html"
  sed 's/<script>/<script type="text\/off">/g' "$page" >"$profile/$name.html"
  chromium --window-size=1440,"${HEIGHT_WIDE:-8600}" --screenshot="$out/$name-noscript.png" \
    "file://$profile/$name.html"
  chromium --no-pdf-header-footer --print-to-pdf="$out/$name.pdf" "file://$page"
  ls -l "$out/$name-1440.png" "$out/$name-390.png" "$out/$name-noscript.png" "$out/$name.pdf"
done
