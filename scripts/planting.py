"""Replaces pieces of source files by others: what mutations.py and planted-bugs.py share.

A list holds a change a line, its fields between " | ", comments behind "#"; "from" must occur once in
its file, and \\n in it stands for a line break.
"""
import os, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
SCHEDULER = "sdk-scheduler/src/main/java/dev/headway/scheduler/"
SHORT = {name + "/": SCHEDULER + name + "/" for name in ("core", "queue", "engine", "probes", "policy")}
SHORT["kvcache/"] = "sdk-kvcache/src/main/java/dev/headway/kvcache/"
SHORT["config/"] = "sdk-api/src/main/java/dev/headway/api/config/"


def jdk():
    return subprocess.check_output(["sh", os.path.join(HERE, "find-jdk.sh")], text=True).strip()


def lines(list_name, form, optional=0):
    """The fields of each line; form is "file | from | to", and optional ones at its end may be missing."""
    most = form.count(" | ") + 1
    for number, line in enumerate(open(os.path.join(HERE, list_name)), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in (line.rstrip("\n") + " ").split(" | ")]
        if not most - optional <= len(parts) <= most:
            sys.exit("%s:%d: %s" % (list_name, number, form))
        yield [part.replace("\\n", "\n") for part in parts] + [""] * (most - len(parts))


def path_of(name):
    for short, full in SHORT.items():
        if name.startswith(short):
            return full + name[len(short):]
    return name


def changed(changes):
    """The changed text of each file, by its path from the root; ValueError where "from" does not occur once."""
    texts = {}
    for name, old, new in changes:
        path = path_of(name)
        full = os.path.join(ROOT, path)
        text = texts.get(path) or (open(full).read() if os.path.exists(full) else "")
        if text.count(old) != 1:
            raise ValueError("'from' occurs %d times in %s: %s" % (text.count(old), name, old))
        texts[path] = text.replace(old, new)
    return texts


def require_current(changes_by_name):
    """All at once, before anything is compiled: a line of code changes, and what names it is no more."""
    stale = []
    for name, changes in changes_by_name:
        try:
            changed(changes)
        except ValueError as e:
            stale.append("%s: %s" % (name, e))
    if stale:
        sys.exit("\n".join(stale))


def write_changed(changes, folder):
    """Writes the changed files below a folder; returns their paths."""
    sources = []
    for path, text in changed(changes).items():
        copy = os.path.join(folder, path)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        open(copy, "w").write(text)
        sources.append(copy)
    return sources
