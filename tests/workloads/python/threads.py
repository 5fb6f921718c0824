# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Known answer: threads called after what they do, each in a function of that name, for ARGV[1]
seconds of CPU time together. Linux calls them so, too."""
import ctypes
import sys
import threading
import time


def spin(end):
    while time.process_time() < end:
        for _ in range(1000):
            pass


def first(end):
    spin(end)


def second(end):
    spin(end)


def third(end):
    spin(end)


def begin(name, end):
    ctypes.CDLL(None).prctl(15, name.encode(), 0, 0, 0)
    globals()[name](end)


end = time.process_time() + float(sys.argv[1])
threads = [threading.Thread(target=begin, args=(n, end)) for n in ("first", "second", "third")]
for t in threads:
    t.start()
for t in threads:
    t.join()
