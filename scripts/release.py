#!/usr/bin/env python3
"""A release, in three steps; none of them uploads anything.

  scripts/release.py cut 0.1.0 [--next 0.2.0-SNAPSHOT]   two commits and a tag: the version, and what comes after it
  git checkout v0.1.0
  MAVEN_GPG_KEY=$(gpg --armor --export-secret-keys ID) scripts/release.py bundle [--jmods DIR]
  scripts/release.py check target/release-0.1.0

`bundle` builds what bom/pom.xml lists, and the program, with -Prelease. All that a release hands out is then in
target/release-VERSION: the bundle as Maven Central's portal takes it; the distribution as a zip, and with a Java of its own
for the platform of this machine (scripts/image.sh), and for that of each --jmods, such as that of a JDK for arm64; SBOMs;
provenance (in-toto, SLSA 1) and SHA256SUMS, which cover them. `check` looks whether sums and provenance are those of the
files, and whether the bundle keeps the rules that the portal refuses others by, and some of our own; `bundle` ends with it.
`same A B` compares two such folders but for signatures, which have a time, and what is summed of them. `rehearse` does all of
it in a clone, with a key that is thrown away.
"""

import argparse
import datetime
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
GROUP = "dev/headway"
POM = {"m": "http://maven.apache.org/POM/4.0.0"}
EPOCH = (1980, 1, 1, 0, 0, 0)
PROGRAM = "apps/cli"
SUMS = "SHA256SUMS"
CHECKSUMS = {"md5": hashlib.md5, "sha1": hashlib.sha1, "sha256": hashlib.sha256, "sha512": hashlib.sha512}


def fail(message):
    sys.exit(f"release: {message}")


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def version():
    return ElementTree.parse(ROOT / "pom.xml").find("m:version", POM).text


# ---- cut ----------------------------------------------------------------------------------------


def cut(arguments):
    old, new = version(), arguments.version
    following = arguments.next or next_snapshot(new)
    if git("status", "--porcelain"):
        fail("what is not committed would be lost in a release: git status")
    if not old.endswith("-SNAPSHOT"):
        fail(f"the version must be a snapshot before a release is cut from it: version={old}")
    if not re.fullmatch(r"\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?", new) or new.endswith("-SNAPSHOT"):
        fail(f"the version must be MAJOR.MINOR.PATCH, as of semantic versioning: version={new}")
    if not following.endswith("-SNAPSHOT"):
        fail(f"what follows a release must be a snapshot: next={following}")
    if git("tag", "--list", f"v{new}"):
        fail(f"the tag is there already: v{new}")
    changes = (ROOT / "CHANGELOG.md").read_text()
    unreleased = re.search(r"^## Unreleased\n(.*?)(?=^## |\Z)", changes, re.M | re.S)
    if not unreleased or not unreleased.group(1).strip():
        fail("CHANGELOG.md must say under '## Unreleased' what is new")
    compare_api(unreleased.group(1))

    named = [ROOT / name for name in git("grep", "-lF", old).splitlines()]
    before = {path: path.read_text() for path in named}
    for path, text in before.items():
        path.write_text(text.replace(old, new))
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    (ROOT / "CHANGELOG.md").write_text(changes.replace("## Unreleased\n", f"## {new} – {today}\n", 1))
    pom = (ROOT / "pom.xml").read_text()
    stamp = r"(<project.build.outputTimestamp>)[^<]*"
    pom = re.sub(stamp, rf"\g<1>{today}T00:00:00Z", pom)
    (ROOT / "pom.xml").write_text(pom)
    left = subprocess.run(
        ["git", "grep", "-nE", r"[0-9]-SNAPSHOT", "--", "*.md", "*pom.xml"], cwd=ROOT, capture_output=True, text=True
    ).stdout
    if left:
        git("checkout", "--", ".")
        fail(f"a release names no snapshot, in no page and no pom:\n{left}")
    git("commit", "-qam", f"Version {new}")
    git("tag", "-a", f"v{new}", "-m", f"Version {new}")

    for path, text in before.items():
        text = text.replace(old, following)
        path.write_text(re.sub(stamp, rf"\g<1>{today}T00:00:00Z", text) if path == ROOT / "pom.xml" else text)
    changes = (ROOT / "CHANGELOG.md").read_text()
    (ROOT / "CHANGELOG.md").write_text(changes.replace(f"## {new} – ", f"## Unreleased\n\n## {new} – ", 1))
    git("commit", "-qam", f"{following} begins")
    print(f"cut: v{new} is tagged, and {following} begins behind it. Now: git checkout v{new}; scripts/release.py bundle")


def next_snapshot(new):
    major, minor, _ = re.match(r"(\d+)\.(\d+)\.(\d+)", new).groups()
    return f"{major}.{int(minor) + 1}.0-SNAPSHOT"


def compare_api(unreleased):
    """With the last release: what breaks must be said."""
    tags = git("tag", "--list", "v*", "--merged", "HEAD", "--sort=-v:refname").splitlines()
    if not tags:
        print("cut: there is no earlier release to compare the API with", flush=True)
        return
    compared = subprocess.run([ROOT / "scripts/api-check.sh", tags[0]], cwd=ROOT)
    if compared.returncode != 0 and "[Breaking]" not in unreleased:
        fail(f"the API is not that of {tags[0]} any more, and CHANGELOG.md has no **[Breaking]** line under '## Unreleased'")


# ---- bundle -------------------------------------------------------------------------------------


def bundle(arguments):
    staged, release = ROOT / "target/release", ROOT / f"target/release-{version()}"
    for folder in (staged, release):
        shutil.rmtree(folder, ignore_errors=True)
    modules = ["bom", *published_modules(), PROGRAM]
    # Javadoc reads the descriptors of libraries with the JVM of Maven: it must not be older than they are.
    # That sources are formatted and dependencies used is shown by the build of the commit, not again here.
    built = subprocess.run(
        [ROOT / "mvnw", "-B", "-ntp", "-q", "-Prelease", "-Dmaven.test.skip=true", "-Dmdep.analyze.skip=true",
         "-Dspotless.check.skip=true", "-pl", ",".join(modules), "-am"],
        cwd=ROOT, stdin=subprocess.DEVNULL, env={**os.environ, "JAVA_HOME": find_jdk()})
    if built.returncode != 0:
        fail("the build of -Prelease failed")
    files = sorted(
        path for path in staged.rglob("*")
        if path.is_file() and not path.name.startswith("maven-metadata") and "-tests.jar" not in path.name)
    release.mkdir()
    out = release / f"headway-{version()}-bundle.zip"
    with zipfile.ZipFile(out, "w") as target:
        for path in files:
            entry = zipfile.ZipInfo(str(path.relative_to(staged)), EPOCH)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_STORED if path.suffix == ".jar" else zipfile.ZIP_DEFLATED
            target.writestr(entry, path.read_bytes())
    add_program(release, arguments.jmods)
    add_sboms(release, files)
    write_provenance(release, files)
    write_sums(release)
    for path in entries(release):
        print(f"bundle: {path.relative_to(ROOT)}, {path.stat().st_size // 1024} KiB")
    check_release(release)


def add_program(release, jmods):
    """The distribution, and with a Java of its own for each platform."""
    shutil.copyfile(ROOT / PROGRAM / "target/headway.zip", release / f"headway-{version()}.zip")
    for folder in [None, *jmods]:
        environment = {**os.environ, "DISTRIBUTION": str(next((ROOT / PROGRAM / "target/headway").iterdir()))}
        environment.update({"JMODS": folder} if folder else {})
        if subprocess.run([ROOT / "scripts/image.sh", release], env=environment).returncode != 0:
            fail(f"no image could be made: jmods={folder or 'of the JDK of the build'}")
    if not list(release.glob("*-linux-arm64.tar.gz")):
        print("bundle: no image for linux-arm64: --jmods DIR names the jmods of a JDK for it, of the version of the build's")


def add_sboms(release, files):
    """Of each published module, and of the program."""
    (release / "sbom").mkdir()
    for path in files:
        if path.name.endswith("-cyclonedx.json"):
            shutil.copyfile(path, release / "sbom" / path.name)
    shutil.copyfile(ROOT / PROGRAM / "target/bom.json", release / f"sbom/headway-{version()}-cyclonedx.json")


def published_modules():
    artifacts = re.findall(r"<artifactId>(headway-[a-z0-9-]+)</artifactId>", (ROOT / "bom/pom.xml").read_text())
    poms = [ROOT / module.text / "pom.xml" for module in ElementTree.parse(ROOT / "pom.xml").findall(".//m:module", POM)]
    folders = {ElementTree.parse(pom).find("m:artifactId", POM).text: pom.parent for pom in poms}
    return [str(folders[artifact].relative_to(ROOT)) for artifact in artifacts if artifact != "headway-bom"]


def write_provenance(release, files):
    """What was built, from which commit, with what: https://slsa.dev/spec/v1.0/provenance."""
    built = {path.name: path for path in files if path.suffix in (".jar", ".pom", ".json")}
    built.update({str(path.relative_to(release)): path for path in entries(release)})
    subjects = [{"name": name, "digest": {"sha256": sha256(path)}} for name, path in built.items()]
    runtime = subprocess.run([f"{find_jdk()}/bin/java", "--version"], capture_output=True, text=True).stdout.splitlines()
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subjects,
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "https://headway.dev/release/v1",
                "externalParameters": {"version": version(), "command": "scripts/release.py bundle"},
                "resolvedDependencies": [
                    {"name": "source", "digest": {"gitCommit": git("rev-parse", "HEAD")}},
                    {"name": ".mvn/checksums/checksums.sha256",
                     "digest": {"sha256": sha256(ROOT / ".mvn/checksums/checksums.sha256")}}],
                "internalParameters": {"jdk": runtime[1] if len(runtime) > 1 else "unknown"}},
            "runDetails": {"builder": {"id": "https://headway.dev/release/by-hand"}}}}
    (release / f"headway-{version()}-provenance.json").write_text(json.dumps(statement, indent=2) + "\n")


def write_sums(release):
    """Of all that is in the folder: sha256sum --check SHA256SUMS reads it."""
    lines = [f"{sha256(path)}  {path.relative_to(release)}\n" for path in entries(release)]
    (release / SUMS).write_text("".join(lines))


def entries(release):
    return sorted(path for path in release.rglob("*") if path.is_file() and path.name != SUMS)


def find_jdk():
    return subprocess.run([ROOT / "scripts/find-jdk.sh"], capture_output=True, text=True, check=True).stdout.strip()


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


# ---- check --------------------------------------------------------------------------------------


def check(arguments):
    check_release(pathlib.Path(arguments.release))


def check_release(release):
    """A folder as `bundle` leaves it, or a bundle alone."""
    if not release.exists():
        fail(f"there is no such folder or bundle: {release}")
    bundles = [release] if release.is_file() else sorted(release.glob("*-bundle.zip"))
    if len(bundles) != 1:
        fail(f"a release must have one bundle, whose name ends in -bundle.zip: {release}, bundles={len(bundles)}")
    contents = unzip(bundles[0])
    faults, summary = look(contents)
    if release.is_dir():
        faults += faults_of_sums(release) + faults_of_provenance(release, contents)
        summary += f"; {len(entries(release))} files have their sums, which the provenance names too"
    for fault in sorted(faults):
        print(f"  {fault}")
    if faults:
        fail(f"this is no release: faults={len(faults)}")
    print(f"check: {summary}")


def faults_of_sums(release):
    if not (release / SUMS).is_file():
        return [f"{SUMS} is missing"]
    sums = dict(reversed(line.split("  ", 1)) for line in (release / SUMS).read_text().splitlines())
    present = {str(path.relative_to(release)): path for path in entries(release)}
    return [
        *(f"{name}: is in {SUMS} and not in the folder" for name in sums.keys() - present.keys()),
        *(f"{name}: is not in {SUMS}" for name in present.keys() - sums.keys()),
        *(f"{name}: is not what {SUMS} says" for name in sums.keys() & present.keys() if sha256(present[name]) != sums[name])]


def faults_of_provenance(release, contents):
    """It must name what is in the folder, and the jars, poms and SBOMs in the bundle."""
    provenances = list(release.glob("*-provenance.json"))
    if len(provenances) != 1:
        return [f"a release must have one provenance: found={len(provenances)}"]
    named = digests(provenances[0])
    needed = {str(path.relative_to(release)): sha256(path) for path in entries(release) if path not in provenances}
    for name, data in contents.items():
        if name.endswith((".jar", ".pom", ".json")):
            needed[name.rpartition("/")[2]] = hashlib.sha256(data).hexdigest()
    return [f"{name}: the provenance does not have its digest" for name in needed if named.get(name) != needed[name]]


def digests(provenance):
    return {subject["name"]: subject["digest"]["sha256"] for subject in json.loads(provenance.read_text())["subject"]}


def unzip(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def look(contents, known=None):
    """What is wrong, and what was looked at. Signatures of what is as in `known`, a sound bundle, are not verified again."""
    faults = []
    poms = {name: ElementTree.fromstring(data) for name, data in contents.items() if name.endswith(".pom")}
    own = {text(pom, "artifactId"): pom for pom in poms.values()}
    if not poms:
        faults.append("there is no pom in it")
    for name, pom in poms.items():
        faults += [f"{name}: {fault}" for fault in faults_of_pom(name, pom, own, contents)]
    for name, data in contents.items():
        faults += [f"{name}: {fault}" for fault in faults_of_file(name, data, contents)]
    verified = verify_signatures(contents, known or {}, faults)
    return faults, f"{len(poms)} artifacts keep the rules; {verified}"


def text(pom, field):
    return pom.findtext(f"m:{field}", None, POM) or pom.findtext(f"m:parent/m:{field}", None, POM)


def inherited(pom, field, own):
    """A field's element, of the pom or of its parents in the bundle."""
    while pom is not None:
        found = pom.find(f"m:{field}", POM)
        if found is not None:
            return found
        pom = own.get(pom.findtext("m:parent/m:artifactId", None, POM))
    return None


def faults_of_pom(name, pom, own, contents):
    artifact, number = text(pom, "artifactId"), text(pom, "version")
    base = f"{GROUP}/{artifact}/{number}/{artifact}-{number}"
    if name != f"{base}.pom":
        yield f"its place must be {base}.pom"
    if number.endswith("-SNAPSHOT"):
        yield f"a release has no snapshot's version: version={number}"
    for field in ("name", "description"):
        if pom.find(f"m:{field}", POM) is None:
            yield f"<{field}> is missing"
    for field in ("url", "licenses/m:license/m:name", "licenses/m:license/m:url", "developers/m:developer/m:name",
                  "scm/m:url", "scm/m:connection"):
        if inherited(pom, field, own) is None:
            yield f"<{field.replace('m:', '')}> is missing, in its parents too"
    for field in ("repositories", "pluginRepositories"):
        if pom.find(f".//m:{field}", POM) is not None:
            yield f"<{field}> must not be in what is published"
    for dependency in pom.findall("m:dependencies/m:dependency", POM):
        needed = dependency.findtext("m:artifactId", None, POM)
        if dependency.findtext("m:version", "", POM).endswith("-SNAPSHOT"):
            yield f"depends on a snapshot: {needed}"
        if dependency.findtext("m:groupId", None, POM) == "dev.headway" and needed not in own:
            if dependency.findtext("m:scope", None, POM) != "test":
                yield f"depends on what is not published: {needed}"
    if pom.findtext("m:packaging", "jar", POM) != "jar":
        return
    for ending, content in ((".jar", "META-INF/MANIFEST.MF"), ("-sources.jar", ".java"), ("-javadoc.jar", "index.html")):
        data = contents.get(base + ending)
        if data is None:
            yield f"{ending} is missing"
        elif not any(entry.endswith(content) for entry in zipfile.ZipFile(io.BytesIO(data)).namelist()):
            yield f"{ending} has no {content}"
    if f"{base}-cyclonedx.json" not in contents:
        yield "its SBOM is missing"


def faults_of_file(name, data, contents):
    stem, _, ending = name.rpartition(".")
    if ending in CHECKSUMS:
        if stem not in contents:
            yield "a checksum of nothing"
        elif CHECKSUMS[ending](contents[stem]).hexdigest() != data.decode().strip():
            yield "is not the checksum of its file"
    elif ending == "asc":
        if stem not in contents:
            yield "a signature of nothing"
    else:
        for needed in ("asc", "md5", "sha1"):
            if f"{name}.{needed}" not in contents:
                yield f".{needed} is missing"


def can_verify():
    return bool(shutil.which("gpg") and os.environ.get("MAVEN_GPG_KEY"))


def verify_signatures(contents, known, faults):
    """With gpg, and the key of the environment if there is one."""
    if not can_verify():
        return "the signatures were not verified: that needs gpg, and the key in MAVEN_GPG_KEY"
    signatures = [
        name for name in contents
        if name.endswith(".asc") and any(contents.get(each) is not known.get(each, b"") for each in (name, name[:-4]))]
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder) / "gpg"
        home.mkdir(mode=0o700)
        command = ["gpg", "--batch", "--quiet", "--homedir", str(home)]
        subprocess.run([*command, "--import"], input=os.environ["MAVEN_GPG_KEY"], text=True, check=True, capture_output=True)
        signed, signature = pathlib.Path(folder) / "file", pathlib.Path(folder) / "file.asc"
        for name in signatures:
            signed.write_bytes(contents.get(name[:-4], b""))
            signature.write_bytes(contents[name])
            verified = subprocess.run([*command, "--verify", str(signature), str(signed)], capture_output=True)
            if verified.returncode != 0:
                faults.append(f"{name}: is no signature of its file by this key")
        subprocess.run(["gpgconf", "--homedir", str(home), "--kill", "all"], capture_output=True)
    return f"{len(signatures)} signatures are of this key"


def self_test(arguments):
    """Plants a fault at a time in a sound release, and looks whether it is seen."""
    if not can_verify():
        fail("the self-test needs gpg, and the key that signed in MAVEN_GPG_KEY")
    release = pathlib.Path(arguments.release)
    sound = unzip(next(release.glob("*-bundle.zip")))
    jar = next(name for name in sorted(sound) if re.search(r"headway-api-[^/]*[0-9]\.jar$", name))
    pom, parent = jar[:-3] + "pom", next(name for name in sorted(sound) if re.search(r"headway-parent-[^/]*\.pom$", name))
    number = re.search(r"headway-api-(.*)\.jar$", jar).group(1)

    def without(name, element):
        return put(name, rf"<{element}>.*?</{element}>", "")

    def put(name, pattern, replacement):
        text, count = re.subn(pattern, replacement, sound[name].decode(), count=1, flags=re.S)
        if count == 0:
            fail(f"{name} does not have {pattern}")
        return {name: text.encode()}

    planted = {
        "sources.jar is missing": {jar[:-4] + "-sources.jar": None},
        "javadoc.jar is missing": {jar[:-4] + "-javadoc.jar": None},
        ".asc is missing": {jar + ".asc": None},
        ".md5 is missing": {jar + ".md5": None},
        "is not the checksum of its file": {jar + ".sha1": b"0" * 40},
        "is no signature of its file": {jar: sound[jar] + b" "},
        "a signature of nothing": {jar: None},
        "its SBOM is missing": {jar[:-4] + "-cyclonedx.json": None},
        "<description> is missing": without(pom, "description"),
        "<licenses/license/name> is missing": without(parent, "licenses"),
        "<scm/url> is missing": without(parent, "scm"),
        "<developers/developer/name> is missing": without(parent, "developers"),
        "no snapshot's version": put(parent, f"<version>{number}</version>", f"<version>{number}-SNAPSHOT</version>"),
        "must not be in what is published": put(parent, "<modules>", "<repositories/><modules>"),
        "what is not published: headway-api": {name: None for name in sound if "/headway-api/" in name},
    }
    for expected, changes in planted.items():
        changed = {name: data for name, data in {**sound, **changes}.items() if data is not None}
        faults, _ = look(changed, sound)
        must_see(expected, faults)
    program, sums = next(path.name for path in entries(release) if re.fullmatch(r"headway-[0-9.]*\.zip", path.name)), SUMS
    files = {
        f"{program}: is not what SHA256SUMS says": {program: b"other"},
        f"{program}: is in SHA256SUMS and not in the folder": {program: None},
        "more: is not in SHA256SUMS": {"more": b"more"},
        "SHA256SUMS is missing": {sums: None},
        f"{program}: the provenance does not have its digest": {program: b"other"},
        "a release must have one provenance": {next(release.glob("*-provenance.json")).name: None},
    }
    for expected, changes in files.items():
        with tempfile.TemporaryDirectory(dir=release.parent) as folder:
            changed = pathlib.Path(folder) / "release"
            shutil.copytree(release, changed, copy_function=os.link)
            for name, data in changes.items():
                (changed / name).unlink(missing_ok=True)
                if data is not None:
                    (changed / name).write_bytes(data)
            must_see(expected, faults_of_sums(changed) + faults_of_provenance(changed, sound))
    print(f"self-test: {len(planted)} faults of a bundle and {len(files)} of a release are seen, one at a time")


def must_see(expected, faults):
    if not any(expected in fault for fault in faults):
        fail(f"the check does not see it: {expected}")


def rehearse(arguments):
    """All of it in clones of the last commit, with a key that is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        home = work / "gpg"
        home.mkdir(mode=0o700)
        gpg = ["gpg", "--batch", "--quiet", "--homedir", str(home)]
        subprocess.run(
            [*gpg, "--passphrase", "", "--quick-gen-key", "Thrown away <nobody@example.org>", "rsa3072", "sign", "1d"],
            check=True, capture_output=True)
        key = subprocess.run([*gpg, "--armor", "--export-secret-keys"], check=True, capture_output=True, text=True).stdout
        subprocess.run(["gpgconf", "--homedir", str(home), "--kill", "all"], capture_output=True)
        names = {f"GIT_{who}_{what}": "rehearsal" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        environment = {**os.environ, **names, "MAVEN_GPG_KEY": key}
        releases = []
        for clone, umask, zone in [("one", 0o022, "UTC"), ("another folder", 0o077, "Asia/Tokyo")][: 2 if arguments.twice else 1]:
            environment["TZ"] = zone
            release = str(work / clone / "scripts/release.py")
            number = version().removesuffix("-SNAPSHOT")
            subprocess.run(["git", "clone", "--quiet", str(ROOT), str(work / clone)], check=True, umask=umask)
            for step in (["cut", number], ["bundle"]):
                if step == ["bundle"]:
                    subprocess.run(["git", "checkout", "--quiet", f"v{number}"], cwd=work / clone, check=True, umask=umask)
                subprocess.run([release, *step], check=True, env=environment, umask=umask)
            releases.append(str(work / clone / f"target/release-{number}"))
        subprocess.run([release, "self-test", releases[0]], check=True, env=environment)
        if arguments.twice:
            subprocess.run([release, "same", *releases], check=True)


def same(arguments):
    first, second = (unsigned(pathlib.Path(path)) for path in (arguments.first, arguments.second))
    differing = sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))
    for name in differing:
        print(f"  differs: {name}")
    if differing:
        fail(f"the releases are not the same: files={len(differing)}")
    print(f"same: {len(first)} files but for signatures, and what is summed of them")


def unsigned(release):
    """Digests of what is in the folder and in its bundle, without signatures, and without the bundle's in the provenance."""
    summed = {}
    for path in entries(release):
        name = str(path.relative_to(release))
        if name.endswith("-bundle.zip"):
            for inside, data in unzip(path).items():
                if ".asc" not in inside:
                    summed[f"{name}!{inside}"] = hashlib.sha256(data).hexdigest()
        elif name.endswith("-provenance.json"):
            summed[name] = {subject: digest for subject, digest in digests(path).items() if not subject.endswith("-bundle.zip")}
        else:
            summed[name] = sha256(path)
    return summed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="STEP")
    step = commands.add_parser("cut", help="commits and tags a version")
    step.add_argument("version")
    step.add_argument("--next", help="the version after it: the next minor one unless given")
    step.set_defaults(run=cut)
    step = commands.add_parser("bundle", help="builds a release: the bundle for Maven Central, signed by MAVEN_GPG_KEY, and the program")
    step.add_argument("--jmods", action="append", default=[], metavar="DIR",
                      help="an image for the platform of these jmods too, of a JDK of the version of the build's")
    step.set_defaults(run=bundle)
    step = commands.add_parser("check", help="whether a release has its sums and its bundle keeps the rules")
    step.add_argument("release", help="a folder as bundle leaves it, or a bundle alone")
    step.set_defaults(run=check)
    step = commands.add_parser("self-test", help="whether faults that are planted in a sound release are seen")
    step.add_argument("release")
    step.set_defaults(run=self_test)
    step = commands.add_parser("rehearse", help="all of it in a clone of the last commit, with a key that is thrown away")
    step.add_argument("--twice", action="store_true", help="in two clones, with another umask and time zone, and compares what they leave")
    step.set_defaults(run=rehearse)
    step = commands.add_parser("same", help="whether two releases are the same but for signatures")
    step.add_argument("first")
    step.add_argument("second")
    step.set_defaults(run=same)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
