#!/usr/bin/env python3
"""Turns results of scripts/bench.sh into Markdown tables.

  scripts/bench-page.py                          tables of the latest results
  scripts/bench-page.py RESULT.json...           of these; of a benchmark in several, the last
  scripts/bench-page.py --into docs/benchmarks/README.md [RESULT.json...]
                                                puts them between the marks in that page

Nothing is rounded away: times have three digits, counters are given per what they count.
"""

import argparse
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "target" / "results"
BEGIN = "<!-- figures: made by scripts/bench-page.py, do not edit -->"
END = "<!-- /figures -->"

# Columns made of a benchmark's counters: title, counter, per counter, factor, digits.
COUNTERS = {
    "DecodeStepBenchmark": [("B per step", "allocatedBytes", "steps", 1, 2)],
    "CpuExecutorBenchmark": [("tokens/s", "tokens", "busyNs", 1e9, 1)],
    "PrefixLookupBenchmark": [("B per lookup", "allocatedBytes", "lookups", 1, 2)],
    "ClosedLoopBenchmark": [
        ("steps per request", "steps", "requests", 1, 2),
        ("preemptions per request", "preemptions", "requests", 1, 3),
        ("recomputed tokens, %", "recomputedTokens", "computedTokens", 100, 2),
        ("B per step", "allocatedBytes", "steps", 1, 1),
        ("B per request", "allocatedBytes", "requests", 1, 0),
    ],
}


def number(value, digits=3):
    """A number with so many significant digits and thousands separators."""
    if value == 0:
        return "0"
    if abs(value) >= 10 ** (digits - 1):
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def score(metric):
    error = metric["scoreError"]
    text = number(metric["score"])
    # JMH writes NaN where one iteration leaves nothing to say of the error
    return text if error in ("NaN", None) or error != error else f"{text} ± {number(error, 2)}"


def ratio(metrics, counter, per, factor, digits):
    if counter not in metrics or per not in metrics or not metrics[per]["score"]:
        return "–"
    return f"{factor * metrics[counter]['score'] / metrics[per]['score']:,.{digits}f}"


def order(text):
    return (0, float(text), "") if text.replace(".", "", 1).isdigit() else (1, 0.0, text)


def table(name, runs):
    class_name = name.rsplit(".", 1)[0]
    params = list(runs[0].get("params", {}))
    runs = sorted(runs, key=lambda run: [order(run["params"][param]) for param in params])
    unit = runs[0]["primaryMetric"]["scoreUnit"].split("/")[0]
    extra = COUNTERS.get(class_name, [])
    heads = params + [unit] + [title for title, *_ in extra]
    lines = [f"### {name}", "", row(heads), "|" + "---:|" * len(heads)]
    for run in runs:
        cells = [run["params"][param] for param in params]
        cells.append(score(run["primaryMetric"]))
        cells += [ratio(run["secondaryMetrics"], *columns) for _, *columns in extra]
        lines.append(row(cells))
    return "\n".join(lines)


def row(cells):
    return "| " + " | ".join(cells) + " |"


def machine(path):
    notes = path.with_suffix(".txt")
    return "```\n" + notes.read_text().strip() + "\n```\n" if notes.exists() else ""


def page(paths):
    latest = {}
    for path in paths:
        for run in json.loads(path.read_text()):
            name = ".".join(run["benchmark"].rsplit(".", 2)[1:])
            latest[name, json.dumps(run.get("params", {}), sort_keys=True)] = run
    by_name = {}
    for (name, _), run in latest.items():
        by_name.setdefault(name, []).append(run)
    parts = [machine(path) for path in paths]
    parts += [table(name, runs) + "\n" for name, runs in sorted(by_name.items())]
    return "\n".join(part for part in parts if part)


def put_into(target, text):
    old = target.read_text()
    if BEGIN not in old or END not in old:
        sys.exit(f"bench-page: {target} must contain '{BEGIN}' and '{END}'")
    head, rest = old.split(BEGIN, 1)
    target.write_text(f"{head}{BEGIN}\n\n{text}\n{END}{rest.split(END, 1)[1]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--into", type=pathlib.Path, metavar="PAGE.md")
    parser.add_argument("results", nargs="*", type=pathlib.Path, metavar="RESULT.json")
    arguments = parser.parse_args()
    paths = arguments.results or sorted(RESULTS.glob("*.json"))[-1:]
    if not paths:
        sys.exit(f"bench-page: no results in {RESULTS}; run scripts/bench.sh first")
    text = page(paths)
    if arguments.into:
        put_into(arguments.into, text)
    else:
        print(text)


if __name__ == "__main__":
    main()
