#!/usr/bin/env python3
"""First look at a scheduling profile: slow decisions, tokens, and what a step's time goes with.

    ./headway profile out/demo/journal
    python3 examples/analysis/profile.py scheduler_profiling.jsonl

Needs pandas. Lines of vLLM's profiling fork work as well; what they lack is left out.
"""
import sys
from pathlib import Path

try:
    import pandas as pd
except ImportError:
    sys.exit("profile.py needs pandas: pip install pandas, or your system's python3-pandas")

if len(sys.argv) != 2 or not Path(sys.argv[1]).is_file():
    sys.exit("usage: profile.py FILE   (a profile: .jsonl or .jsonl.gz)")

steps = pd.read_json(sys.argv[1], lines=True)
schedule, run = steps["schedule_duration_ms"], steps["model_run_duration_ms"]

print(f"steps             {len(steps)}")
for name, ms in [("schedule", schedule), ("model run", run)]:
    p50, p95, p99 = ms.quantile([0.5, 0.95, 0.99])
    print(f"{name:<18}mean {ms.mean():.3f} ms, p50 {p50:.3f}, p95 {p95:.3f}, p99 {p99:.3f}")

total_ms = steps["total_step_duration_ms"].sum()
tokens = steps["total_scheduled_tokens"].sum()
print(f"throughput        {tokens / total_ms * 1000:.0f} tokens/s while busy")
if "result_ns" in steps:
    seconds = (steps["result_ns"].max() - steps["sched_begin_ns"].min()) / 1e9
    print(f"                  {tokens / seconds:.0f} tokens/s by the clock")

prompts = steps[steps["num_prefill_reqs"] > 0]
decodes = steps[steps["num_prefill_reqs"] == 0]
print(f"with prompts      {len(prompts)} steps, mean run {prompts[run.name].mean():.2f} ms")
print(f"decodes only      {len(decodes)} steps, mean run {decodes[run.name].mean():.2f} ms")
together = run.rank().corr(steps["total_scheduled_tokens"].rank())
print(f"rank correlation  {together:.3f} of run time and tokens")

print("slowest decisions")
for step in steps.nlargest(5, "schedule_duration_ms").itertuples():
    print(f"  batch {step.batch_id:>8}  {step.schedule_duration_ms:.3f} ms,"
          f" {step.num_waiting_reqs} waiting, {step.num_running_reqs} running")
