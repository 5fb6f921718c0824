# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Known answer: functions come and go at the same addresses all the time, for ARGV[1] seconds; those
called even_… call work_even, those called odd_… call work_odd."""
import sys
import time


def work_even(n):
    for _ in range(n):
        pass


def work_odd(n):
    for _ in range(n):
        pass


def main():
    end = time.thread_time() + float(sys.argv[1])
    i = 0
    while time.thread_time() < end:
        kind = "odd" if i % 2 else "even"
        # names of one length, so that memory is used again
        name = f"{kind:_<4}_{i % 10000:04}"
        here = {f"work_{kind}": globals()[f"work_{kind}"]}
        exec(f"def {name}():\n    work_{kind}(3000)\n{name}()\n", here)
        i += 1


main()
