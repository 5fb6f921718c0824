# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Known answer: each leaf_… writes its own stack, outermost function first, each with the line on
which it stands, to the file ARGV[1], and then spins on one line for ARGV[2] seconds: that is the
leaf's own line there. Called from lines of many kinds. too_long, whose table doesn't travel whole,
is told without a line."""
import os
import sys
import time

OUT = open(sys.argv[1], "w")
SECONDS = float(sys.argv[2])
MADE = "<made>"


def tell():
    frame = sys._getframe(1)
    lines = []
    while frame:
        code = frame.f_code
        name = getattr(code, "co_qualname", code.co_name)  # 3.11 and later
        place = ":%s:%d" % (os.path.basename(code.co_filename), frame.f_lineno + (not lines))
        lines.append(name + (place if name != "too_long" else ""))
        frame = frame.f_back
    OUT.write(";".join(reversed(lines)) + "\n")
    OUT.flush()
    return time.thread_time() + SECONDS


LEAF = """
def leaf_{0}(*args):
    end = tell()
    while time.thread_time() < end: sum(range(300))
    return 1
"""
LEAVES = "plain multi recursion generator send lambdas comprehension exit class_body back far finally_ \
decorated long sort große".split()
for number, leaf in enumerate(LEAVES):
    exec(compile("\n" * 10 * number + LEAF.format(leaf), MADE, "exec"))


def plain():
    a = 1
    leaf_plain()  # here

    return a


def multi(a, b, c):
    return a + b + c


def multi_line():
    return multi(
        1,
        leaf_multi(
            2,
            3,
        )
        + 4,
        [5,
         6][0],
    )


def recurse(n):
    if not n:
        return leaf_recursion()
    if n % 3 == 0:
        return recurse(n - 1)
    if n % 3 == 1:
        return (1 +
                recurse(n - 1))
    return recurse(
        n - 1)


def generator():
    yield 1
    yield leaf_generator()

    yield 3


def outer_generator():
    yield 0
    yield from generator()


def sent():
    while True:
        got = yield
        if got == 3:
            leaf_send()


def generators():
    for _ in outer_generator():
        pass
    s = sent()
    next(s)
    s.send(2)
    s.send(3)


def lambdas():
    first, second = lambda: leaf_lambdas(), lambda: first()
    return (lambda: second())()


def comprehension():
    return [
        x
        for x in (1,
                  2)
        if x > 1 and
        leaf_comprehension(x)
    ]


class Manager:
    def __enter__(self):
        return self

    def __exit__(self, *what):
        leaf_exit()


def with_exit():
    with Manager() as m, \
            open("/dev/null"):
        m.a = 1
    return m


def class_body():
    class A:
        b = 1
        c = leaf_class_body()

    return A


def backwards():
    for i in range(3):
        if i == 2:
            continue
        try:
            raise ValueError
        except ValueError:
            if i == 1:
                leaf_back()


def finally_():
    try:
        return 1
    finally:
        leaf_finally_()


def decorate(f):
    def inner(*args):
        return f(*args)
    return inner


@decorate
@decorate
def decorated(a):

    """Far from where it began."""

    leaf_decorated(a)


def sort():
    sorted([1],
           key=leaf_sort)


def größe():
    x = "größe"; leaf_große(x)


def made(text):
    exec(compile(text, MADE, "exec"), globals())


# lines further away than one step of a table has; then a function whose table is too long to travel
made("def far():\n  a = 1\n" + "\n" * 1000 + "  leaf_far(\n" + "\n" * 200 + "a)\n  return a\nfar()\n")
for f in (plain, multi_line, lambda: recurse(7), generators, lambdas, comprehension, with_exit,
          class_body, backwards, finally_, lambda: decorated(1), sort, größe):
    f()
made("def too_long(a):\n" + "  a += 1; a -= 1\n\n" * 5000 + "  leaf_long()\ntoo_long(1)\n")
