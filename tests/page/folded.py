# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Folded stacks as tests/page/pages reads them, made up and read.
import random
import re


def generate(n, seed=1, functions=6000):
    """As of a large program: functions that call a few others each, up to 60 deep. {"comm-1/2@box;frame;…": number}"""
    r = random.Random(seed)
    words = "alloc parse read hash node tree visit lock emit scan page decode buffer index merge lookup".split()
    names = []
    for i in range(functions):
        name = "::".join([r.choice(["core", "net", "db", "ui", "gc", "io"]),
                          r.choice(words).title() + r.choice(words).title(),
                          r.choice(words) + "_" + r.choice(words) + str(i)])
        way = r.random()
        names.append(name + "_[k]" if way < .18 else name + "_[j]" if way < .26 else
                     name + "_[i]" if way < .4 and i > 3 else
                     r.choice(["app", "app", "app", "libc.so.6", "libssl.so.3", "libz.so.1"]) + "`" + name)
    callees = [[min(functions - 1, int(r.expovariate(5 / functions))) for _ in range(r.choice([1, 2, 2, 3, 4, 8]))]
               for _ in range(functions)]
    comms = [f"{c}-{100 + i}/{100 + i + t}" + ("" if c == "gc" else f"@box{i % 2}") for i, c in enumerate(["server", "worker", "indexer", "gc"])
             for t in range(3)]
    # drawn from, since a draw of its own takes longer than all else of a step
    steps = [int(r.expovariate(1.2)) for _ in range(1 << 16)]
    stacks, shown = {}, set()
    while len(shown) < n:
        at = r.randrange(4)
        comm, stack = r.choice(comms), [names[at]]
        for _ in range(int(min(60, max(3, r.gauss(24, 9))))):
            at = callees[at][min(len(callees[at]) - 1, steps[r.getrandbits(16)])]
            stack.append(names[at])
        key = ";".join([comm] + stack)
        stacks[key] = stacks.get(key, 0) + int(r.paretovariate(1.3) * 100000) + 1
        shown.add(key.split("-")[0] + key[key.index(";"):])
    return stacks


CLASSES = ["validated"] * 6 + ["contradicted", "address_only", "candidate", "candidate", "branch_target", "no_operand"]


def with_data(stacks, objects=3000, seed=2):
    """The same, each about some data: variables, types on the heap, candidates, and why nothing is known."""
    r, out = random.Random(seed), {}
    for stack, number in stacks.items():
        comm, frames = stack.split(";", 1)
        i, known = min(objects - 1, int(r.expovariate(8 / objects))), r.choice(CLASSES)
        mark = " (candidate)" if known == "candidate" else ""
        labels = {"data_class": known}
        if known in ("validated", "candidate"):
            labels["data_access"] = r.choice(["load", "load", "store"])
        if known not in ("branch_target", "no_operand"):
            if i % 3 or not mark:
                labels["data_object"] = (f"table{i}" if i % 3 else "[heap]") + mark
            labels["data_type"] = f"struct node{i % 900}" + mark
            if i % 7:
                labels["member"] = r.choice(["key", "next", "pos.x", f"slot{i % 5}"]) + mark
        key = "&".join([comm] + [f"{k}={v}" for k, v in labels.items()]) + ";" + frames
        out[key] = out.get(key, 0) + number
    return out


def with_windows(stacks, windows, seed=3, names=("loop", "syscall:read")):
    """The same, each in some window: most are short, and one in a hundred is long. Each is one process's, and has many
    samples or one; three of them did not end."""
    r, out = random.Random(seed), {}
    made = []
    for i in range(windows):
        power = min(40, int(r.gauss(24, 1)) if i % 100 == 7 else max(8, int(r.gauss(15, 2))))
        made.append((names[i * i % 7 % len(names)], lasting(power, i in (5, 6, 7)), i + 1))
    of_process = {}
    for k, (stack, number) in enumerate(stacks.items()):
        comm, frames = stack.split(";", 1)
        i = k % windows if k < windows else r.randrange(windows)
        comm = of_process.setdefault(i, comm)
        name, duration, window = made[i]
        key = f"{comm}&window={name}&duration={duration}&window_number={window};{frames}"
        out[key] = out.get(key, 0) + number
    return out


def with_times(stacks, seconds, seed=4):
    """The same, each at some moment of so long; of one in fifty it isn't known when."""
    r, out = random.Random(seed), {}
    for k, (stack, number) in enumerate(stacks.items()):
        comm, frames = stack.split(";", 1)
        at = f"&time={r.randrange(seconds * 100) * 10}" if k % 50 else ""
        key = f"{comm}{at};{frames}"
        out[key] = out.get(key, 0) + number
    return out


def lasting(power, not_seen_to_end=False):
    """How user/model/duration.c says it."""
    text = lambda ns: next(f"{ns / size:.3g}{unit}" for size, unit in ((1, "ns"), (1e3, "us"), (1e6, "ms"), (1e9, "s"))
                           if ns / size < 999.5 or unit == "s")
    return text(1 << power) + ".." + ("" if not_seen_to_end else text(2 << power))


def tower(labels):
    """Object, member (or None) and class, as the page names them."""
    name, kind = labels.get("data_object", ""), labels.get("data_type", "")
    if kind and (not name or name == "[heap]"):
        name = kind
    known = labels.get("data_class", "[not recorded]").replace("_", " ")
    if "data_access" in labels:
        known = labels["data_access"] + ", " + known
    return name or "[no data object]", labels.get("member"), known


def write(stacks, path):
    with open(path, "w") as file:
        for stack, number in stacks.items():
            file.write(f"{stack} {number}\n")


def read(path):
    """((comm, pid, tid, container, labels), [(module, name)…], number) of each line."""
    with open(path) as file:
        for line in file:
            stack, number = line.rstrip("\n").rsplit(" ", 1)
            comm, *frames = stack.split(";")
            comm, *labels = comm.split("&")
            labels = dict(label.split("=", 1) for label in labels)
            ids = re.fullmatch(r"(.*)-(\d+)/(\d+)(?:@(.*))?", comm)
            who = (ids[1], int(ids[2]), int(ids[3]), ids[4], labels) if ids else (comm, 0, 0, None, labels)
            yield who, [frame_of(f) for f in with_modules(frames)], int(number)


def with_modules(frames):
    """What is inlined is in the module of the frame before it."""
    module = ""
    for frame in frames:
        inlined = frame.endswith("_[i]")
        if frame.endswith("_[k]"):
            module = "[kernel.kallsyms]"
        elif frame.endswith("_[j]"):
            module = "[jit]"
        elif not inlined:
            module = frame.split("`")[0] if "`" in frame else ""
        yield module, frame


def frame_of(pair):
    module, frame = pair
    return module, re.sub(r"_\[[kji]\]$", "", frame.split("`", 1)[1] if "`" in frame else frame)


if __name__ == "__main__":
    import sys
    made = generate(int(sys.argv[1]))
    if "all" in sys.argv[3:]:
        write(with_data(made), sys.argv[2] + ".data")
        write(with_times(made, 3600), sys.argv[2] + ".times")
    if "data" in sys.argv[3:]:
        made = with_data(made)
    if "windows" in sys.argv[3:]:
        made = with_windows(made, int(sys.argv[sys.argv.index("windows") + 1]))
    if "times" in sys.argv[3:]:
        made = with_times(made, int(sys.argv[sys.argv.index("times") + 1]))
    write(made, sys.argv[2])
