# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Known answer: function_60, function_30 and function_10 have these shares of the thread's time; what
they really had is written to the file ARGV[1], as "function nanoseconds"."""
import sys
import time

spent = {}


def spin(n):
    for _ in range(n):
        pass


def function_60(n):
    spin(6 * n)


def function_30(n):
    spin(3 * n)


def function_10(n):
    spin(n)


def main():
    end = time.thread_time() + float(sys.argv[2])
    while time.thread_time() < end:
        for f in (function_60, function_30, function_10):
            before = time.thread_time_ns()
            f(20000)
            spent[f.__name__] = spent.get(f.__name__, 0) + time.thread_time_ns() - before


main()
with open(sys.argv[1], "w") as out:
    for name, ns in spent.items():
        out.write(f"{name} {ns}\n")
