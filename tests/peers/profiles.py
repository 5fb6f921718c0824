# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
Profiles as makers of profiles write them, and as nobody does but may: by chance, and the same each time.

Usage: profiles.py FOLDER N [hostile]: with names that few readers bear. Beside each profile lies NAME.json: what the
generator knows of it.
"""
import json
import os
import random
import sys

import wire

TYPES = [
    [('samples', 'count'), ('cpu', 'nanoseconds')],
    [('alloc_objects', 'count'), ('alloc_space', 'bytes'), ('inuse_objects', 'count'), ('inuse_space', 'bytes')],
    [('contentions', 'count'), ('delay', 'nanoseconds')],
    [('goroutine', 'count')],
    [('alloc', 'count'), ('alloc', 'bytes')],
    [('wall', 'microseconds'), ('widgets', 'widgets')],
    [('cycles_sample', 'count'), ('cycles_event', 'count'), ('cycles_time', 'nanoseconds'), ('faults_event', 'count')],
    [('x', 'count'), ('x', 'count'), ('samples', 'count')],
]
NAMES = ['main.main', 'runtime.mallocgc', 'f', 'g', 'operator()', 'a::b<c>::d', 'std::vector<int>::push_back',
         'semi;colon', 'back\\slash', 'quote"d', 'höhe', 'a b c', '<html>&amp;', '日本', 'x@plt', '[kernel]',
         'main.(*T).M', 'lambda$0', "it's", '100%', 'com.example.A.b', '_start', '-', '0', '#', '$x{1}',
         'operator new(unsigned long)', '(anonymous namespace)::h(int)::m', 'core::f::{{closure}}', '.dot', 'f(int)',
         '[libc.so]+0x12', '日本(x)', '\x01ctl', '\0nul', 'nul\0', 'Thread 7', 'a 1.5', 'X::operator()(int)']
HOSTILE = ['new\nline', 'tab\tx', ' ', 'f_[k]', 'f_[i]', '] (x)', '\x7f\x1b[31m', 'end ', ' begin', 'a;b;c 7', '12']
SYSTEM = ['main', 'do_thing', 'f.part.0', 'caf\u00e9', 'A.b']
FILES = ['/src/a.c', 'b/c.go', 'x y.cc', '']
MODULES = ['/nonexistent/bin/app', '/nonexistent/libc.so.6', '[vdso]', '', 'relative', '/nonexistent/a b/c',
           '/nonexistent/a (1)/c']
LABELS = [('thread', 'worker'), ('thread', 'wörker 2'), ('bytes', 4096, 'bytes'), ('n', 17), ('n', -3),
          ('tenant', 'a;b'), ('latency', 30, 'milliseconds'), ('k e y', 'v=w,x'), ('tag', '100%'),
          ('tag', '7'), ('tenant', 'x:y')]
DROPS = [('', ''), ('', ''), ('', ''), ('f|g', ''), ('operator.*|.*::m|dot', ''), ('.*closure.*', ''),
         ('.*operator\\(\\)', ''), ('.*operator\\(\\)', 'f'), ('runtime\\..*', 'runtime\\.mallocgc'), ('.*', 'main\\.main'), ('', 'f')]


def value(r, sign):
    n = r.choice([0, 1, r.randrange(1, 100), r.randrange(1, 10**9), 10**6 * r.randrange(1, 10**4)])
    return -n if sign and r.random() < 0.4 else n


def functions(r, p, names):
    out = []
    for name in r.sample(names, r.randrange(3, 9)):
        # of the same name twice pprof takes off what looks like C++'s arguments
        system = r.choice(['', r.choice(SYSTEM) if set(name) & set('<[:(') else name, r.choice(SYSTEM)])
        out.append(p.function(name, system, r.choice(FILES), r.randrange(0, 50)))
    for system in r.sample(SYSTEM, r.randrange(0, 3)):
        out.append(p.function('', system, r.choice(FILES)))
    if r.random() < 0.3:
        out.append(p.function('', '', r.choice(FILES)))
    return out


def locations(r, p, names):
    maps = [0]
    start = 0x400000
    for module in r.sample(MODULES, r.randrange(0, 4)):
        flags = (1, 1, 1, 1) if r.random() < 0.7 else (0, 0, 0, 0)
        # pprof takes mappings of one build-id, or of no file at all, for one
        build_id = r.choice(['' if module else 'ab', f'abcdef{len(maps):010}'])
        maps.append(p.mapping(start, start + 0x10000, module, build_id, flags))
        start += r.choice([0x20000, 0x100000])  # pprof puts neighbours together
    known = functions(r, p, names)
    home = r.choice(maps)  # of all that have names: a name in two files is one function to pprof and two to us
    out = []
    for _ in range(r.randrange(3, 16)):
        lines = [(r.choice(known), r.randrange(0, 300)) for _ in range(r.choice([0, 1, 1, 1, 2, 3]))]
        at = home if lines else r.choice(maps)
        where = 0x400000 + r.randrange(0x200000) if at == 0 or r.random() < 0.2 else None
        if where is None:
            where = 0x400000 + 0x100 * (len(out) + 1)
        out.append(p.location(at, r.choice([where, where, 0]), lines, r.random() < 0.1))
    return out


def make(seed, names):
    r = random.Random(seed)
    p = wire.Profile(pack=r.random() < 0.8)
    types = TYPES[seed % len(TYPES)]
    for name, unit in types:
        p.type(name, unit)
    places = locations(r, p, names)
    sign = r.random() < 0.25
    used = set()
    nowhere = [0] * len(types)
    for _ in range(r.randrange(1, 40)):
        stack = [r.choice(places) for _ in range(r.choice([0, 1, 2, 3, 5, 8, 20]))]
        labels = list({label[0]: label for label in r.sample(LABELS, r.choice([0, 0, 1, 2, 4]))}.values())
        values = [value(r, sign) for _ in types]
        if not stack:
            labels, nowhere = [], [a + b for a, b in zip(nowhere, values)]
        used.update((key, ' '.join(map(str, rest))) for key, *rest in labels)
        p.sample(stack, values, labels)
    drop, keep = r.choice(DROPS)
    p.named(wire.DROP_FRAMES, drop)
    p.named(wire.KEEP_FRAMES, keep)
    for comment in r.sample(['made by hand', 'a: b', 'ünïcode'], r.randrange(0, 3)):
        p.named(wire.COMMENT, comment)
    if r.random() < 0.4:
        p.named(wire.DEFAULT_TYPE, r.choice(types)[0])
    p.type(*types[-1], field=wire.PERIOD_TYPE)
    p.plain(wire.PERIOD, r.randrange(1, 10**6))
    p.plain(wire.TIME, 1_700_000_000_000_000_000 + seed)
    p.plain(wire.DURATION, 10**9)
    return p, {'types': types, 'labels': sorted(used), 'nowhere': nowhere, 'negative': sign}


def main(folder, n, names):
    os.makedirs(folder, exist_ok=True)
    for seed in range(n):
        p, known = make(seed, names)
        zipped = seed % 3 != 0
        name = f'{folder}/{seed:03}'
        with open(name + ('.pb.gz' if zipped else '.pb'), 'wb') as f:
            f.write(p.bytes(zipped))
        with open(name + '.json', 'w') as f:
            json.dump(known, f)


if __name__ == '__main__':
    main(sys.argv[1], int(sys.argv[2]), NAMES + 3 * HOSTILE if len(sys.argv) > 3 else NAMES)
