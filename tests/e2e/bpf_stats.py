#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""bpf_stats.py COMMAND...: runs it while the kernel times BPF programs (BPF_ENABLE_STATS: the kernel stops when
this ends), and prints what it says of the overflow programs that the command held: runs, ns."""
import ctypes
import os
import platform
import re
import subprocess
import sys
import time

BPF_ENABLE_STATS = 32
SYS_BPF = {"x86_64": 321, "aarch64": 280, "riscv64": 280}[platform.machine()]


def enable_stats():
    attr = ctypes.create_string_buffer(4)  # type: BPF_STATS_RUN_TIME
    fd = ctypes.CDLL(None, use_errno=True).syscall(SYS_BPF, BPF_ENABLE_STATS, attr, len(attr))
    if fd < 0:
        sys.exit(f"BPF_ENABLE_STATS: {os.strerror(ctypes.get_errno())}")


def overflow_programs(pid):
    """What the kernel says of each program of type perf_event (7) that the process holds."""
    programs = {}
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        try:
            text = open(f"/proc/{pid}/fdinfo/{fd}").read()
        except OSError:
            continue
        found = dict(re.findall(r"^(\w+):\s+(\d+)$", text, re.M))
        if found.get("prog_type") == "7":
            programs[found["prog_id"]] = (int(found["run_cnt"]), int(found["run_time_ns"]))
    return programs


def main():
    enable_stats()
    child = subprocess.Popen(sys.argv[1:])
    last = {}
    while child.poll() is None:
        try:
            now = overflow_programs(child.pid)
        except OSError:
            now = {}
        last.update(now)
        time.sleep(0.02)
    print(sum(n for n, _ in last.values()), sum(ns for _, ns in last.values()))
    sys.exit(child.returncode)


if __name__ == "__main__":
    main()
