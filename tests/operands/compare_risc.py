#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compares what the decoder says of a file's instructions with what llvm-objdump prints of them.

compare_risc.py DECODE arm64|riscv64 OBJDUMP FILE: prints how many instructions, operands, branches and unknown ones
there were, and the first that differ. What it looks at: of operands in memory base, index, how that is extended,
scale, displacement, size and direction; that registers that are named as results are said to be written, and those
that a number is added to; where branches lead."""
import collections
import re
import subprocess
import sys

LINE = re.compile(r"\s*([0-9a-f]+):\s((?:[0-9a-f]{2} ?)+)\s+(\S+)\s*(.*)")
SIZES_OF_REG = {"b": 1, "h": 2, "s": 4, "w": 4, "d": 8, "x": 8, "q": 16}
RISCV = ("zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6").split()


def instructions(objdump, arch, path):
    # llvm-objdump 14 prints an arm64 instruction's bytes in their order
    out = subprocess.Popen([objdump, "-d", "--mattr=+v8.5a" if arch == "arm64" else "--mattr=+a,+m,+c,+d,+f", path],
                           stdout=subprocess.PIPE, text=True)
    for line in out.stdout:
        m = LINE.match(line)
        if m:
            yield int(m[1], 16), m[2].replace(" ", ""), m[3], m[4].split("//")[0].split("<")[0].strip()


class Arm64:
    @staticmethod
    def reg(text):
        text = text.strip()
        if text in ("sp", "wsp"):
            return 31
        m = re.fullmatch(r"[xw](\d+)", text)
        return int(m[1]) if m else None

    @classmethod
    def memory(cls, address, name, ops):
        """(base, index, extend, scale, disp, size, access), or None."""
        if not re.match(r"ld(?!g)|st(?!g|2g|z)|stgp|swp|cas", name):
            return None
        m = re.search(r"\[([^\]]*)\](!?)(?:, (.*))?$", ops)
        literal = re.match(r"ldr(sw)?$", name) and not m
        if not m and not literal:
            return None
        first = ops.split(",")[0].strip()
        if literal:
            target = int(re.search(r"(0x[0-9a-f]+|#-?\d+|-?0x[0-9a-f]+)$", ops)[1].lstrip("#"), 0)
            size = 4 if name == "ldrsw" else SIZES_OF_REG[first[0]]
            if "#" in ops:
                target += address
            return ("rip", "", "", 1, target - address - 4, size, "load")
        parts = [p.strip() for p in m[1].split(",")]
        base, index, extend, scale, disp = cls.reg(parts[0]), "", "", 1, 0
        if len(parts) > 1 and parts[1].startswith("#"):
            disp = int(parts[1][1:], 0)
        elif len(parts) > 1:
            number = cls.reg(parts[1])
            index = number if parts[1] not in ("xzr", "wzr") else ""
            tail = parts[2] if len(parts) > 2 else ""
            if "uxtw" in tail:
                extend = "u"
            if "sxtw" in tail:
                extend = "s"
            shift = re.search(r"#(\d+)", tail)
            scale = 1 << int(shift[1]) if shift else 1
            if index == "":
                extend, scale = "", 1
        size = cls.size(name, ops, first)
        access = "load"
        if re.match(r"(st(?!add|clr|set|eor|smax|smin|umax|umin))", name):
            access = "store"
        if re.match(r"(ld|st)(add|clr|set|eor|smax|smin|umax|umin)|swp|cas", name):
            access = "both"
        return (base, index, extend, scale, disp, size, access)

    @staticmethod
    def size(name, ops, first):
        lanes = re.match(r"\{ (.*) \}(\[\d+\])?", ops)
        if lanes:
            regs = lanes[1]
            n = len(regs.split(","))
            span = re.match(r"v(\d+)\S* - v(\d+)", regs)
            if span:
                n = (int(span[2]) - int(span[1])) % 32 + 1
            kind = re.search(r"v\d+\.(\d*)([bhsd])", regs)
            if lanes[2] or re.match(r"ld\dr$", name):
                return n * SIZES_OF_REG[kind[2]]
            return n * int(kind[1] or 1) * SIZES_OF_REG[kind[2]]
        if re.search(r"p(?!r)", name[2:4]) and re.match(r"(ld|st)(np|p|xp|axp|lxp|gp|psw)", name):
            reg = ops.split(",")[1].strip() if re.match(r"st(xp|lxp)", name) else first
            return 16 if name == "stgp" else 2 * (4 if name == "ldpsw" else SIZES_OF_REG[reg[0]])
        if re.match(r"casp", name):
            return 2 * SIZES_OF_REG[first[0]]
        tail = re.search(r"(sb|sh|sw|b|h)$", name)
        if tail and not re.match(r"(ldr|str)$", name):
            return {"b": 1, "h": 2, "w": 4}[tail[1][-1]]
        reg = ops.split(",")[1].strip() if re.match(r"stl?xr", name) else first
        return 4 if reg in ("wzr", "wsp") else 8 if reg == "xzr" else SIZES_OF_REG[reg[0]]

    @classmethod
    def results(cls, name, ops):
        if re.match(r"(st(?!l?xr|l?xp)|cmp|cmn|tst|ccm|cb|tb|b\.|br$|ret|prf|msr|dc|ic|hint|svc|sys$|at$|tlbi|fcmp|fcc|brk|"
                    r"udf|rmif|setf|b$|cas|swp|bl)", name):
            return []
        regs = [cls.reg(ops.split(",")[0])]
        if re.match(r"ld(p|np|xp|axp|psw)", name):
            regs.append(cls.reg(ops.split(",")[1]))
        return [r for r in regs if r is not None] if regs[0] is not None else []

    @classmethod
    def step(cls, name, ops):
        m = re.search(r"\[(\w+)(?:, #(-?\w+))?\](!|, #-?\w+)", ops)
        if m and m[3] == "!":
            return (cls.reg(m[1]), int(m[2] or "0", 0))
        if m:
            return (cls.reg(m[1]), int(m[3][3:], 0))
        m = re.fullmatch(r"([x]\d+|sp), \1, #(\w+)(, lsl #12)?", ops)
        if m and re.fullmatch(r"(add|sub)s?", name):
            number = int(m[2], 0) << (12 if m[3] else 0)
            return (cls.reg(m[1]), number if name.startswith("add") else -number)
        return None

    @staticmethod
    def leads(address, name, ops):
        if not re.fullmatch(r"b|bl|b\.\w+|cbz|cbnz|tbz|tbnz", name):
            return None
        text = ops.split(",")[-1].strip()
        value = int(text.lstrip("#"), 0)
        return value if text.startswith("#") else value - address


class Riscv64:
    @staticmethod
    def reg(text):
        return RISCV.index(text.strip()) if text.strip() in RISCV else None

    @classmethod
    def memory(cls, address, name, ops):
        m = re.search(r"(?:(-?\w+))?\((\w+)\)$", ops)
        if not m or re.match(r"(jalr|jr|prefetch|cbo)", name):
            return None
        kind = re.match(r"(c\.)?(lr|sc|amo\w+)\.([wd])", name)
        if kind:
            return (cls.reg(m[2]), "", "", 1, 0, {"w": 4, "d": 8}[kind[3]],
                    {"lr": "load", "sc": "store"}.get(kind[2], "both"))
        kind = re.match(r"f?(l|s)([bhwd])u?$", name)
        if not kind:
            return None
        return (cls.reg(m[2]), "", "", 1, int(m[1] or "0", 0), {"b": 1, "h": 2, "w": 4, "d": 8}[kind[2]],
                "load" if kind[1] == "l" else "store")

    @classmethod
    def results(cls, name, ops):
        if re.match(r"(f?s[bhwd]$|b|j$|jr|ret|fence|ecall|ebreak|nop|unimp|call|tail)", name) or \
                re.match(r"jalr?$|fs(flags|rm|csr)", name) and "," not in ops:
            return []
        regs = cls.reg(ops.split(",")[0])
        return [] if regs in (None, 0) else [regs]

    @classmethod
    def step(cls, name, ops):
        m = re.fullmatch(r"(\w+), (?:\1, )?(-?\d+)", ops)
        if m and name == "addi" and cls.reg(m[1]) and ops.count(m[1]) > 1:
            return (cls.reg(m[1]), int(m[2]))
        return None

    @staticmethod
    def leads(address, name, ops):
        if not re.fullmatch(r"j|jal|b[a-z]+", name):
            return None
        return int(ops.split(",")[-1].strip(), 0) - address


def decoded(words):
    out = {"mem": [], "written": 0, "steps": [], "flow": "", "leads": None}
    for word in words:
        if word == "?":
            out["unknown"] = True
        elif word[0] == "/":
            out["written"] = int(word[1:], 16)
        elif word[0] == "!":
            m = re.match(r"!(\w+)([+-]\d+)?", word)
            out["flow"], out["leads"] = m[1], int(m[2]) if m[2] else None
        elif ":" in word:
            m = re.match(r"(\w*):(\w*)\+(x\d+)?([su]?)\*(\d+)([+-]\d+):(\d+):(\w+)(~?)", word)
            base = m[2] if m[2] == "rip" else int(m[2][1:])
            out["mem"].append((base, int(m[3][1:]) if m[3] else "", m[4], int(m[5]), int(m[6]), int(m[7]), m[8]))
        else:
            m = re.match(r"x(\d+)([+-]\d+)", word)
            out["steps"].append((int(m[1]), int(m[2])))
    return out


def problem_of(arch, address, code, name, ops, answer, counts):
    words = answer.split()
    if words[0] != str(len(code) // 2):
        return "length"
    have = decoded(words[1:])
    if have.get("unknown"):
        counts["unknown"] += 1
        return None
    want = arch.memory(address, name, ops)
    if want:
        counts["operands"] += 1
        if not have["mem"] or have["mem"][0] != want:
            return f"operand {want}"
    elif have["mem"] and not re.match(r"dc|cbo", name):
        return "an operand that is none"
    for reg in arch.results(name, ops):
        if not have["written"] >> reg & 1:
            return f"x{reg} isn't written"
    step = arch.step(name, ops)
    if step and step not in have["steps"]:
        return f"step {step}"
    if have["steps"] and not step and have["steps"][0][1]:
        return "a step that is none"
    leads = arch.leads(address, name, ops)
    if leads is not None:
        counts["branches"] += 1
        if have["leads"] != leads:
            return f"leads to {leads:+}"
    elif have["leads"] is not None:
        return "leads nowhere"
    return None


def main():
    decode, which, objdump, path = sys.argv[1:]
    arch = Arm64 if which == "arm64" else Riscv64
    found, times = {}, collections.Counter()  # the decoder knows nothing of where an instruction stands
    for address, code, name, ops in instructions(objdump, which, path):
        if name not in ("<unknown>", "udf", "unimp"):
            times[code] += 1
            found.setdefault(code, (address, name, ops))
    answers = subprocess.run([decode, which], input="\n".join(found) + "\n", capture_output=True, text=True,
                             check=True).stdout.splitlines()
    counts, shown = collections.Counter(), collections.Counter()
    for (code, (address, name, ops)), answer in zip(found.items(), answers):
        once = collections.Counter(instructions=1)
        try:
            problem = problem_of(arch, address, code, name, ops, answer, once)
        except (AttributeError, KeyError, TypeError, IndexError, ValueError) as e:
            problem = f"not understood: {e!r}"
        for what in once:
            counts[what] += times[code]
        if problem:
            counts["wrong"] += times[code]
            shown[name] += 1
            if shown[name] <= 2 and counts["wrong"] < 200:
                print(f"{problem}: {address:x} {code} {name} {ops}: {answer}")
    print(" ".join(f"{k} {counts[k]}" for k in ("instructions", "operands", "branches", "unknown", "wrong")))


main()
