# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Known answer: functions come and go at the same addresses all the time, for ARGV[1] seconds of
CPU time. f_N calls g_N, and that work_K, which stays, with K = N % 16. They are functions, methods, and
what a generator runs, in turn. Stacks are …;f_N;g_N;work_K."""
import sys
import time

# names of one length, so that memory is used again
FORMS = (
    """
def f_{n}():
    def g_{n}():
        work_{k}(6000)
    g_{n}()
f_{n}()
""",
    """
class c_{n}:
    def f_{n}(self):
        self.g_{n}()
    def g_{n}(self):
        work_{k}(6000)
c_{n}().f_{n}()
""",
    """
def g_{n}():
    work_{k}(6000)
    yield
def f_{n}():
    for _ in g_{n}():
        pass
f_{n}()
""",
)

for k in range(16):
    exec(f"def work_{k:02}(n):\n    for _ in range(n):\n        pass\n")


def main():
    end = time.thread_time() + float(sys.argv[1])
    n = 0
    while time.thread_time() < end:
        exec(FORMS[n % 3].format(n=f"{n:07}", k=f"{n % 16:02}"), dict(globals()))
        n += 1


main()
