#!/usr/bin/env python3
"""Restarts workers behind a router under load, and says what it cost.

    scripts/router-restart.py [--headway PROGRAM] [--rate 60] [--seconds 60] [outage|rolling]

outage   both workers are killed, one is started again 8 s later: row "all gone".
rolling  one after the other is killed and started again, 15 s apart: row "rolling restart".

Two `headway serve --executor simulated` and a `headway route` on free ports of this machine; the load
is `headway bench` with streams of 32 tokens. Prints a row: requests, refused by the router (503), failed otherwise,
most that were under way when a worker was killed, and seconds from the last worker's listening to the first
of 30 requests in a row that were all answered.
"""
import argparse
import csv
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(log, *words):
    return subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True)


def await_ready(url):
    while True:
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except OSError:
            time.sleep(0.05)


def kill(process):
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


class Cluster:
    def __init__(self, headway, log):
        self.headway, self.log = headway, log
        self.ports = [free_port(), free_port()]
        self.workers = [self.worker(port) for port in self.ports]
        self.router_port = free_port()
        for port in self.ports:
            await_ready(f"http://127.0.0.1:{port}/ready")
        workers = [f"http://127.0.0.1:{port}" for port in self.ports]
        self.router = start(log, headway, "route", "--port", str(self.router_port), "--workers", *workers)
        await_ready(f"http://127.0.0.1:{self.router_port}/health")
        self.under_way = 0

    def worker(self, port):
        # about a second for an answer of 32 tokens
        return start(self.log, self.headway, "serve", "--executor", "simulated", "--port", str(port),
                     "--latency", "30000000,1000,12000,44", "--max-num-seqs", "256")

    def kill(self, index):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.router_port}/metrics", timeout=5) as page:
                for line in page.read().decode().splitlines():
                    if line.startswith("headway_router_worker_in_flight") and f":{self.ports[index]}" in line:
                        self.under_way += int(float(line.rsplit(" ", 1)[1]))
        except OSError:
            pass
        kill(self.workers[index])

    def restart(self, index):
        self.workers[index] = self.worker(self.ports[index])
        await_ready(f"http://127.0.0.1:{self.ports[index]}/ready")

    def close(self):
        for process in [self.router, *self.workers]:
            if process.poll() is None:
                kill(process)


def run(what, headway, rate, seconds):
    with tempfile.TemporaryDirectory() as folder, open(Path(folder) / "log", "w") as log:
        cluster = Cluster(headway, log)
        try:
            out = Path(folder) / "bench"
            begun = time.monotonic()
            bench = start(log, headway, "bench", "-q", "--base-url", f"http://127.0.0.1:{cluster.router_port}",
                          "--num-prompts", str(rate * seconds), "--request-rate", str(rate), "--burstiness", "inf",
                          "--input-len", "16", "--output-len", "32", "--no-rehearsal", "--out", str(out))
            time.sleep(10)
            if what == "outage":
                cluster.kill(0)
                cluster.kill(1)
                time.sleep(8)
                cluster.restart(0)
            else:
                for index in (0, 1):
                    cluster.kill(index)
                    cluster.restart(index)
                    time.sleep(15)
            back = time.monotonic() - begun
            bench.wait()
            rows = list(csv.DictReader(open(out / "requests.csv")))
            return figures(what, rows, cluster.under_way, back, begun)
        finally:
            cluster.close()


def figures(what, rows, under_way, back, begun):
    good = [row for row in rows if not row["error"]]
    refused = [row for row in rows if "503" in row["error"]]
    sent = sorted(rows, key=lambda row: float(row["arrival_s"]))
    # bench begins to send a moment after it was started: the first request is its zero
    served_again = None
    for i, row in enumerate(sent):
        window = sent[i:i + 30]
        if row["error"]:
            served_again = None
        elif served_again is None and all(not each["error"] for each in window):
            served_again = float(row["arrival_s"])
    last_bad = max((float(row["arrival_s"]) for row in rows if row["error"]), default=None)
    return {
        "case": what, "requests": len(rows), "answered": len(good), "refused": len(refused),
        "failed": len(rows) - len(good) - len(refused), "under_way_at_kill": under_way,
        "back_at_s": round(back, 1), "last_bad_arrival_s": last_bad, "served_again_at_s": served_again,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", choices=["outage", "rolling"])
    parser.add_argument("--headway", default=str(ROOT / "headway"))
    parser.add_argument("--rate", type=int, default=60)
    parser.add_argument("--seconds", type=int, default=60)
    args = parser.parse_args()
    print(json.dumps(run(args.case, args.headway, args.rate, args.seconds)))


if __name__ == "__main__":
    main()
