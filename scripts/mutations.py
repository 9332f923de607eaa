#!/usr/bin/env python3
"""Changes one line of the scheduler or the KV cache at a time and looks which tests notice.

  scripts/mutations.py [--only N,M-K] [--report docs/mutations.md] [--golden DIR] [--batches N]

scripts/mutations.txt holds the mutations, one a line: file | from | to ("from" must occur once in the
file). A mutant is compiled into a directory that stands in front of the others in a class loader of
its own (MutationRun.java); the checkout is never changed. First the golden traces run, then, if all
are green, SchedulerModelTest, then the other tests of the two modules. No Maven is needed, only its
repository of jars.
"""
import argparse, glob, os, re, shutil, subprocess, sys, tempfile, time

from planting import HERE, ROOT, jdk, lines, require_current, write_changed

MODULES = ["sdk-api", "sdk-kvcache", "sdk-scheduler"]
GOLDEN = ["dev.headway.scheduler.golden.GoldenTraceTest"]
MODEL = ["dev.headway.scheduler.model.SchedulerModelTest"]
LIMIT_S = 90


def newest(pattern):
    found = sorted(glob.glob(os.path.expanduser("~/.m2/repository/" + pattern)))
    if not found:
        sys.exit("not in ~/.m2/repository: " + pattern + "; build once with Maven")
    return found[-1]


def libraries():
    jars = ["org/jspecify/jspecify/*/jspecify-*.jar", "com/google/guava/guava/*/guava-*-jre.jar",
            "org/slf4j/slf4j-api/2*/slf4j-api-*.jar", "org/slf4j/slf4j-simple/2*/slf4j-simple-*.jar",
            "tools/jackson/core/jackson-databind/*/jackson-databind-*.jar",
            "tools/jackson/core/jackson-core/*/jackson-core-*.jar",
            "com/fasterxml/jackson/core/jackson-annotations/*/jackson-annotations-*.jar",
            "org/assertj/assertj-core/*/assertj-core-*.jar",
            "net/bytebuddy/byte-buddy/*/byte-buddy-*.jar",
            "org/opentest4j/opentest4j/*/opentest4j-*.jar"]
    with open(os.path.join(ROOT, "pom.xml")) as pom:
        version = re.search("<junit.version>5(.*)</junit.version>", pom.read()).group(1)
    jars += ["org/junit/jupiter/junit-jupiter-%s/5%s/*.jar" % (part, version)
             for part in ["api", "params", "engine"]]
    jars += ["org/junit/platform/junit-platform-%s/1%s/*.jar" % (part, version)
             for part in ["commons", "engine", "launcher"]]
    return [newest(j) for j in jars]


class Runner:
    def __init__(self, golden, batches):
        self.batches = batches
        self.home, self.libs = jdk(), libraries()
        self.work = tempfile.mkdtemp(prefix="mutations.")
        self.golden = golden
        self.classes = os.path.join(self.work, "classes")
        sources = [f for m in MODULES for f in
                   glob.glob(os.path.join(ROOT, m, "src/main/java/**/*.java"), recursive=True)
                   if not f.endswith("module-info.java")]
        tests = [f for folder in ["sdk-kvcache/src/test", "sdk-scheduler/src/test",
                                  "sdk-testkit/src/main", "fuzz/src/main"] for f in
                 glob.glob(os.path.join(ROOT, folder, "java/**/*.java"), recursive=True)
                 if not f.endswith("module-info.java")]
        error = self.javac(self.classes, self.libs, sources)
        self.tests = os.path.join(self.work, "tests")
        error = error or self.javac(self.tests, [self.classes] + self.libs,
                                    tests)
        error = error or self.javac(os.path.join(self.work, "runner"), self.libs,
                                    [os.path.join(HERE, "MutationRun.java")])
        if error:
            sys.exit(error)
        for m in MODULES:
            for kind, where in (("main", self.classes), ("test", self.tests)):
                res = os.path.join(ROOT, m, "src", kind, "resources")
                if os.path.isdir(res):
                    shutil.copytree(res, where, dirs_exist_ok=True)
        others = [os.path.relpath(f, os.path.join(ROOT, m, "src/test/java"))[:-5].replace("/", ".")
                  for m in ["sdk-kvcache", "sdk-scheduler"]
                  for f in glob.glob(os.path.join(ROOT, m, "src/test/java/**/*Test.java"),
                                     recursive=True)]
        self.others = sorted(c for c in others if c not in GOLDEN + MODEL
                             and ".engine." not in c and ".probes." not in c
                             and ".time." not in c and ".sim." not in c and ".soak." not in c
                             and not c.endswith(("AllocationTest", "ContentHashTest", "FuzzTest")))

    def javac(self, target, path, files):
        os.makedirs(target, exist_ok=True)
        done = subprocess.run([self.home + "/bin/javac", "-nowarn", "-proc:none", "-d", target,
                               "-cp", ":".join(path)] + files, capture_output=True, text=True)
        return done.stderr if done.returncode else ""

    def source(self, number, mutation):
        return write_changed([mutation], os.path.join(self.work, str(number)))[0]

    def run(self, jobs):
        """Yields (number, stage, failed tests) for jobs of (number, source)."""
        stages = ["golden=" + ",".join(GOLDEN), "model=" + ",".join(MODEL),
                  "unit=" + ",".join(self.others)]
        left = list(jobs)
        while left:
            listed = os.path.join(self.work, "list")
            open(listed, "w").write("".join("%d\t%s\n" % job for job in left))
            command = [self.home + "/bin/java", "-XX:+UseSerialGC", "-Xmx2g",
                       "-Dheadway.model.batches=%d" % self.batches]
            if self.golden:
                command.append("-Dheadway.golden=" + self.golden)
            command += ["-cp", ":".join([os.path.join(self.work, "runner")] + self.libs),
                        "MutationRun", self.classes, self.tests, listed, str(LIMIT_S)] + stages
            done = 0
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                                  stderr=subprocess.DEVNULL, cwd=ROOT) as process:
                for line in process.stdout:
                    fields = line.rstrip("\n").split("\t")
                    if len(fields) == 3 and fields[0] == str(left[done][0]):
                        yield left[done][0], fields[1], fields[2]
                        done += 1
                        if done == len(left):
                            break
            if done == 0:
                sys.exit("the runner ended without a result")
            left = left[done:]


def selected(text, count):
    if not text:
        return range(1, count + 1)
    out = []
    for part in text.split(","):
        a, _, b = part.partition("-")
        out += range(int(a), int(b or a) + 1)
    return out


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--only")
    options.add_argument("--report")
    options.add_argument("--golden", default="")
    options.add_argument("--batches", type=int, default=12, help="of 100 seeds of the model")
    options.add_argument("--unchecked", action="store_true", help="no run without a mutation")
    options.add_argument("--check", action="store_true", help="only whether each line still has its code")
    given = options.parse_args()
    mutations = list(lines("mutations.txt", "file | from | to"))
    require_current([("mutation %d" % number, [each]) for number, each in enumerate(mutations, 1)])
    if given.check:
        return
    runner = Runner(given.golden, given.batches)
    for _, stage, failed in [] if given.unchecked else runner.run([(0, "")]):
        if stage != "survived":
            sys.exit("fails without a mutation: " + failed)
    numbers = list(selected(given.only, len(mutations)))
    rows = []
    start = began = time.time()
    for n, kind, failed in runner.run([(n, runner.source(n, mutations[n - 1])) for n in numbers]):
        name, old, new = mutations[n - 1]
        rows.append((n, name, old, new, kind, failed))
        print("%3d %-8s %5.1f s  %s | %s | %s  -> %s"
              % (n, kind, time.time() - began, name, old, new, failed), flush=True)
        began = time.time()
    shutil.rmtree(runner.work, ignore_errors=True)
    if given.report:
        write(given.report, rows, time.time() - start)


def write(report, rows, seconds):
    def code(text):
        return "`" + text.replace("|", "\\|") + "`" if text else "(dropped)"
    count = {k: sum(r[4] == k for r in rows) for k in ("golden", "model", "unit", "endless", "survived", "bad")}
    with open(report, "w") as out:
        out.write("# Mutations\n\nOne line of the scheduler or the KV cache changed at a time, by "
                  "`scripts/mutations.py`. Noticed first by: golden traces %d, the random model %d, "
                  "unit tests %d; never ending %d; by nobody %d. %d mutations in %d s.\n\n"
                  % (count["golden"], count["model"], count["unit"], count["endless"], count["survived"], len(rows),
                     seconds))
        out.write("| # | file | from | to | noticed by | which |\n|---|---|---|---|---|---|\n")
        for n, name, old, new, kind, failed in rows:
            out.write("| %d | %s | %s | %s | %s | %s |\n"
                      % (n, name, code(old), code(new), kind, failed))


if __name__ == "__main__":
    main()
