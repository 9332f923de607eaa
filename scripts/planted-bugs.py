#!/usr/bin/env python3
"""Plants one fault at a time and counts the seeds after which the simulation with faults finds it.

  scripts/planted-bugs.py [--only NAME,NAME] [--seeds 2000] [--steps 1000] [--report docs/planted-bugs.md]

scripts/planted-bugs.txt holds the faults. The changed classes are compiled in front of the class path
of scripts/faultsim.sh, which must have been built; the checkout is never changed. Exit code 1 if a
fault is not found or does not compile, or if the simulation finds one where none is planted.
"""
import argparse, glob, os, re, subprocess, sys, tempfile, time

from planting import HERE, ROOT, jdk, lines, require_current, write_changed

LIMIT_S = 300


class Fault:
    def __init__(self, name, seed):
        self.name, self.seed, self.what, self.changes = name, seed, "", []


def read_faults():
    faults = {}
    for name, file, old, new, what in lines("planted-bugs.txt", "name | file | from | to | what it is", optional=1):
        name, _, seed = name.partition("@")
        fault = faults.setdefault(name, Fault(name, int(seed or 1)))
        fault.what = fault.what or what
        fault.changes.append((file, old, new))
    return list(faults.values())


class Simulation:
    def __init__(self, seeds, steps):
        self.home = jdk()
        target = os.path.join(ROOT, "apps/faultsim/target")
        self.jars = glob.glob(target + "/headway-app-faultsim-*.jar") + glob.glob(target + "/lib/*.jar")
        if not self.jars:
            sys.exit("build first: ./mvnw -B -ntp -DskipTests -pl apps/faultsim -am package")
        self.seeds = seeds
        self.arguments = ["--steps", str(steps), "--no-shrink", "--rerun", "10",
                          "--stall-seconds", "30", "-q"]

    def compile(self, sources, folder):
        """Returns what the compiler refuses, or ""."""
        done = subprocess.run([self.home + "/bin/javac", "-nowarn", "-proc:none", "-d", folder, "-cp",
                               ":".join(self.jars)] + sources, capture_output=True, text=True)
        return done.stderr.strip() if done.returncode else ""

    def run(self, folder, seed=1):
        """Returns what was found, or "" for nothing."""
        seeds = "%d..%d" % (seed, seed + self.seeds - 1)
        command = ["sh", os.path.join(HERE, "faultsim.sh"), "--seeds", seeds] + self.arguments
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
    options.add_argument("--check", action="store_true", help="only whether each line still has its code")
    given = options.parse_args()
    all_faults = read_faults()
    require_current([(fault.name, fault.changes) for fault in all_faults])
    if given.check:
        return
    simulation = Simulation(given.seeds, given.steps)
    wanted = [n for n in given.only.split(",") if n]
    faults = [f for f in all_faults if not wanted or f.name in wanted]
    unplanted = simulation.run(os.path.join(ROOT, "apps/faultsim/target/classes"))
    if unplanted:
        sys.exit("found without a fault: " + first_line(unplanted))
    rows, missed = [], 0
    for fault in faults:
        began = time.time()
        with tempfile.TemporaryDirectory(prefix="planted.") as folder:
            classes = os.path.join(folder, "classes")
            os.makedirs(classes)
            refused = simulation.compile(write_changed(fault.changes, folder), classes)
            found = "" if refused else simulation.run(classes, fault.seed)
        seed = re.search(r"seed[= ](\d+)", found)
        missed += 0 if found else 1
        rows.append((fault.name, fault.what, seed.group(1) if seed else "",
                     first_line(found or refused) or "not found"))
        print("%-22s %-8s %5.1f s  %s" % (fault.name, seed.group(1) if seed else "-", time.time() - began,
                                         rows[-1][3]), flush=True)
    if given.report:
        write(given, rows, missed)
    print("%d of %d faults found" % (len(rows) - missed, len(rows)))
    sys.exit(1 if missed else 0)


def write(given, rows, missed):
    with open(os.path.join(ROOT, given.report), "w") as out:
        out.write("# Planted faults\n\nThe simulation with faults (`scripts/faultsim.sh`) against one fault at a time, by "
                  "`scripts/planted-bugs.py`: seeds 1 to %d of %d steps each, every tenth of them twice; a fault that needs a rare "
                  "seed is looked for from that seed on. The first "
                  "group are failures that were reported of other servers, by project and number of the report; the "
                  "second were mended here. %d of %d are found.\n\n"
                  % (given.seeds, given.steps, len(rows) - missed, len(rows)))
        out.write("| fault | what it is | seed | found as |\n|---|---|---:|---|\n")
        for row in rows:
            out.write("| %s | %s | %s | %s |\n" % row)


if __name__ == "__main__":
    main()
