#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""bpf_ratio.py A B SECONDS: what a run of the overflow programs of process A costs, by what it costs in process B.

Both run meanwhile, at rates near each other, so that their runs alternate on the same threads: what the machine does
beside slows both. The ratio is taken in slices of SLICE_S; the median of them is printed, with A's and B's ns."""
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from bpf_stats import enable_stats, overflow_programs  # noqa: E402

SLICE_S = 0.1
RUNS_MIN = 50  # fewer in a slice tell nothing


def totals(pid):
    programs = overflow_programs(pid).values()
    return sum(runs for runs, _ in programs), sum(ns for _, ns in programs)


def ns_a_run(before, after):
    runs = after[0] - before[0]
    return (after[1] - before[1]) / runs if runs >= RUNS_MIN else None


def main():
    pids, seconds = sys.argv[1:3], float(sys.argv[3])
    enable_stats()
    slices = []
    before = [totals(pid) for pid in pids]
    for _ in range(round(seconds / SLICE_S)):
        time.sleep(SLICE_S)
        now = [totals(pid) for pid in pids]
        costs = [ns_a_run(b, n) for b, n in zip(before, now)]
        before = now
        if None not in costs:
            slices.append(costs)
    if not slices:
        sys.exit("bpf_ratio: too few runs")
    a, b = (statistics.median(cost) for cost in zip(*slices))
    print(f"{statistics.median(x / y for x, y in slices):.3f} {a:.0f} {b:.0f}")


main()
