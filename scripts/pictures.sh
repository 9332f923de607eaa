#!/usr/bin/env bash
# Makes the pictures of README.md and of the home page in site/public, light and dark: the report and one explanation of ./headway demo.
# Needs chromium. Only bytes of fonts differ from one machine to another.
#
#   scripts/pictures.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=$PWD/site/public
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

(cd "$work" && "$OLDPWD/headway" demo -o demo -q && "$OLDPWD/headway" report demo/journal -o report.html -q &&
  "$OLDPWD/headway" explain demo/journal --request synthetic-264 >explanation.txt)

{
  echo '<!doctype html><meta charset=utf-8><style>
    :root { color-scheme: light dark }
    body { margin: 24px 32px; background: light-dark(#fff, #12151c); color: light-dark(#1c1f24, #e6e9ef) }
    pre { font: 14px/1.45 "DejaVu Sans Mono", monospace; margin: 0 }
    b { color: light-dark(#0b57a4, #6cb6ff) }
  </style><pre>'
  echo '<b>$ ./headway explain out/demo/journal --request synthetic-264</b>'
  sed -n '1,/resumed in iteration/p' "$work/explanation.txt" | sed 's/&/\&amp;/g; s/</\&lt;/g'
  echo '     … and so on to its last token; then where its time went, to the nanosecond</pre>'
} >"$work/explanation.html"

picture() { # NAME PAGE SIZE
  shoot 1 "$1.png" "$2" "$3"
  shoot 0 "$1-dark.png" "$2" "$3"
}

shoot() { # SCHEME FILE PAGE SIZE
  chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size="$4" \
    --blink-settings=preferredColorScheme="$1" --screenshot="$out/$2" "file://$work/$3" >/dev/null 2>&1
}

picture report report.html 1240,830
picture explain explanation.html 900,880
