# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Known answer: several interpreters in one process, and one that runs inside another. Each leaf_…
adds its own stack, outermost function first, to the file ARGV[1], with those of the interpreters
around it, and then only spins, ARGV[2] seconds of CPU time. Exits with 77 where there are none."""
import sys
import time

try:
    import _interpreters as interpreters  # 3.13 and later
except ImportError:
    try:
        import _xxsubinterpreters as interpreters
    except ImportError:
        sys.exit(77)

# In each interpreter; "around" is what is around it.
SOURCE = """
import sys
import time


def stack():
    names, frame = [], sys._getframe(1)
    while frame:
        code = frame.f_code
        names.append(getattr(code, "co_qualname", code.co_name))  # 3.11 and later
        frame = frame.f_back
    return around + names[::-1]


def leaf_NAME():
    with open(OUT, "a") as out:
        out.write(";".join(stack()) + "\\n")
    end = time.thread_time() + SECONDS
    while time.thread_time() < end:
        for _ in range(1000):
            pass


def call_NAME():
    leaf_NAME()
"""


def source(name, around):
    said = f"around, OUT, SECONDS = {around!r}, {sys.argv[1]!r}, {float(sys.argv[2])!r}\n"
    return said + SOURCE.replace("NAME", name)


def run(interpreter, name):
    interpreters.run_string(interpreter, source(name, stack()) + f"\ncall_{name}()\n")


def both(older, newer):
    run(newer, "newer")
    run(older, "older")
    run(older, "again")


end = time.thread_time() + 0.02
while time.thread_time() < end:
    pass
time.sleep(0.7)  # whoever records has met this program by now, and knows where its functions are
exec(source("main", []))
exec(source("after", []))
exec(source("thread", []))
first = interpreters.create()
call_main()
second = interpreters.create()
both(first, second)
call_after()
interpreters.destroy(second)

import threading

thread = threading.Thread(target=leaf_thread)
thread.start()
thread.join()
