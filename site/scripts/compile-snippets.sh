#!/bin/sh
# Compiles snippets/*.java against the classes of the libraries. Needs compiled classes:
# ./mvnw -pl sdk-scheduler -am compile
set -eu
cd "$(dirname "$0")/../.."
classes=
for module in sdk-api sdk-kvcache sdk-scheduler; do
  [ -d "$module/target/classes" ] || {
    echo "site: compile first: ./mvnw -pl sdk-scheduler -am compile" >&2
    exit 1
  }
  classes=$classes:$module/target/classes
done
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# The annotations of JSpecify are not needed to compile against the classes.
"$(scripts/find-jdk.sh 21)/bin/javac" -proc:none -Xlint:all,-classfile -d "$out" \
  -cp "${classes#:}" site/snippets/*.java
