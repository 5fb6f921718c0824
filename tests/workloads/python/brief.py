# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# brief.py SECONDS: works for so much CPU time, and ends.
import sys
import time


def brief_leaf(n):
    total = 0
    for i in range(n):
        total += i * i
    return total


def brief_outer(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        brief_leaf(500)


brief_outer(float(sys.argv[1]))
