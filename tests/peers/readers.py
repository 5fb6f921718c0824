# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
The profiles of a folder in the formats that report writes, read by others, against report's own totals.

Usage: readers.py flamegraph FOLDER SCRIPT | speedscope FOLDER SCRIPT | stackcollapse FOLDER
    flamegraph: --folded by flamegraph.pl (SCRIPT): each box of the picture.
    speedscope: --speedscope and --folded by speedscope's importer (SCRIPT: its page's): each stack.
    stackcollapse: --perf by the rules of FlameGraph's stackcollapse-perf.pl, which no package has; written anew here.
Prints each difference, and how much was compared. Environment: PMUBPF.
"""
import collections
import glob
import html
import json
import os
import re
import subprocess
import sys

PMUBPF = os.environ['PMUBPF']
OFFSET = re.compile(r'(?<=\])\+0x[\da-f]+$')
MARK = re.compile(r'_\[[kij]\]$')


def pmubpf(*args):
    return subprocess.run([PMUBPF, 'report', *args], capture_output=True, check=True).stdout.decode()


def escaped(name):
    """As the man page has it, section Escapes."""
    return ''.join(f'\\x{ord(c):02x}' if c in ';\\' or ord(c) < 32 or ord(c) == 127 else c for c in name)


def folded(text):
    """{stack: sum}"""
    sums = collections.Counter()
    for line in text.splitlines():
        stack, number = line.rsplit(' ', 1)
        sums[tuple(stack.split(';'))] += int(number)
    return sums


def plain(frame):
    """Without what folded lines alone have: marks, and escapes of names that look marked or like a second number."""
    frame = MARK.sub('', frame)
    frame = re.sub(r'_\\x5b([kij]\])$', r'_[\1', frame)
    return re.sub(r'\\x20(\d+(\.\d*)?)$', r' \1', frame)


def boxes(stacks, name_of):
    """{(depth, name): sum}: what a flame graph shows, boxes of one name and height added up."""
    sums = collections.Counter()
    for stack, n in stacks.items():
        for depth, frame in enumerate(stack):
            sums[(depth, name_of(frame))] += n
    return {at: n for at, n in sums.items() if n}


def rows_of_tree(report):
    """The same from report --tree."""
    sums, depths = collections.Counter(), []
    for row in report['rows']:
        depths.append(0 if row['parent'] is None else depths[row['parent']] + 1)
        for entry in row['events']:
            total = entry['total']
            sums[(depths[-1], OFFSET.sub('', escaped(row['name'])))] += total.get('time_ns', total.get('count', total.get('samples')))
    return {at: n for at, n in sums.items() if n}


class Comparison:
    def __init__(self):
        self.compared = self.differ = 0

    def __call__(self, path, what, theirs, ours):
        self.compared += 1
        wrong = [key for key in sorted(theirs.keys() | ours.keys(), key=str) if theirs.get(key) != ours.get(key)]
        if wrong:
            self.differ += 1
            print(f'{os.path.basename(path)}: {what}: {wrong[0]!r}: they {theirs.get(wrong[0])}, we {ours.get(wrong[0])}')


def profiles(folder):
    """Without negative values, which no picture shows: (path, events)"""
    for path in sorted(p for p in glob.glob(f'{folder}/*.pb*') if '.again.' not in p):
        with open(path.split('.pb')[0] + '.json', encoding='utf-8') as f:
            if not json.load(f)['negative']:
                report = json.loads(pmubpf('--json', '--limit=1', path))
                yield path, [e['event'] for e in report['events']]


def flamegraph(compare, folder, script):
    for path, events in profiles(folder):
        text = pmubpf('--folded', '-e', events[0], path)
        stacks = folded(text)
        if not sum(stacks.values()):
            continue
        done = subprocess.run(['perl', script, '--minwidth=0'], input=text.encode(), capture_output=True, check=True)
        svg = done.stdout.decode(errors='replace')  # what stands in a box is cut after so many bytes
        theirs = collections.Counter()
        heights = []
        for title, y in re.findall(r'<title>([^\n]*) samples, [^\n]*</title><rect [^>]*?y="([\d.]+)"', svg):
            name, number = title.rsplit(' (', 1)
            heights.append((float(y), html.unescape(name), int(number.replace(',', ''))))
        base = max((y for y, _, _ in heights), default=0)  # "all" is the lowest
        for y, name, number in heights:
            if y != base:
                theirs[(round((base - y) / 16) - 1, name)] += number
        # < and > are parentheses to it
        compare(path, 'boxes', {at: n for at, n in theirs.items() if n},
                boxes(stacks, lambda f: f.translate(str.maketrans('<>', '()'))))
        tree = json.loads(pmubpf('--tree', '--json', '--min-share=0', '--limit=0', '-e', events[0], path))
        compare(path, 'rows of the tree', rows_of_tree(tree), boxes(stacks, lambda f: OFFSET.sub('', plain(f))))


def main(how, folder, *rest):
    compare = Comparison()
    {'flamegraph': flamegraph, 'speedscope': speedscope, 'stackcollapse': stackcollapse}[how](compare, folder, *rest)
    print(f'{compare.compared} compared, {compare.differ} differ')
    return compare.differ > 0 or not compare.compared


def speedscope(compare, folder, script):
    files, expected = [], {}
    for path, events in profiles(folder):
        stem = path.split('.pb')[0]
        pmubpf('--speedscope', '-o', stem + '.speedscope', path)
        files.append(stem + '.speedscope')
        expected[files[-1]] = path, events
        with open(stem + '.collapsed', 'w', encoding='utf-8') as f:
            f.write(pmubpf('--folded', '-e', events[0], path))
        files.append(stem + '.collapsed')
    done = subprocess.run(['node', os.path.dirname(os.path.abspath(__file__)) + '/speedscope.js', script, *files],
                          capture_output=True, check=True)
    for line in done.stdout.decode().splitlines():
        said = json.loads(line)
        check_speedscope(compare, said, expected.get(said['file']))


def sums_of(profile):
    sums = collections.Counter()
    for stack, n in profile['stacks']:
        sums[tuple(stack)] += n
    return sums


def check_speedscope(compare, said, expected):
    read = said['profiles'] or []
    if not expected:  # folded
        with open(said['file'], encoding='utf-8') as f:
            ours = folded(f.read())
        theirs = sum((sums_of(p) for p in read), collections.Counter())
        compare(said['file'], 'stacks', dict(theirs), {at: n for at, n in ours.items() if n})
        return
    path, events = expected
    for event in events:
        ours = collections.Counter()
        for stack, n in folded(pmubpf('--folded', '-e', event, path)).items():
            ours[tuple(plain(f) for f in stack)] += n
        theirs = collections.Counter()
        for profile in read:
            if profile['name'].split(': ')[0] == event:
                for stack, n in sums_of(profile).items():
                    theirs[tuple(escaped(f) for f in stack) or ('[unknown]',)] += n
        compare(path, f'stacks of {event}', dict(theirs), {at: n for at, n in ours.items() if n})


def collapse(text):
    """{event: {stack: sum}}, by the script's rules: a header, frames leaf first, an empty line."""
    sums = collections.defaultdict(collections.Counter)
    event = command = period = stack = None
    for line in text.splitlines():
        head = re.match(r'^(\S.+?)\s+(\d+)/*(\d+)*\s+', line)
        frame = re.match(r'^\s*(\w+)\s*(.+) \((.*)\)', line)
        if not line.strip():
            if stack is not None:
                sums[event][tuple([command] + stack[::-1])] += period
            stack = None
        elif head:
            tail = re.search(r':\s*(\d+)*\s+(\S+):\s*$', line)
            command, period, event, stack = head[1].replace(' ', '_'), int(tail[1]), tail[2], []
        elif frame:
            name, module = frame[2], frame[3]
            name = re.sub(r'\+0x[\da-f]+$', '', name)
            if name == '[unknown]' and module != '[unknown]':
                name = '[' + module.rsplit('/', 1)[-1] + ']'
            stack.append(name.replace(';', ':'))
        else:
            raise ValueError(f'neither a header nor a frame: {line!r}')
    return sums


def stackcollapse(compare, folder):
    for path, events in profiles(folder):
        read = collapse(pmubpf('--perf', path) + '\n')
        for event in events:
            ours = collections.Counter()
            for stack, n in folded(pmubpf('--folded', '-e', event, path)).items():
                # offsets go, and blanks before a name; no profile here has a command
                frames = [re.sub(r'\+0x[\da-f]+$', '', plain(f)).lstrip(' ') or ' ' for f in stack]
                ours[tuple(['[unknown]'] + ([] if frames == ['[unknown]'] else frames))] += n
            theirs = collections.Counter()
            for stack, n in read.get(event, {}).items():
                theirs[stack[:1] if stack[1:] == ('[unknown]',) else stack] += n
            compare(path, f'stacks of {event}', dict(theirs), {at: n for at, n in ours.items() if n})


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
