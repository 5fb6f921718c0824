#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""bpf_cost.py COMMAND...: runs it while the kernel times BPF programs, and prints for each that it held: name, runs, ns
a run. (The kernel's clock readings are in it, some 20 ns.)"""
import json
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from bpf_stats import enable_stats  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


def programs(pid):
    found = {}
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        try:
            text = open(f"/proc/{pid}/fdinfo/{fd}").read()
        except OSError:
            continue
        words = dict(re.findall(r"^(\w+):\s+(\d+)$", text, re.M))
        if "run_cnt" in words:
            found[words["prog_id"]] = (int(words["run_cnt"]), int(words["run_time_ns"]))
    return found


def main():
    enable_stats()
    bpftool = subprocess.check_output([f"{HERE}/../../mk/find-bpftool.sh"], text=True).strip()
    child = subprocess.Popen(sys.argv[1:])
    last, names = {}, {}
    while child.poll() is None:
        try:
            last.update(programs(child.pid))
        except OSError:
            pass
        for number in last:
            if number not in names:
                shown = subprocess.run([bpftool, "-j", "prog", "show", "id", number], capture_output=True, text=True)
                names[number] = json.loads(shown.stdout).get("name", number) if shown.returncode == 0 else number
        time.sleep(0.05)
    for number, (runs, ns) in sorted(last.items(), key=lambda item: -item[1][0]):
        if runs:
            print(f"  {names[number]:16} {runs:9} runs {ns / runs:7.1f} ns")


main()
