#!/bin/sh
# Writes reference/csv.md from the definitions that write the headers of the CSV files. Needs
# compiled classes: ./mvnw -pl probes-csv -am compile
set -eu
cd "$(dirname "$0")/../.."
path=
for module in sdk-api probes-events probes-chronicle probes-csv; do
  [ -d "$module/target/classes" ] || {
    echo "site: compile first: ./mvnw -pl probes-csv -am compile" >&2
    exit 1
  }
  path=$path${path:+:}$module/target/classes
done
"$(scripts/find-jdk.sh 21)/bin/java" -cp "$path" dev.headway.probes.csv.CsvReference site/reference/csv.md
