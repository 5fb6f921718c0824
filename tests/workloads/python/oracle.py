# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Known answer: each leaf_… writes its own stack, outermost function first, to the file ARGV[1], and
then only spins, calling nothing that is Python. Through classes, closures, generators, callbacks of
C, recursion of ARGV[2] levels. Several leaves, one after the other, ARGV[3] seconds each."""
import functools
import sys
import time

OUT = open(sys.argv[1], "w")
DEPTH = int(sys.argv[2])
SECONDS = float(sys.argv[3])


def tell():
    names, frame = [], sys._getframe(1)
    while frame:
        code = frame.f_code
        names.append(getattr(code, "co_qualname", code.co_name))  # 3.11 and later
        frame = frame.f_back
    OUT.write(";".join(reversed(names)) + "\n")
    OUT.flush()


def leaf_callback(_):
    tell()
    end = time.thread_time() + SECONDS
    while time.thread_time() < end:
        for _ in range(1000):
            pass
    return 0


def leaf_generator():
    tell()
    end = time.thread_time() + SECONDS
    while time.thread_time() < end:
        for _ in range(1000):
            pass
    yield 1


def leaf_größe(x):
    tell()
    end = time.thread_time() + SECONDS
    while time.thread_time() < end:
        for _ in range(1000):
            pass
    return x


class Outer:
    class Inner:
        def method(self):
            return sorted([1], key=leaf_callback)

        @classmethod
        def through_generator(cls):
            return sum(x for x in leaf_generator())

        @property
        def through_partial(self):
            return functools.reduce(lambda a, b: leaf_größe(a + b), [1, 2])


def recurse(n, then):
    if n:
        return recurse(n - 1, then)
    return then()


def recurse_through_c(n, then):
    if n:
        return list(map(lambda _: recurse_through_c(n - 1, then), [0]))
    return then()


def main():
    inner = Outer.Inner()
    recurse(DEPTH, inner.method)
    recurse_through_c(DEPTH // 4, inner.through_generator)
    (lambda: inner.through_partial)()


main()
