#!/bin/sh
# Turns a directory of CSV files that has a manifest.json (headway convert, headway training) into
# one Parquet file per table, with the types of the manifest: integers as BIGINT, so nanoseconds
# stay exact. Needs the duckdb command line and jq; neither is part of Headway.
#
#   scripts/to-parquet.sh CSV_DIR OUT_DIR
#   scripts/to-parquet.sh --sql CSV_DIR OUT_DIR     prints the statements and runs nothing
set -eu

usage() {
  echo "usage: scripts/to-parquet.sh [--sql] CSV_DIR OUT_DIR" >&2
  exit 2
}

run=duckdb
if [ "${1:-}" = --sql ]; then
  run=cat
  shift
fi
[ $# -eq 2 ] || usage
csv=$1
out=$2

for tool in jq $run; do
  command -v "$tool" >/dev/null 2>&1 || {
    echo "to-parquet.sh: $tool is needed and not found" >&2
    exit 1
  }
done
[ -f "$csv/manifest.json" ] || {
  echo "to-parquet.sh: a manifest.json must stand beside the CSV files: dir=$csv" >&2
  exit 1
}
[ $run = cat ] || mkdir -p "$out"

# An empty cell is an absent value; text is never quoted to mean NULL.
jq -r --arg csv "$csv" --arg out "$out" '
  def quoted: "\u0027" + gsub("\u0027"; "\u0027\u0027") + "\u0027";
  def sql: {integer: "BIGINT", decimal: "DOUBLE", boolean: "BOOLEAN"}[.] // "VARCHAR";
  .files[]
  | ([.columns[] | (.name | quoted) + ": " + (.type | sql | quoted)] | join(", ")) as $columns
  | "COPY (SELECT * FROM read_csv("
    + ($csv + "/" + .name | quoted)
    + ", header = true, auto_detect = false, delim = \u0027,\u0027, quote = \u0027\"\u0027,"
    + " escape = \u0027\"\u0027, nullstr = \u0027\u0027, columns = {" + $columns + "})) TO "
    + ($out + "/" + (.name | sub("\\.csv$"; ".parquet")) | quoted)
    + " (FORMAT parquet, COMPRESSION zstd);"
' "$csv/manifest.json" | $run
