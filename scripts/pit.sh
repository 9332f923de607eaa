#!/bin/sh
# Mutation coverage by PIT of the modules that take part in it, or of those named:
#   scripts/pit.sh                      sdk-api, sdk-kvcache and sdk-scheduler
#   scripts/pit.sh sdk-kvcache -Dheadway.pit.classes='dev.headway.kvcache.PrefixIndex*'
# A module's page is MODULE/target/pit-reports/index.html. Hours on two cores; the exit code is not 0
# where fewer than headway.pit.threshold per cent (85) of the mutations are noticed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
all=sdk-api,sdk-kvcache,sdk-scheduler
modules=$all
case ${1:-} in
  '' | -*) ;;
  *) modules=$1 && shift ;;
esac
# What those need is built, and not measured.
for module in $(echo "$all" | tr , ' '); do
  case ,$modules, in
    *",$module,"*) ;;
    *) set -- "$@" "-Dheadway.pit.skip.$module=true" ;;
  esac
done
cd "$root"
# PIT runs the tests on the Java that runs Maven, which ./mvnw chooses
exec ./mvnw -B -ntp -Ppit -pl "$modules" -am -Dtest=none -Dsurefire.failIfNoSpecifiedTests=false verify "$@"
