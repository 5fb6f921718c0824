# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Line tables of this Python's modules, and what the interpreter itself says of each instruction,
for tests/unit/test_python_lines.c: the version (u32), then records: u32 first line, size of the
table and number of instructions; the table; i32 line of each instruction (-1: none)."""
import ctypes
import os
import struct
import sys
import sysconfig
import types

FILES, INSTRUCTIONS = int(sys.argv[1]), 20000  # of one function

line_of = ctypes.pythonapi.PyCode_Addr2Line
line_of.argtypes = [ctypes.py_object, ctypes.c_int]
line_of.restype = ctypes.c_int


def code_within(code):
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from code_within(const)


def modules():
    for folder, folders, files in os.walk(sysconfig.get_paths()["stdlib"]):
        folders.sort()
        for name in sorted(files):
            if name.endswith(".py"):
                yield os.path.join(folder, name)


# Long lists, blank lines by the hundred, what runs backwards, code that nobody wrote.
MADE = [
    "x = [\n" + "f(\n1),\n" * 400 + "]\n",
    "a = 1\n" + "\n" * 700 + "b = 2\n",
    "def f(): return (g(\n\n\n1), h(\n2))\n",
    "def f():\n  try:\n    with a as b, c: pass\n  finally:\n    del b\n  return [x for x in y if x]\n",
    "f = lambda: (lambda: 1, lambda: 2,\n\n  lambda: 3)\n",
]


def main():
    out = sys.stdout.buffer
    out.write(struct.pack("I", sys.hexversion))
    done = 0
    for path in MADE + list(modules()):
        if done == FILES:
            break
        try:
            text = path if path in MADE else open(path, "rb").read()
            code = compile(text, "a.py", "exec")
        except (SyntaxError, ValueError, RecursionError):
            continue
        done += 1
        for c in code_within(code):
            table = c.co_linetable if sys.version_info >= (3, 10) else c.co_lnotab
            n = min(len(c.co_code) // 2, INSTRUCTIONS)
            out.write(struct.pack("III", c.co_firstlineno, len(table), n) + table)
            out.write(struct.pack(f"{n}i", *(line_of(c, 2 * i) for i in range(n))))


main()
