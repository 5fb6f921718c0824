#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compares each operand in memory that objdump sees in a file with what the decoder says.

compare.py DECODE OBJDUMP-ARGUMENTS…: prints how many instructions, operands, and unknown ones there were, and
the first that differ. What it looks at: length, segment, base, index, scale, displacement, size."""
import collections
import re
import subprocess
import sys

SIZES = {"BYTE": 1, "WORD": 2, "DWORD": 4, "FWORD": 6, "QWORD": 8, "TBYTE": 10, "XMMWORD": 16, "OWORD": 16, "YMMWORD": 32,
         "ZMMWORD": 64}
# address only, or nothing that is read or written as data
NO_DATA = re.compile(r"^(?:data16 |[c-g]s |ss |notrack |repn?z |rex\S* )*(lea|nop|prefetch|endbr|bnd[a-z]|clflush|clwb|cldemote)")
# stated by objdump without brackets' size, or of operands that the decoder takes as implicit
IMPLICIT = re.compile(r"\b(movs|stos|lods|scas|cmps|ins|outs|xlat|maskmov(q|dqu))[bwdq]?\b")
OPERAND = re.compile(r"(?:(\w+) (?:PTR|BCST) )?(?:(\w\w):)?\[([^\]]*)\]")


def number(text):
    value = int(text, 16)
    return value - 2**64 if value >= 2**63 else value


def wide(reg):
    """64-bit name of a 32-bit one (67 prefix)."""
    if reg.startswith("e"):
        return "r" + reg[1:]
    return reg[:-1] if reg.endswith("d") and reg[0] == "r" else reg


def parse(text):
    """(segment, base, index, scale, disp) of what stands in brackets."""
    base = index = ""
    scale, disp = 1, 0
    for sign, term in re.findall(r"([+-]?)([^+-]+)", text):
        if "*" in term:
            index, factor = term.split("*")
            index, scale = wide(index), int(factor)
        elif term.startswith("0x"):
            disp += -number(term) if sign == "-" else number(term)
        else:
            base = wide(term)
    if index in ("riz", "eiz"):
        index = ""
    return base, index, scale if index else 1, disp


def instructions(args):
    command = ["objdump", "-d", "-w", "-M", "intel", "--insn-width=16"] + args
    out = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    for line in out.stdout:
        parts = line.rstrip("\n").split("\t")
        if len(parts) >= 3 and parts[0].endswith(":"):
            yield parts


def distinct(args):
    """{code: [how often, address, text]}: the decoder knows nothing of where an instruction stands."""
    found = {}
    for address, code, text, *_ in instructions(args):
        if code in found:
            found[code][0] += 1
        elif "bad)" not in text and "bad}" not in text:
            found[code] = [1, address.strip(), text.split("#")[0].split("<")[0].strip()]
    return found


def expected(text):
    """What objdump says, or None if there is nothing to compare."""
    m = OPERAND.search(re.sub(r"\b(fs|gs|ds|es|ss|cs):(0x[0-9a-f]+)", r"\1:[\2]", text))
    if not m or NO_DATA.match(text) or IMPLICIT.search(text):
        return None
    base, index, scale, disp = parse(m.group(3))
    segment = m.group(2) if m.group(2) in ("fs", "gs") else ""
    return segment, base, index, scale, (disp + 2**31) % 2**32 - 2**31, SIZES.get(m.group(1))


def decoded(text):
    m = re.match(r"(\w*):(\w*)\+(\w*)\*(\d+)([+-]\d+):(\d+):(\w+)", text)
    return m.group(1), m.group(2), m.group(3), int(m.group(4)), int(m.group(5)), int(m.group(6))


def main():
    decode, args = sys.argv[1], sys.argv[2:]
    found = {code.replace(" ", ""): what for code, what in distinct(args).items()}
    answers = subprocess.run([decode], input="\n".join(found) + "\n", capture_output=True, text=True,
                             check=True).stdout.splitlines()
    counts, shown = collections.Counter(), collections.Counter()
    for (code, (times, address, text)), answer in zip(found.items(), answers):
        counts["instructions"] += times
        words = answer.split()
        want = expected(text)
        name = text.split()[0] if text else ""
        problem = None
        if words[0] != str(len(code) // 2):
            # prefixes of nothing, which are bytes of data, and fwait, which objdump takes for a part of what follows
            if not re.match(r"(rex\S*|\.byte \S+|fw?st\S*|f\S+ .*)( |$)", text) or (text[0] == "f" and code[:2] != "9b"):
                problem = "length"
        elif words[1:2] == ["?"]:
            counts["unknown"] += times
            shown["unknown " + name] += times
        elif want:
            counts["operands"] += times
            if ":" not in words[1]:
                problem = "no operand"
            else:
                have = decoded(words[1])
                vector = re.search(r"[xyz]mm", want[2])
                if vector:
                    want = want[:2] + (have[2],) + want[3:]
                if want[5] is None or name.startswith(("vpcompress", "vcompress", "vpexpand", "vexpand")) and want[5] < have[5]:
                    want = want[:5] + (have[5],)
                if have != want:
                    problem = "operand"
        elif not IMPLICIT.search(text) and any(":" in w for w in words[1:]) and not re.match(
                r"^(?:data16 |bnd |notrack |rex\S* |repn?z |addr32 |[c-g]s |ss )*(push|pop|call|ret|leave)", text):
            problem = "an operand that is none"
        if problem:
            counts["wrong"] += times
            shown["wrong " + name] += 1
            if shown["wrong " + name] <= 2 and counts["wrong"] < 200:
                print(f"{problem}: {address} {code} {text}: {answer}")
    print(" ".join(f"{k} {counts[k]}" for k in ("instructions", "operands", "unknown", "wrong")))
    for name, n in shown.most_common(40):
        if "-v" in sys.argv or name.startswith("unknown"):
            print(f"  {name}: {n}")


main()
