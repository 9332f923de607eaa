#!/usr/bin/env python3
"""First look at a run: latencies, preemptions, KV cache, what requests waited for.

    python3 examples/analysis/analyze.py out/demo/csv

Needs pandas. Times in the files are integer nanoseconds since the start of the run; an empty cell
is an absent value, and manifest.json beside the files explains every column.
"""
import sys
from pathlib import Path

try:
    import pandas as pd
except ImportError:
    sys.exit("analyze.py needs pandas: pip install pandas, or your system's python3-pandas")

if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "per_request.csv").is_file():
    sys.exit("usage: analyze.py CSV_DIR   (the directory that holds per_request.csv)")

folder = Path(sys.argv[1])
requests = pd.read_csv(folder / "per_request.csv")
steps = pd.read_csv(folder / "per_iteration.csv")
events = pd.read_csv(folder / "events.csv", usecols=["timestamp", "event_type", "request_id"])
done = requests[requests["status"] == "finished"]

print(f"requests          {len(done)} finished, {len(requests) - len(done)} not")
for name, column in [("TTFT", "ttft"), ("TPOT", "tpot"), ("end to end", "e2e_latency")]:
    ms = done[column].dropna() / 1e6
    p50, p90, p99 = ms.quantile([0.5, 0.9, 0.99]) if len(ms) else (0, 0, 0)
    print(f"{name:<18}mean {ms.mean():.1f} ms, p50 {p50:.1f}, p90 {p90:.1f}, p99 {p99:.1f}")

preempted = (done["preemption_count"] > 0).mean() * 100
print(f"preempted         {preempted:.1f} % of requests, {done['preemption_count'].sum()} times")

used = steps["kv_cache_used"] / steps["kv_cache_total"]
mean_used = (used * steps["duration"]).sum() / max(1, steps["duration"].sum())
print(f"KV cache          {mean_used:.1%} used on average over time, {used.max():.1%} at most")

waits = done.filter(regex=r"^waiting_.*_ns$").select_dtypes("number").sum().sort_values()
for column, ns in waits[waits > 0][::-1].items():
    reason = column.removeprefix("waiting_").removesuffix("_ns")
    print(f"waiting           {ns / max(1, waits.sum()):6.1%}  {reason}")

print("latest preemptions")
preemptions = events[events["event_type"] == "request_preempted"].tail(5)
for event in preemptions.itertuples():
    print(f"  {event.timestamp / 1e9:12.3f} s  {event.request_id}")
if preemptions.empty:
    print("  none")
