# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
The profiles of a folder, as `go tool pprof` and as `pmubpf report` read them: each sample type, function by function,
and each label; and what `pmubpf report --pprof` writes again, as pprof reads it.

Usage: pprof.py FOLDER. Prints each difference, and how many cases were compared.
Environment: PMUBPF, PPROF (the program), PPROF_TMPDIR (a folder for what pprof keeps).
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

PMUBPF = os.environ['PMUBPF']
ROW = re.compile(r'^ *(-?[\d.]+)\S* +\S+ +\S+ +(-?[\d.]+)\S* +\S+  (.*?)(?: \((?:partial-)?inline\))?$')
UNITS = {'nanoseconds': 'ns', 'microseconds': 'us', 'bytes': 'B'}


class NoTypes(Exception):
    """Later versions of pprof refuse a profile in which all types share a name."""


def pmubpf(*args):
    done = subprocess.run([PMUBPF, 'report', *args], capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"pmubpf report {' '.join(args)}: {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


def pprof(path, types, keep):
    """What pprof says: its texts by name, of each type and of the whole."""
    script = ['nodecount=1000000', 'nodefraction=0']
    for i, (_, unit) in enumerate(types):
        script += [f'sample_index={i}', f'unit={UNITS.get(unit, unit)}', f'top >{keep}.top{i}', f'tags >{keep}.tags{i}']
    script.append(f'raw >{keep}.raw')
    done = subprocess.run([*os.environ.get('PPROF', 'go tool pprof').split(), path],
                          input='\n'.join(script), capture_output=True, check=False, text=True)
    if 'empty common sample type list' in done.stderr:
        raise NoTypes
    if done.returncode:
        raise RuntimeError(f'pprof {path}: {done.stderr}')
    said = {}
    for name in ['raw'] + [f'{kind}{i}' for kind in ('top', 'tags') for i in range(len(types))]:
        with open(f'{keep}.{name}', encoding='utf-8') as f:
            said[name] = f.read().replace('\0', '\u2400')  # as the man page has it
    return said


def their_name(name):
    """A function without a name is its file to both. The vDSO has brackets of its own; pprof puts more around."""
    if name == '<unknown>':
        return '[unknown]'
    return name[1:-1] if name.startswith('[[') and name.endswith(']]') else name


def their_rows(top):
    rows = {}
    lines = top.split('\n')
    while lines and 'flat%' not in lines[0]:
        lines.pop(0)
    for line in lines[1:]:
        if line:
            flat, cum, name = ROW.match(line).groups()
            if float(flat) or float(cum):
                rows[their_name(name)] = (float(flat), float(cum))
    return rows


def event_of(types, index):
    """Under which event a type is, and which of its numbers it is there: as the man page says."""
    name, unit = types[index]
    if (name, unit) == ('samples', 'count') and len(types) > 1:
        return None, 'samples'
    part = {'nanoseconds': 'time_ns'}.get(unit, 'count')
    stem = name
    for suffix, what in (('_sample', 'samples'), ('_event', 'count'), ('_time', 'time_ns')):
        if name.endswith(suffix):
            stem, part = name[:-len(suffix)], what
    same = [i for i, t in enumerate(types) if t[0] == name]
    if len(same) > 1:
        stem = f'{name}/{unit}'
        before = sum(1 for i in same if i < index and types[i] == types[index])
        stem += f'#{before + 1}' if before else ''
    return stem, part


def our_rows(report, types, index):
    event, part = event_of(types, index)
    rows = {}
    for row in report['rows']:
        for entry in row['events']:
            if part in entry['self'] and (event is None or entry['event'] == event):
                pair = entry['self'][part], entry['total'][part]
                if pair != (0, 0):
                    rows[row['name']] = pair
                break
    return rows


def our_total(report, types, index):
    event, part = event_of(types, index)
    return next(e['total'][part] for e in report['events'] if part in e['total'] and event in (None, e['event']))


def key_totals(tags):
    return {key: float(n) for key, n in re.findall(r'^ *(.*): Total (-?[\d.]+)', tags, re.M)}


def our_labels(report, types, index, key):
    return {name: self for name, (self, _) in our_rows(report, types, index).items() if name != f'[no {key}]'}


class Raw:
    """What `pprof -raw` says. Locations and mappings are named by what they are, whatever their ids."""

    def __init__(self, text):
        self.head, rest = text.split('Samples:\n', 1)
        samples, rest = rest.split('Locations\n', 1)
        places, maps = rest.split('Mappings\n', 1)
        self.types, *lines = samples.split('\n')
        mapping = dict(re.findall(r'^(\d+): (.*)$', maps, re.M))
        place = {}
        for at, what in re.findall(r'^ +(\d+): (.*(?:\n {13}.*)*)', places, re.M):
            what = re.sub(r'M=(\d+) ', lambda m: mapping[m[1]].strip() + ' ', what)
            # pprof puts a mapping where there is none at all; and [F] is not kept, as the man page says
            place[at] = what.replace(' 0x0/0x0/0x0', '').replace(' [F]', '')
        self.samples = []  # (values, stack, labels)
        for line in lines:
            if re.match(r'^ *-?\d+( +-?\d+)*: ', line):
                left, _, right = line.partition(': ')
                stack = tuple(place[at] for at in right.split())
                self.samples.append(([int(v) for v in left.split()], stack, []))
            elif line.strip():
                self.samples[-1][2].append(line.strip())

    def sums(self):
        """{(type, stack, labels): sum}"""
        sums = collections.Counter()
        for values, stack, labels in self.samples:
            for i, v in enumerate(values):
                sums[(i, stack, tuple(sorted(labels)))] += v
        return {at: s for at, s in sums.items() if s}

    def with_stack(self, index):
        """Earlier versions don't show samples without one, later ones do."""
        return sum(values[index] for values, stack, _ in self.samples if stack)

    def with_label(self, index, key, value):
        text = f' {key}:[{value}] '
        return sum(values[index] for values, _, labels in self.samples
                   if text in f" {' '.join(labels)} ")


def differences(theirs, ours):
    for name in sorted(theirs.keys() | ours.keys()):
        if theirs.get(name) != ours.get(name):
            yield f'{name!r}: pprof {theirs.get(name)}, pmubpf {ours.get(name)}'


class Case:
    def __init__(self, path):
        self.path = path
        self.stem = path.split('.pb')[0]
        with open(self.stem + '.json', encoding='utf-8') as f:
            known = json.load(f)
        self.types, self.labels, self.nowhere = known['types'], known['labels'], known['nowhere']
        self.said, self.compared, self.raw = [], 0, None

    def compare(self, what, theirs, ours):
        self.compared += 1
        self.said += [f'{os.path.basename(self.path)}: {what}: {d}' for d in differences(theirs, ours)]

    def functions(self, said, report, what):
        for i, (name, unit) in enumerate(self.types):
            ours = our_total(report, self.types, i)
            self.compare(f'{what} {name}/{unit}', {'total': self.raw.with_stack(i) + self.nowhere[i]},
                         {'total': ours})
            if name in [other for other, _ in self.types[:i]]:
                continue  # pprof shows the first of a name only
            theirs = their_rows(said[f'top{i}'])
            nowhere = self.nowhere[i]  # samples without a stack: pprof leaves them out, and we have a row for them
            if nowhere:
                flat, cum = theirs.pop('[unknown]', (0, 0))
                if flat + nowhere or cum + nowhere:
                    theirs['[unknown]'] = flat + nowhere, cum + nowhere
            self.compare(f'{what} {name}/{unit}', theirs, our_rows(report, self.types, i))

    def each_label(self, said):
        for key in sorted({key for key, _ in self.labels}):
            report = json.loads(pmubpf('--json', '--by', key, self.path))
            for i, (name, unit) in enumerate(self.types):
                theirs = {value: self.raw.with_label(i, key, value) for other, value in self.labels if other == key}
                theirs = {value: s for value, s in theirs.items() if s}
                ours = our_labels(report, self.types, i, key)
                self.compare(f'label {key} of {name}/{unit}', theirs, ours)
                if name in [other for other, _ in self.types[:i]]:
                    continue
                total = key_totals(said[f'tags{i}']).get(key, 0)
                self.compare(f'total of label {key} of {name}/{unit}', {key: total}, {key: sum(ours.values())})

    def written_again(self):
        again = self.stem + '.again.pb.gz'
        pmubpf('--pprof', '-o', again, self.path)
        raw = Raw(pprof(again, self.types, self.stem + '.again')['raw'])
        self.compare('head, written again', {'head': self.raw.head}, {'head': raw.head})
        self.compare('types, written again', {'types': self.raw.types}, {'types': raw.types})
        self.compare('samples, written again', self.raw.sums(), raw.sums())

    def run(self):
        try:
            said = pprof(self.path, self.types, self.stem)
            self.raw = Raw(said['raw'])
            if len(self.raw.types.split()) != len(self.types):
                return self  # later versions leave out types that share a name
            self.functions(said, json.loads(pmubpf('--json', self.path)), 'functions of')
            self.each_label(said)
            self.written_again()
        except NoTypes:
            pass
        except (RuntimeError, AttributeError, KeyError, ValueError) as e:
            self.said.append(f'{os.path.basename(self.path)}: {type(e).__name__}: {e}')
        return self


def main(folder):
    paths = sorted(p for p in glob.glob(f'{folder}/*.pb*') if '.again.' not in p)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        cases = list(pool.map(lambda p: Case(p).run(), paths))
    for case in cases:
        print('\n'.join(case.said[:5]), end='\n' if case.said else '')
    print(f'{sum(c.compared for c in cases)} compared, {sum(len(c.said) for c in cases)} differ')
    return any(c.said for c in cases) or not cases


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
