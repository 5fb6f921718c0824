#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""switches.py PMUBPF [SECONDS [OPTION...]]: what each of `stat`'s programs at switches takes a run, by the kernel's own
account (BPF_ENABLE_STATS, its clock readings included), beside an empty program at sched_switch in the same run. Two
processes wake each other on CPU 0, and a third one wants that CPU, too. OPTIONs instead of -a --neighbours."""
import ctypes
import os
import re
import signal
import subprocess
import sys
import time

BPF_PROG_LOAD, BPF_RAW_TRACEPOINT_OPEN, BPF_ENABLE_STATS, RAW_TRACEPOINT = 5, 17, 32, 17
libc = ctypes.CDLL(None, use_errno=True)


def bpf(command, attr):
    fd = libc.syscall(321, command, attr, len(attr))
    if fd < 0:
        sys.exit(f"bpf({command}): {os.strerror(ctypes.get_errno())}")
    return fd


def pointer(buffer):
    return ctypes.addressof(buffer).to_bytes(8, "little")


def empty_program():
    """r0 = 0; exit; at each switch. Its descriptor, and its attachment's."""
    code = ctypes.create_string_buffer(bytes.fromhex("b700000000000000" "9500000000000000"), 16)
    words, name = ctypes.create_string_buffer(b"GPL"), ctypes.create_string_buffer(b"sched_switch")
    attr = RAW_TRACEPOINT.to_bytes(4, "little") + (2).to_bytes(4, "little") + pointer(code) + pointer(words)
    program = bpf(BPF_PROG_LOAD, ctypes.create_string_buffer(attr + bytes(24), len(attr) + 24))
    attr = pointer(name) + program.to_bytes(4, "little") + bytes(4)
    return program, bpf(BPF_RAW_TRACEPOINT_OPEN, ctypes.create_string_buffer(attr, len(attr)))


def account(fdinfo):
    found = dict(re.findall(r"^(\w+):\s+(\d+)$", open(fdinfo).read(), re.M))
    return (found.get("prog_id"), int(found.get("run_cnt", 0)), int(found.get("run_time_ns", 0)))


def programs(pid):
    rows = {}
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        try:
            number, count, ns = account(f"/proc/{pid}/fdinfo/{fd}")
        except OSError:
            continue
        if number and count:
            rows[number] = (count, ns)
    return rows


def name_of(number):
    text = subprocess.run(["bpftool", "prog", "show", "id", number], capture_output=True, text=True).stdout
    found = re.search(r"name (\S+)", text)
    return found[1] if found else number


def wake_each_other():
    os.sched_setaffinity(0, {0})
    there, back = os.pipe(), os.pipe()
    if os.fork() == 0:
        while os.read(there[0], 1):
            os.write(back[1], b"x")
    while True:
        os.write(there[1], b"x")
        os.read(back[0], 1)


def spin():
    os.sched_setaffinity(0, {0})
    while True:
        pass


def started(what):
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        what()
    return pid


def main():
    pmubpf, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 3
    options = sys.argv[3:] or ["-a", "--neighbours"]
    bpf(BPF_ENABLE_STATS, ctypes.create_string_buffer(4))
    program, _ = empty_program()
    load = [started(wake_each_other), started(spin)]
    tool = subprocess.Popen([pmubpf, "stat", *options, "-e", "context-switches", "-d", str(seconds + 2)],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(1)
    empty = account(f"/proc/self/fdinfo/{program}")
    before, names = programs(tool.pid), {}
    for number in before:
        names[number] = name_of(number)
    time.sleep(seconds)
    after, empty_after = programs(tool.pid), account(f"/proc/self/fdinfo/{program}")
    tool.wait()
    for pid in load:
        os.killpg(pid, signal.SIGKILL)
    runs = empty_after[1] - empty[1]
    print(f"empty program at sched_switch: {(empty_after[2] - empty[2]) / max(runs, 1):.0f} ns, {runs} runs")
    for number, (count, ns) in sorted(after.items()):
        old = before.get(number, (0, 0))
        if count > old[0]:
            print(f"{names.get(number, number)}: {(ns - old[1]) / (count - old[0]):.0f} ns, {count - old[0]} runs")


main()
