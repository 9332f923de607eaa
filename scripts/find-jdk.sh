#!/bin/sh
# Prints the home of a JDK of at least version 25, or explains on stderr what it looked at and exits
# with 1.
#
#   JAVA_HOME=$(scripts/find-jdk.sh) && export JAVA_HOME
#   scripts/find-jdk.sh 21       of at least version 21
#   scripts/find-jdk.sh 21 24    of a version from 21 to 24
#
# Looked at, in this order: $HEADWAY_JAVA_HOME, $JAVA_HOME, `java` on the PATH, and the usual
# places of package managers. The first one that is new enough wins.

need=${1:-25}
most=${2:-9999}
range=${2:+to $2}
range=${range:-or newer}
looked=

# Feature version of the JDK in $1, from its `release` file or else from its own mouth.
version_of() {
  line=$(sed -n 's/^JAVA_VERSION="\(.*\)"/\1/p' "$1/release" 2>/dev/null)
  if [ -z "$line" ]; then
    line=$("$1/bin/java" -version 2>&1 </dev/null | sed -n 's/.* version "\([^"]*\)".*/\1/p' | head -n 1)
  fi
  case $line in
    1.*) line=${line#1.} ;;
  esac
  printf '%s' "$line" | sed 's/[^0-9].*//'
}

# try NAME HOME: prints HOME and ends the script if it is a JDK that is new enough.
try() {
  if [ ! -x "$2/bin/javac" ] || [ ! -x "$2/bin/java" ]; then
    looked="$looked
  $1: $2 (no JDK there)"
    return 0
  fi
  found=$(version_of "$2")
  if [ -n "$found" ] && [ "$found" -ge "$need" ] && [ "$found" -le "$most" ]; then
    printf '%s\n' "$2"
    exit 0
  fi
  looked="$looked
  $1: $2 (version ${found:-unknown})"
}

if [ -n "${HEADWAY_JAVA_HOME:-}" ]; then
  try HEADWAY_JAVA_HOME "$HEADWAY_JAVA_HOME"
else
  looked="$looked
  HEADWAY_JAVA_HOME: not set"
fi

if [ -n "${JAVA_HOME:-}" ]; then
  try JAVA_HOME "$JAVA_HOME"
else
  looked="$looked
  JAVA_HOME: not set"
fi

if command -v java >/dev/null 2>&1; then
  # java itself knows its home, whatever links lead to it
  home=$(java -XshowSettings:properties -version 2>&1 </dev/null | sed -n 's/^ *java\.home = //p')
  try 'java on the PATH' "$home"
else
  looked="$looked
  java on the PATH: none"
fi

for home in /usr/lib/jvm/* /opt/* "${HOME:-/nonexistent}"/.sdkman/candidates/java/* \
  /Library/Java/JavaVirtualMachines/*/Contents/Home; do
  # /opt holds other things as well: only what looks like a JDK is worth a line
  if [ -x "$home/bin/javac" ]; then
    try "${home%/*}" "$home"
  fi
done

cat >&2 <<EOF
No JDK $need $range found. Looked at:$looked
  /usr/lib/jvm/*, /opt/*, ~/.sdkman/candidates/java/*, /Library/Java/JavaVirtualMachines/*/Contents/Home
Install a JDK $need, or set HEADWAY_JAVA_HOME to the home of one.
EOF
exit 1
