#!/usr/bin/env bash
# Writes .mvn/checksums/checksums.sha256: the SHA-256 of every plugin and dependency of the build, of its
# profiles, and of what tests run on. Run it after a version has changed, and look at the difference:
# only lines of what you have changed may be new.
#
#   scripts/checksums.sh          adds what is missing
#   scripts/checksums.sh anew     forgets what is not used any more, too
#
# What is in the local repository is believed: with anew, begin with an empty one
# (MAVEN_ARGS=-Dmaven.repo.local=FOLDER).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
list=.mvn/checksums/checksums.sha256
record=-Daether.artifactResolver.postProcessor.trustedChecksums.record=true

[ "${1:-}" != anew ] || rm -f "$list"
before=$(cat "$list" 2>/dev/null | wc -l)

# the build, by a Maven on the default Java, and by ./mvnw on the JDK of the build, which formats
maven=$(./mvnw -v </dev/null | sed -n 's/^Maven home: //p')
"$maven/bin/mvn" -B -ntp -q "$record" -DskipTests verify </dev/null
./mvnw -B -ntp -q "$record" -DskipTests verify -pl sdk-api </dev/null
# what Surefire fetches when a test is there
./mvnw -B -ntp -q "$record" -Dtest=NearestNameTest test -pl sdk-api </dev/null
# the profiles
./mvnw -B -ntp -q "$record" -Pfuzz -DskipTests test-compile -pl fuzz </dev/null
./mvnw -B -ntp -q "$record" -Ppit -Dheadway.pit.skip.sdk-api=true -DskipTests verify -pl sdk-api </dev/null
./mvnw -B -ntp -q "$record" -Papi-check -DskipTests verify -pl sdk-api </dev/null
# the signatures are not made, but what makes them is fetched
./mvnw -B -ntp -q "$record" -Prelease -Denforcer.skip -Dmaven.deploy.skip -Dmaven.test.skip=true deploy -pl sdk-api </dev/null

sort -k 2 -o "$list" "$list"
echo "checksums: before=$before, now=$(wc -l <"$list")"
