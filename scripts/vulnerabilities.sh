#!/usr/bin/env bash
# Looks up what an SBOM lists in a copy of OSV's database, without a network.
#
#   scripts/vulnerabilities.sh DATABASE [SBOM]
#
# DATABASE is a folder of OSV's JSON files, or the archive of them that
# https://osv-vulnerabilities.storage.googleapis.com/Maven/all.zip is. SBOM is that of the distribution,
# apps/cli/target/bom.json, unless given; after ./mvnw -DskipTests -Dcyclonedx.skip=false package.
#
# Exit: 0 nothing known, 1 something is, 2 not scanned. Without a database it is never 0.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

sbom=${2:-apps/cli/target/bom.json}
if [ $# -lt 1 ] || [ ! -e "$1" ]; then
  echo "not scanned: DATABASE must be a folder of OSV's JSON files or its all.zip: database=${1:-}" >&2
  exit 2
fi
if [ ! -f "$sbom" ]; then
  echo "not scanned: the SBOM must exist, after ./mvnw -DskipTests -Dcyclonedx.skip=false package: sbom=$sbom" >&2
  exit 2
fi
lib=$(find apps/cli/target/headway -type d -name lib 2>/dev/null | head -1)
maven=$(./mvnw -v </dev/null | sed -n 's/^Maven home: //p')
if [ -z "$lib" ] || [ -z "$maven" ]; then
  echo "not scanned: the distribution must be built: ./mvnw -DskipTests -Dcyclonedx.skip=false package" >&2
  exit 2
fi
exec "$(scripts/find-jdk.sh)/bin/java" -cp "$lib/*:$maven/lib/*" scripts/Vulnerabilities.java "$1" "$sbom"
