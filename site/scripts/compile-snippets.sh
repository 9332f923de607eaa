#!/bin/sh
# Compiles snippets/*.java against the classes of sdk-api. Needs compiled classes:
# ./mvnw -pl sdk-api compile
set -eu
cd "$(dirname "$0")/../.."
[ -d sdk-api/target/classes ] || {
  echo "site: compile first: ./mvnw -pl sdk-api compile" >&2
  exit 1
}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# The annotations of JSpecify are not needed to compile against the classes.
"$(scripts/find-jdk.sh 21)/bin/javac" -proc:none -Xlint:all,-classfile -d "$out" \
  -cp sdk-api/target/classes site/snippets/*.java
