# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
What is asked of the kernel for a text of -e, by perf and by pmubpf: what perf takes we take, with the same attributes,
and what it refuses we refuse as a wrong command line, but for what DIFFERENCES says, each with its reason.

Usage: events.py FOLDER, where nobody minds that /sys/bus/event_source/devices is a recorded machine's: tests/shims/attrs.c
opens other events in place of those asked for.
Environment: PMUBPF, PERF, ATTRS (the shim).
"""
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import event_texts

# (texts, what perf does and what we do, why)
DIFFERENCES = [
    ('cycles:|mem:0x1000/4:', ('takes', 'refuses'), 'a colon with nothing behind it is a slip'),
    ('cpu//u?|cpu/name=short/.*', ('takes', 'refuses'), 'no term that selects anything: config 0 is no event'),
    ('99999999999:1', ('takes', 'refuses'), 'perf cuts the type down to 32 bits'),
    ('mem:.*/[124]:x', ('takes', 'refuses'), 'the kernel wants 8 bytes there; refused with the reason'),
    ('-cycles|cpu/event=-1/|.*/period=-1/', ('takes', 'refuses'), "perf's later versions overlook the sign"),
    ('cpu/umask/', ('refuses', 'takes'), "a term without a value is 1, as perf's earlier versions have it"),
    ('{cycles', ('takes', 'refuses'), 'a group without an end is a slip'),
    ('cycles:[SWb]u?', ('takes', 'refuses'), "they are about perf's own groups"),
    ('dummy(:u)?|bpf-output', ('takes', 'refuses'), 'they count nothing; refused with the reason'),
    ('(.*,)?(duration|user|system)_time', ('takes', 'refuses'), 'times that perf takes itself, and stat ends with'),
    ('sched:.*[*?].*', ('takes', 'refuses'), 'tracepoints are counted by name, no pattern'),
    ('cs,cs:u|context-switches:u', ('takes', 'refuses'), 'it happens in the kernel: would count nothing'),
    ('page-faults:(pp|uP)', ('takes', 'refuses'), 'software events have no precise form; the kernel ignores it'),
    ('.*/(period|freq)/', ('takes', 'refuses'), 'a rate without a value is 1 to perf'),
    ('r0x1a|Cycles|CYCLES', ('refuses', 'takes'), "0x is taken for what it means, and names in any case"),
    (".*name='two words'.*", ('refuses', 'takes'), "blanks between quotes: perf's later versions"),
    ('cpu/mem-loads,ldlat=9/.*|cpu/event=0x3c,event=60/|cpu/cycles-t,event=0x3d/', ('asks', 'asks otherwise'),
     'what is said twice: the last word counts; perf mixes the bits of both'),
]
BITS = {2: 'pinned', 3: 'exclusive', 4: 'exclude_user', 5: 'exclude_kernel', 6: 'exclude_hv', 7: 'exclude_idle',
        19: 'exclude_host', 20: 'exclude_guest'}
TIMER = 1, 9  # opened beside counters of a place, to know how long they ran
PRECISE = 3 << 15
FREQ = 1 << 10


def run(argv, log):
    if os.path.exists(log):
        os.unlink(log)
    env = dict(os.environ, SHIM_ATTRS=log, LD_PRELOAD=os.environ['ATTRS'], PERF_CPUID='GenuineIntel-6-FF-0')
    done = subprocess.run(argv, env=env, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    attrs = []
    if os.path.exists(log):
        with open(log, encoding='ascii') as f:
            attrs = [[int(n, 0) for n in line.split()] for line in f]
    return done.returncode, attrs, done.stderr.decode(errors='replace').strip()


def bits_that_count(text, flags):
    """Guests are left out or not by default as each thinks fit: what counts is what the text says."""
    said = {name for bit, name in BITS.items() if flags >> bit & 1}
    if not re.search('[GH]', text.rsplit(':', 1)[-1].rsplit('/', 1)[-1]):
        said -= {'exclude_guest', 'exclude_host'}
    return tuple(sorted(said))


def counted(text, attrs):
    out = []
    for kind, config, config1, config2, bp_type, flags, _ in attrs:
        if (kind, config) == TIMER and 'dummy' not in text:
            continue
        one = kind, config, config1, config2, bp_type, bits_that_count(text, flags)
        if not out or out[-1] != one:  # one on each CPU
            out.append(one)
    # of a name without its number: the PMUs in whatever order, on each of their CPUs
    return sorted(set(out)) if re.match('(uncore_)?imc/', text) else out


def sampled(_, attrs):
    """The event itself comes last, with a period; what feels its way before has none, or one that never ends."""
    own = [a for a in attrs if a[6] and a[6] < 1 << 40]
    if not own:
        return []
    kind, config, config1, config2, _, flags, period = own[-1]
    return [(kind, config, config1, config2, (flags & PRECISE) >> 15, bool(flags & FREQ), period)]


def rate_matters(text, one):
    return one if re.search('period|freq', text) else one[:5]


def stated(text, theirs, ours):
    return any(re.fullmatch(pattern, text) and what == (theirs, ours) for pattern, what, _ in DIFFERENCES)


class Case:
    def __init__(self, text, how, folder, number):
        self.text, self.how = text, how
        self.log = f'{folder}/{number}'
        self.said = None

    def attrs_of(self, argv):
        status, attrs, err = run(argv, self.log)
        return status, (counted if self.how == 'stat' else sampled)(self.text, attrs), err

    def run(self):
        out = ['-o', '/dev/null'] if self.how == 'record' else []
        theirs = self.attrs_of([os.environ['PERF'], self.how, *out, '-e', self.text, '--', 'true'])
        ours = self.attrs_of([os.environ['PMUBPF'], self.how, *out, '-e', self.text, '--', 'true'])
        words = 'takes' if theirs[0] == 0 else 'refuses', {0: 'takes', 2: 'refuses'}.get(ours[0], f'ends with {ours[0]}')
        if self.how == 'record':
            theirs, ours = ((s, [rate_matters(self.text, a) for a in attrs], e) for s, attrs, e in (theirs, ours))
        if words[0] != words[1]:
            if not stated(self.text, *words):
                self.said = f'perf {words[0]}, pmubpf {words[1]}: {ours[2][:160] or theirs[2][:160]}'
        elif words[0] == 'takes' and theirs[1] != ours[1] and not stated(self.text, 'asks', 'asks otherwise'):
            self.said = f'perf asks {theirs[1]}, pmubpf {ours[1]}'
        return self


def main(folder):
    cases = [Case(t, 'stat', folder, f's{i}') for i, t in enumerate(event_texts.counted())]
    cases += [Case(t, 'record', folder, f'r{i}') for i, t in enumerate(event_texts.sampled())]
    with ThreadPoolExecutor(2) as pool:
        cases = list(pool.map(Case.run, cases))
    for case in cases:
        if case.said:
            print(f'{case.how} -e {case.text!r}: {case.said}')
    print(f'{len(cases)} compared, {sum(bool(c.said) for c in cases)} differ')
    return any(c.said for c in cases)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
