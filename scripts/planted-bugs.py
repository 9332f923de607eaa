#!/usr/bin/env python3
"""Plants one fault at a time and counts the seeds after which the simulation with faults finds it.

  scripts/planted-bugs.py [--only NAME,NAME] [--seeds 2000] [--steps 1000] [--report docs/planted-bugs.md]

scripts/planted-bugs.txt holds the faults. The changed classes are compiled in front of the class path
of scripts/faultsim.sh, which must have been built; the checkout is never changed. Exit code 1 if a
fault is not found, or if the simulation finds one where none is planted.
"""
import argparse, glob, os, re, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
SCHEDULER = "sdk-scheduler/src/main/java/dev/headway/scheduler/"
SHORT = {name + "/": SCHEDULER + name + "/" for name in ("core", "queue", "engine", "probes", "policy")}
SHORT["kvcache/"] = "sdk-kvcache/src/main/java/dev/headway/kvcache/"
LIMIT_S = 300


class Fault:
    def __init__(self, name):
        self.name, self.what, self.changes = name, "", []


def read_faults():
    faults = {}
    for number, line in enumerate(open(os.path.join(HERE, "planted-bugs.txt")), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [p.strip() for p in (line.rstrip("\n") + " ").split(" | ")]
        if len(parts) == 4:
            parts.append("")
        if len(parts) != 5:
            sys.exit("planted-bugs.txt:%d: name | file | from | to | what it is" % number)
        name, file, old, new, what = parts
        fault = faults.setdefault(name, Fault(name))
        fault.what = fault.what or what
        fault.changes.append((file, old.replace("\\n", "\n"), new.replace("\\n", "\n")))
    return list(faults.values())


def path_of(name):
    for short, full in SHORT.items():
        if name.startswith(short):
            return full + name[len(short):]
    return name


def changed_sources(fault, folder):
    texts = {}
    for file, old, new in fault.changes:
        path = path_of(file)
        text = texts.get(path) or open(os.path.join(ROOT, path)).read()
        if text.count(old) != 1:
            sys.exit("%s: 'from' occurs %d times in %s: %s" % (fault.name, text.count(old), file, old))
        texts[path] = text.replace(old, new)
    sources = []
    for path, text in texts.items():
        copy = os.path.join(folder, path)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        open(copy, "w").write(text)
        sources.append(copy)
    return sources


class Simulation:
    def __init__(self, seeds, steps):
        self.home = subprocess.check_output(["sh", os.path.join(HERE, "find-jdk.sh")], text=True).strip()
        target = os.path.join(ROOT, "apps/faultsim/target")
        self.jars = glob.glob(target + "/headway-app-faultsim-*.jar") + glob.glob(target + "/lib/*.jar")
        if not self.jars:
            sys.exit("build first: ./mvnw -B -ntp -DskipTests -pl apps/faultsim -am package")
        self.arguments = ["--seeds", "1..%d" % seeds, "--steps", str(steps), "--no-shrink", "--rerun", "10",
                          "--stall-seconds", "30", "-q"]

    def compile(self, sources, folder):
        done = subprocess.run([self.home + "/bin/javac", "-nowarn", "-proc:none", "-d", folder, "-cp",
                               ":".join(self.jars)] + sources, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)

    def run(self, folder):
        """Returns what was found, or "" for nothing."""
        command = ["sh", os.path.join(HERE, "faultsim.sh")] + self.arguments
        own = dict(os.environ, FAULTSIM_CLASSES=folder, FAULTSIM_OPTS="-XX:+UseSerialGC -Xmx1g")
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, env=own)
        except subprocess.TimeoutExpired:
            return "no end within %d s" % LIMIT_S
        text = (done.stdout + done.stderr).strip()
        return text or "exit code %d" % done.returncode if done.returncode else ""


def first_line(text):
    return re.sub(r"\s+", " ", text.split("\n")[0])[:160].replace("|", "\\|")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--only", default="")
    options.add_argument("--seeds", type=int, default=2000)
    options.add_argument("--steps", type=int, default=1000)
    options.add_argument("--report")
    given = options.parse_args()
    simulation = Simulation(given.seeds, given.steps)
    wanted = [n for n in given.only.split(",") if n]
    faults = [f for f in read_faults() if not wanted or f.name in wanted]
    unplanted = simulation.run(os.path.join(ROOT, "apps/faultsim/target/classes"))
    if unplanted:
        sys.exit("found without a fault: " + first_line(unplanted))
    rows, missed = [], 0
    for fault in faults:
        began = time.time()
        with tempfile.TemporaryDirectory(prefix="planted.") as folder:
            classes = os.path.join(folder, "classes")
            os.makedirs(classes)
            simulation.compile(changed_sources(fault, folder), classes)
            found = simulation.run(classes)
        seed = re.search(r"seed[= ](\d+)", found)
        missed += 0 if found else 1
        rows.append((fault.name, fault.what, seed.group(1) if seed else "", first_line(found) or "not found"))
        print("%-22s %-8s %5.1f s  %s" % (fault.name, seed.group(1) if seed else "-", time.time() - began,
                                         rows[-1][3]), flush=True)
    if given.report:
        write(given, rows, missed)
    print("%d of %d faults found" % (len(rows) - missed, len(rows)))
    sys.exit(1 if missed else 0)


def write(given, rows, missed):
    with open(os.path.join(ROOT, given.report), "w") as out:
        out.write("# Planted faults\n\nThe simulation with faults (`scripts/faultsim.sh`) against one fault at a time, by "
                  "`scripts/planted-bugs.py`: seeds 1 to %d of %d steps each, every tenth of them twice. The first "
                  "group are failures that were reported of other servers, by project and number of the report; the "
                  "second were mended here. %d of %d are found.\n\n"
                  % (given.seeds, given.steps, len(rows) - missed, len(rows)))
        out.write("| fault | what it is | seed | found as |\n|---|---|---:|---|\n")
        for row in rows:
            out.write("| %s | %s | %s | %s |\n" % row)


if __name__ == "__main__":
    main()
