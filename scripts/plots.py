#!/usr/bin/env python3
"""Draws the figures of site/concepts/policies.md from the CSV files of scripts/policy-study.sh.

    scripts/plots.py [out/policies [site/plots]]

Python's standard library only. Each figure is a dot plot: a row per policy, a mark per series, a
line for the 95 % interval, or the range of the seeds, where there is one. Equal files give equal bytes.
"""
import csv
import math
import sys
from collections import defaultdict
from pathlib import Path
from xml.sax.saxutils import escape

COLORS = ['#0072b2', '#d55e00', '#009e73', '#a0509a']
INK, FAINT = '#222222', '#d0d0d0'
WIDTH, LEFT, RIGHT, ROW, TOP, BOTTOM = 860, 230, 120, 50, 92, 52


def metrics(folder):
    """policy -> metric -> (value, low, high); low and high are None without an interval."""
    found = defaultdict(dict)
    with open(folder / 'policies.csv', newline='', encoding='utf-8') as file:
        for row in csv.DictReader(file):
            cells = [float(row[c]) if row[c] else None for c in ('value', 'low', 'high')]
            found[row['policy']][row['metric']] = cells
    return found


def of(found, policy, metric, factor=1.0):
    return [None if c is None else c * factor for c in found[policy].get(metric, [None] * 3)]


def percentile(values, percent):
    return sorted(values)[max(1, math.ceil(percent / 100 * len(values))) - 1] if values else None


def ticks(low, high, log):
    if log:
        first = [m * 10.0**e for e in range(-4, 7) for m in (1, 2, 5)]
        shown = [t for t in first if low <= t <= high]
        return shown if len(shown) <= 9 else [t for t in shown if f'{t:e}'[0] == '1']
    step = 10 ** math.floor(math.log10(high / 4 or 1))
    step = next(step * m for m in (1, 2, 2.5, 5, 10) if high / (step * m) <= 6)
    return [i * step for i in range(int(high / step) + 1)]


def number(value):
    return f'{value:,.0f}' if value >= 1000 else f'{value:g}'


def dot_plot(path, title, axis, rows, series, log=False, notes=None, note_title=''):
    """rows: [(label, [(value, low, high) per series])]; notes: a text per row, at the right."""
    cells = [c for _, marks in rows for mark in marks for c in mark if c is not None]
    if log:
        low, high = min(c for c in cells if c > 0) / 1.25, max(cells) * 1.25
    else:
        low, high = 0.0, max(cells) * 1.06
    height = TOP + ROW * len(rows) + BOTTOM
    plot = WIDTH - LEFT - RIGHT

    def x(value):
        if log:
            return LEFT + plot * math.log(max(value, low) / low) / math.log(high / low)
        return LEFT + plot * value / high

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"'
        f' font-family="system-ui, sans-serif" font-size="14" fill="{INK}">',
        f'<title>{escape(title)}</title>',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="16" y="26" font-size="17" font-weight="600">{escape(title)}</text>',
    ]
    at = 16.0
    for index, name in enumerate(series):
        out.append(mark(index, at + 6, 51))
        out.append(f'<text x="{at + 18:.0f}" y="56">{escape(name)}</text>')
        at += 44 + 7.4 * len(name)
    bottom = TOP + ROW * len(rows)
    for tick in ticks(low, high, log):
        out.append(f'<path d="M{x(tick):.1f} {TOP - 8}V{bottom}" stroke="{FAINT}"/>')
        out.append(
            f'<text x="{x(tick):.1f}" y="{bottom + 18}" text-anchor="middle">{number(tick)}</text>')
    out.append(f'<text x="{LEFT + plot / 2:.0f}" y="{bottom + 42}" text-anchor="middle">'
               f'{escape(axis)}</text>')
    if notes:
        out.append(f'<text x="{WIDTH - 16}" y="{TOP - 14}" text-anchor="end">{escape(note_title)}'
                   '</text>')
    for row, (label, marks) in enumerate(rows):
        y = TOP + ROW * row + ROW / 2
        out.append(f'<path d="M{LEFT} {y}H{WIDTH - RIGHT}" stroke="{FAINT}" stroke-dasharray="1 4"/>')
        out.append(f'<text x="{LEFT - 12}" y="{y + 5}" text-anchor="end">{escape(label)}</text>')
        for index, (value, first, last) in enumerate(marks):
            y = TOP + ROW * (row + 0.5) + 40 / len(marks) * (index - (len(marks) - 1) / 2)
            if value is None:
                continue
            if first is not None:
                out.append(f'<path d="M{x(first):.1f} {y}H{x(last):.1f}" stroke="{COLORS[index]}"'
                           ' stroke-width="3" stroke-opacity="0.55"/>')
            out.append(mark(index, x(value), y))
        if notes:
            y = TOP + ROW * (row + 0.5)
            out.append(
                f'<text x="{WIDTH - 16}" y="{y + 5}" text-anchor="end">{escape(notes[row])}</text>')
    path.write_text('\n'.join(out + ['</svg>', '']), encoding='utf-8')


def mark(index, x, y):
    """Shapes differ as well as colours."""
    fill = f'fill="{COLORS[index]}" stroke="#ffffff"'
    if index == 0:
        return f'<circle cx="{x:.1f}" cy="{y}" r="5" {fill}/>'
    if index == 1:
        return f'<rect x="{x - 4.5:.1f}" y="{y - 4.5}" width="9" height="9" {fill}/>'
    if index == 2:
        return f'<path d="M{x:.1f} {y - 6}l6 10h-12z" {fill}/>'
    return f'<path d="M{x:.1f} {y - 6}l6 6l-6 6l-6 -6z" {fill}/>'


def victims(data, plots):
    def mooncake(name, policy):
        return of(metrics(data / name), policy, 'recompute_tax', 100)

    def seeds(name, policy):
        taxes = sorted(of(metrics(data / f'{name}-{seed}'), policy, 'recompute_tax', 100)[0]
                       for seed in range(1, 6))
        return [taxes[2], taxes[0], taxes[4]]

    cases = [('Mooncake, no cache', mooncake, 'victims-mooncake'),
             ('Mooncake, cache', mooncake, 'victims-mooncake-cached'),
             ('long outputs, no cache', seeds, 'victims-long-outputs'),
             ('long outputs, cache', seeds, 'victims-long-outputs-cached')]
    rows = [(p, [case(name, p) for _, case, name in cases])
            for p in metrics(data / 'victims-mooncake')]
    dot_plot(plots / 'victims.svg', 'Which request is preempted: tokens computed again',
             'share of all computed tokens, % (logarithmic); line: least and most of 5 seeds', rows,
             [label for label, _, _ in cases], log=True)


def orders(data, plots):
    found = metrics(data / 'orders-short-long')
    names = ['ttft_short_p50', 'ttft_short_p99', 'ttft_long_p50', 'ttft_long_p99']
    rows = [(p, [of(found, p, n, 1e-9) for n in names]) for p in found]
    dot_plot(plots / 'orders.svg', 'Orders of admission: short and long prompts, 15 requests/s',
             'time to first token, s (logarithmic)', rows,
             ['short, p50', 'short, p99', 'long, p50', 'long, p99'], log=True,
             notes=[f'{100 * found[p]["goodput_share"][0]:.0f} %' for p in found],
             note_title='goodput')


def tenants(data, plots):
    found = metrics(data / 'orders-tenants')
    ttft = defaultdict(lambda: ([], []))
    with open(data / 'orders-tenants' / 'requests.csv', newline='', encoding='utf-8') as file:
        for row in csv.DictReader(file):
            if row['ttft_ns']:
                flooder = row['tenant'] == 'tenant-0'
                ttft[row['policy']][flooder].append(float(row['ttft_ns']) / 1e9)
    rows = [(p, [(percentile(ttft[p][who], q), None, None) for who in (0, 1) for q in (50, 99)])
            for p in found]
    dot_plot(plots / 'tenants.svg', 'A tenant floods: what the others feel',
             'time to first token, s (logarithmic)', rows,
             ['others, p50', 'others, p99', 'flooder, p50', 'flooder, p99'], log=True,
             notes=[f'{found[p]["jain"][0]:.2f}' for p in found], note_title="Jain's index")


def capacity(data, plots):
    pools = ['16', '9.6', '4.8']
    found = [metrics(data / f'capacity-{gib}') for gib in pools]
    names = {'engine(watermark=0.05)': 'optimistic, 5 % watermark'}
    rows = [(names.get(p, p), [of(m, p, 'tokens_per_second') for m in found]) for p in found[0]]
    dot_plot(plots / 'capacity.svg', 'What an admission leaves free, by size of the KV pool',
             'prompt and output tokens per second', rows,
             [f'{gib} GiB ({share} %)' for gib, share in zip(pools, (100, 60, 30))],
             notes=[f'{100 * found[2][p]["recompute_tax"][0]:.0f} %' for p in found[0]],
             note_title='tax at 30 %')


def itl(data, plots):
    found = metrics(data / 'itl')
    names = ['itl_p99', 'ttft_short_p99', 'ttft_long_p99']
    rows = [(p.replace('(itl-target-ms=', ', ').replace('engine(max-num-batched-tokens=', 'budget ')
             .replace(')', ' ms' if 'itl' in p else ' tokens'),
             [of(found, p, n, 1e-6) for n in names]) for p in found]
    dot_plot(plots / 'itl.svg', 'Time between tokens against time to the first, 10 requests/s',
             'ms (logarithmic)', rows,
             ['between tokens, p99', 'to the first, short, p99', 'to the first, long, p99'],
             log=True)


def main():
    data = Path(sys.argv[1] if len(sys.argv) > 1 else 'out/policies')
    plots = Path(sys.argv[2] if len(sys.argv) > 2 else 'site/plots')
    plots.mkdir(parents=True, exist_ok=True)
    for draw in (victims, orders, tenants, capacity, itl):
        draw(data, plots)


if __name__ == '__main__':
    main()
