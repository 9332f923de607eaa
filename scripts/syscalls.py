#!/usr/bin/env python3
"""Lists what the programs open: every address they connect or bind a socket to, and every file they write.

  scripts/syscalls.py             headway demo, convert, serve with one request, and a stop by SIGTERM
  scripts/syscalls.py --keep DIR  keeps the traces there

Runs each under strace and compares with what it is asked for: files below its output folder and the JVM's own;
no address but the one that serve is told, and the C library's look-up of users. Exits with 1 and names what is
not expected. Needs strace (Debian: strace) and ./headway, which it builds.
"""
import argparse, collections, os, re, subprocess, sys, tempfile, urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CALLS = "connect,bind,open,openat,openat2,creat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,truncate"
# what a JVM opens without being told: its performance data, and pages of the system
JVM = re.compile(r"^(/tmp/hsperfdata_[^/]+(/\d+)?|/dev/(null|tty)|/proc/self/.*|/sys/.*)$")
USERS = r"^connect sa_family=AF_UNIX, sun_path=\"/var/run/nscd/socket\"$"
LINE = re.compile(r"^\d+\s+(?P<call>\w+)\((?P<args>.*)\)\s+=\s+(?P<result>-?\d+)")
PATH = re.compile(r'(?:<(?P<folder>[^>]*)>, )?"(?P<path>(?:[^"\\]|\\.)*)"')


def traced(trace, command, **more):
    return subprocess.Popen(["strace", "-f", "-qq", "-y", "-s", "4096", "-e", "trace=" + CALLS, "-e", "signal=none",
                             "-o", trace, *command], cwd=ROOT, **more)


def calls(trace):
    """The lines of a trace; those of calls that other threads interrupted are joined."""
    begun = {}
    for line in open(trace, errors="replace"):
        thread = line.split(None, 1)[0]
        if line.rstrip().endswith("<unfinished ...>"):
            begun[thread] = line.rstrip()[: -len("<unfinished ...>")]
        elif " resumed>" in line and thread in begun:
            yield begun.pop(thread) + line.split(" resumed>", 1)[1]
        else:
            yield line
    yield from (line + ") = 0" for line in begun.values())  # did not return: counts as done


def opened(trace):
    """How often each address was used, and the files by path."""
    sockets, files = collections.Counter(), set()
    for line in calls(trace):
        found = LINE.match(line)
        if not found:
            continue
        call, args, ok = found["call"], found["args"], int(found["result"]) >= 0
        if call in ("connect", "bind"):
            address = re.search(r"\{(.*)\}", args)
            sockets[call + " " + (address.group(1) if address else args)] += 1
        elif ok and (not call.startswith("open") or re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", args)):
            files.update(os.path.join(path["folder"] or ROOT, path["path"]) for path in PATH.finditer(args))
    return sockets, files


def report(name, trace, folder, allowed):
    sockets, files = opened(trace)
    below = {f for f in files if f.startswith(folder)}
    jvm = {f for f in files if JVM.match(f)}
    elsewhere = files - below - jvm
    strange = sorted(elsewhere) + sorted(s for s in sockets if not re.search(allowed + "|" + USERS, s))
    print("%-8s files below its folder: %d, of the JVM: %d, elsewhere: %d; addresses: %s" % (
        name, len(below), len(jvm), len(elsewhere), "; ".join(
            "%s (%d)" % pair for pair in sorted(sockets.items()) if not re.search(USERS, pair[0])) or "none"), flush=True)
    for what in strange:
        print("  not expected: " + what)
    return len(strange)


def serve(trace):
    """Starts a server, asks it once, stops it; returns its port."""
    server = traced(trace, ["./headway", "serve", "--executor", "simulated", "--port", "0"],
                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    port = None
    for line in server.stdout:
        if "address" in line:
            port = int(re.search(r"http://127\.0\.0\.1:(\d+)", line).group(1))
            break
    if port is None:
        sys.exit("serve has not started")
    body = b'{"prompt": "a", "max_tokens": 4}'
    asked = urllib.request.Request("http://127.0.0.1:%d/v1/completions" % port, body,
                                   {"Content-Type": "application/json"})
    with urllib.request.urlopen(asked, timeout=60) as answer:
        answer.read()
    subprocess.run(["pkill", "-TERM", "-P", str(server.pid)], check=False)
    server.wait(60)
    return port


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--keep", metavar="DIR")
    given = options.parse_args()
    subprocess.run(["./headway", "--version"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory() as made:
        traces = given.keep or made
        os.makedirs(traces, exist_ok=True)
        out = os.path.join(made, "demo")
        strange = 0
        commands = {"demo": ["./headway", "demo", "--output", out],
                    "convert": ["./headway", "convert", os.path.join(out, "journal"), "--output", os.path.join(made, "csv")]}
        for name, command in commands.items():
            trace = os.path.join(traces, name + ".strace")
            if traced(trace, command, stdout=subprocess.DEVNULL).wait():
                sys.exit(name + " failed")
            strange += report(name, trace, made, r"^$")
        trace = os.path.join(traces, "serve.strace")
        port = serve(trace)
        strange += report("serve", trace, made, r"^bind sa_family=AF_INET6?, sin6?_port=htons\((0|%d)\)" % port)
    return 1 if strange else 0


if __name__ == "__main__":
    sys.exit(main())
