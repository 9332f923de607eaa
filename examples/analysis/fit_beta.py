#!/usr/bin/env python3
"""Fits the time of a step to what it computes, the simplest way there is.

    ./headway training out/demo/journal -o out/training
    python3 examples/analysis/fit_beta.py out/training

Needs pandas (and numpy, which comes with it). Least squares on the first 70 % of the steps by time,
judged on the last 15 %; what lies between is left out, so that no request is in both.
"""
import sys
from pathlib import Path

try:
    import numpy as np
    import pandas as pd
except ImportError:
    sys.exit("fit_beta.py needs pandas: pip install pandas, or your system's python3-pandas")

if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "beta.csv").is_file():
    sys.exit("usage: fit_beta.py DIR   (the directory that holds beta.csv)")

rows = pd.read_csv(Path(sys.argv[1]) / "beta.csv").sort_values(["run", "begin_ns"])
rows = rows[~rows["warm_up"] & (rows["beta_forward_ns"] > 0)]
rows["context"] = rows["decode_context_sum"]
features = ["t_prefill", "n_decode", "context"]

x = np.column_stack([np.ones(len(rows)), rows[features].to_numpy(float)])
y = rows["beta_forward_ns"].to_numpy(float)
fit, held = slice(0, int(0.70 * len(rows))), slice(int(0.85 * len(rows)), None)

# divided by the measured time, so that a short step counts as much as a long one
coefficients, *_ = np.linalg.lstsq(x[fit] / y[fit, None], np.ones(len(y[fit])), rcond=None)
predicted = x[held] @ coefficients
error = np.abs(predicted - y[held]) / y[held]

for name, ns in zip(["fixed"] + features, coefficients):
    print(f"{name:<12}{ns:14.2f} ns")
print(f"held out    {len(y[held])} steps, MAPE {100 * error.mean():.2f} %,"
      f" P90 {100 * np.quantile(error, 0.9):.2f} %")
