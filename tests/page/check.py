# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Checks of a picture in a browser: check.py NAME PAGE [FOLDED]. What is wrong is printed, and the exit status
# is 1 then; else figures are.
import functools
import json
import os
import re
import sys

import folded
from browser import Browser

DRAWN = "return performance.getEntriesByName('drawn').length && performance.getEntriesByName('drawn')[0].startTime"


def expect(true, what):
    if not true:
        print(what)
        sys.exit(1)


def same(got, want, what):
    expect(abs(got - want) <= 1e-9 * max(abs(want), 1), f"{what}: the page has {got}, the data {want}")


def opened(browser, page, fragment=""):
    browser.open(page, fragment)
    ms = browser.wait(DRAWN)
    expect(ms, f"{page} isn't drawn: {browser.errors()}")
    return ms


def quiet(browser):
    errors = browser.errors()
    expect(not errors, f"the console says: {errors[:2]}")


def total(browser, part="time", event="work", expression="picture.tally.total(0, t)"):
    return browser.run(f"""const t = picture.data.types.findIndex(
        t => t.event === {event!r} && t.part === {part!r}); return {expression};""")


# Work of the kind that opening a page is: texts that are taken apart, looked up, sorted.
REFERENCE = """
    const start = performance.now(), words = [], seen = new Map();
    for (let i = 0; i < 200000; i++)
        words.push((i * 2654435761 % 4294967296).toString(36));
    for (const word of words.join(';').split(';'))
        seen.set(word.slice(0, 4), (seen.get(word.slice(0, 4)) || 0) + 1);
    JSON.parse(JSON.stringify([...seen].sort()));
    return performance.now() - start;"""


def check_speed(browser, page, _):
    """Opening it, from the first byte to the first picture; then zooms, each of which is drawn many times."""
    opening, reference = [], []
    while len(opening) < 5 and (not opening or opening[-1] >= 1000):
        opening.append(opened(browser, page))
        reference.append(browser.run(REFERENCE))
    opening.sort()
    reference.sort()
    browser.wait("return picture.table.figures")
    figures = browser.run("""
        const app = picture, drawn = [], set = [], {tree} = app.data, nodes = [];
        for (let node = 0, k = 0; k < 25 && node >= 0; k++) {
            nodes.push(node);
            node = app.graph.widest(node);
        }
        for (const node of [...nodes, 0]) {
            const start = performance.now();
            app.zoom(node);
            set.push(performance.now() - start);
            app.graph.jump();
            drawn.push(app.graph.drawMs);
        }
        const middle = a => a.sort((x, y) => x - y)[a.length >> 1];
        return {stacks: app.data.stacks, nodes: tree.n, zoom: middle(set), redraw: middle(drawn), worst: drawn[drawn.length - 1]};""")
    size = os.path.getsize(page)
    print(f"{figures['stacks'] - 1} stacks, {figures['nodes']} nodes, {size / 1e6:.2f} MB: "
          f"opened in {opening[0]:.0f} ms (of {len(opening)}: {', '.join(f'{o:.0f}' for o in opening)}; "
          f"reference {', '.join(f'{r:.0f}' for r in reference)}), "
          f"redrawn in {figures['redraw']:.1f} ms (worst {figures['worst']:.1f}), zoomed in {figures['zoom']:.1f} ms")
    expect(figures["stacks"] > 100000, "fewer stacks than 100,000")
    expect(size < 5e6, "the page is larger than 5 MB")
    # the best of five: what else the machine does may come between. The reference takes as long as opening, and
    # half as much again is room for what scatters.
    expect(opening[0] < max(1000, 1.5 * reference[0]),
           f"the page opens in {opening[0]:.0f} ms, the reference takes {reference[0]:.0f}")
    expect(figures["redraw"] < max(50, reference[0] / 10),
           f"a zoomed picture is drawn in {figures['redraw']:.0f} ms, the reference takes {reference[0]:.0f}")
    quiet(browser)


def choose(browser, name, value):
    browser.run("""const s = document.getElementById(arguments[0]);
        s.value = arguments[1]; s.dispatchEvent(new Event('change'))""", name, value)


def check_sums(browser, page, lines):
    lines = list(folded.read(lines))
    all_time = sum(n for *_, n in lines)
    opened(browser, page)
    same(total(browser), all_time, "time")
    same(total(browser, "samples"), sum(n // 1000 + 1 for *_, n in lines), "samples")
    same(total(browser, "events", "misses"), sum(n * 7919 % 1000 for *_, n in lines), "misses")
    for how, text in (("plain", "LOCK"), ("plain", "libssl"), ("regexp", "^(net|db)::.*tree"), ("regexp", "worker")):
        check_search(browser, lines, how, text)
    browser.run("picture.set({search: '', how: 'plain'})")
    check_functions(browser, lines)
    box = browser.run("return String(picture.data.texts.indexOf('box0'))")
    choose(browser, "container", box)
    same(total(browser), sum(n for who, _, n in lines if who[3] == "box0"), "time of a container")
    choose(browser, "container", "")
    _, pid, tid, *_ = lines[0][0]
    choose(browser, "process", str(pid))
    same(total(browser), sum(n for who, _, n in lines if who[1] == pid), "time of a process")
    choose(browser, "thread", str(tid))
    same(total(browser), sum(n for who, _, n in lines if who[1:3] == (pid, tid)), "time of a thread")
    choose(browser, "type", "misses_events")
    same(browser.run("return picture.widthsNow[picture.data.rows]"),
         sum(n * 7919 % 1000 for who, _, n in lines if who[1:3] == (pid, tid)), "misses of a thread")
    quiet(browser)
    print(f"{len(lines)} lines: sums, shares and functions agree")


def check_search(browser, lines, how, text):
    """What matches, with nothing counted twice; what is shown is that, rounded."""
    share = browser.run("""picture.set({search: arguments[0], how: arguments[1]});
        return picture.tally.matched(picture.matchNow, 0, picture.widthsNow)""", text, how)
    fits = re.compile(text if how == "regexp" else re.escape(text), re.I).search
    match = sum(n for who, frames, n in lines if fits(who[0]) or any(fits(m) or fits(f) for m, f in frames))
    same(share, match / sum(n for *_, n in lines), f"share of {text!r}")
    shown = browser.run("return document.getElementById('found').textContent")
    expect(abs(float(re.match(r"[\d.]+", shown)[0]) - 100 * share) <= 0.0501, f"{shown} is shown for {share}")


def check_functions(browser, lines):
    """Self and total of the table's first functions; calls of itself are counted once."""
    figures = browser.run("""const {self, total} = picture.tally.figures(0, 0, picture.typeNow), out = [];
        const {functions, texts} = picture.data, by = [...self.keys()].filter(f => functions.kind[f] < KIND_PROCESS)
            .sort((a, b) => self[b] - self[a]).slice(0, 20);
        return by.map(f => [texts[functions.module[f]], texts[functions.name[f]], self[f], total[f]])""")
    for module, name, self, total_of in figures:
        same(self, sum(n for *_, frames, n in lines if frames[-1] == (module, name)), f"self of {name}")
        same(total_of, sum(n for *_, frames, n in lines if (module, name) in frames), f"total of {name}")


def check_paths(browser, page, root):
    """Each frame's link leads to it, also where names are the same or have all sorts of signs."""
    opened(browser, page, f"#root={root}" if root else "")
    bad = browser.run("""const {data} = picture, bad = [];
        for (let i = 0; i < data.tree.n; i++) {
            const path = decodeURI(encodeURI(zoomPath(data, i)));
            if (nodeAt(data, readView(viewHash({...picture.view, zoom: path})).zoom) !== i)
                bad.push(path);
        }
        return [data.tree.n, bad];""")
    expect(bad[0] > 5 and not bad[1], f"these links lead elsewhere: {bad[1][:3]}")


FRAMES = """const {data, tally, typeNow} = picture, {functions, tree} = data, out = [];
    for (let i = 1; i < tree.n; i++) {
        const f = tree.frame[i] >> 1;
        if (functions.kind[f] >= KIND_OBJECT)
            out.push([nodeName(data, i), functions.kind[f], tally.value(i, 0, typeNow), tree.depth[i]]);
    }
    return [out, tally.total(0, typeNow)];"""
OBJECT, MEMBER, VALIDATED, CANDIDATE, CONTRADICTED, NOT_KNOWN = range(7, 13)


def check_data(browser, page, lines):
    """Rooted in data: what stands on each object, member and class, and that nothing looks surer than it is."""
    lines = [(folded.tower(who[4]), who, frames, n) for who, frames, n in folded.read(lines)]
    opened(browser, page)
    expect(browser.run("return !document.getElementById('root').hidden"), "there is no switch")
    code = total(browser)
    functions = browser.run("const {self, total} = picture.tally.figures(0, 0, picture.typeNow); return [[...self], [...total]]")
    browser.keys("r")
    expect(browser.run("return picture.rootNow") == "data", "r doesn't switch to data")
    print(browser.run("""const start = performance.now(), made = rootInData({...picture.data, ...picture.roots.code}, 1e9);
        return `${picture.roots.code.tree.n} nodes rooted in code, ${made.tree.n} in data, in `
            + `${Math.round(performance.now() - start)} ms`"""))
    same(total(browser), code, "the sum of the other picture")
    check_towers(browser, lines)
    check_sums_of_functions(browser, functions)
    check_data_of_a_choice(browser, lines)
    check_data_hands(browser, page, lines)
    browser.keys("r")
    expect(browser.run("return picture.rootNow") == "code", "r doesn't switch back")
    same(total(browser), code, "the sum in code again")
    quiet(browser)
    browser.run("delete picture.roots.data; picture.mostNodes = 100; picture.chooseRoot('data')")
    expect(browser.run("return picture.rootNow") == "code" and browser.run("""return picture.graph.rows > 2
        && !document.getElementById('root-note').hidden && document.getElementById('root-data').disabled"""),
        "a picture that is too large is made, or nothing is said of it")
    quiet(browser)


def check_towers(browser, lines):
    frames, _ = browser.run(FRAMES)
    got, want = {}, {}
    path = []
    for name, kind, value, depth in frames:
        path[depth - 1:] = [name]
        if kind >= VALIDATED and depth > 1 and (depth == 3 or kind != CANDIDATE or not name.endswith("(candidate)")):
            key = (path[0], path[1] if depth == 3 else None, name)
            got[key] = got.get(key, 0) + value
    for tower, _, _, n in lines:
        want[tower] = want.get(tower, 0) + n
    expect(got.keys() == want.keys(), f"towers differ: {list(got.keys() ^ want.keys())[:3]}")
    for tower, n in want.items():
        same(got[tower], n, f"{tower}")
    for kind, words in ((VALIDATED, "validated"), (CONTRADICTED, "contradicted")):
        same(sum(v for _, k, v, _ in frames if k == kind),
             sum(n for tower, _, _, n in lines if tower[2].endswith(words)), words)
    expect(not [f for f in frames if f[1] in (OBJECT, MEMBER, VALIDATED) and "candidate" in f[0]],
           "a candidate has the kind of what is certain")
    expect({CANDIDATE, NOT_KNOWN} <= {f[1] for f in frames}, "there are no candidates, or nothing is unknown")
    legend = browser.run("return document.getElementById('legend').textContent")
    for word in ("object", "member", "validated", "candidate", "contradicted", "not known"):
        expect(word in legend, f"the legend lacks {word}: {legend}")
    twice = browser.run("""const {end, frame, n} = picture.data.tree;
        for (let i = 0; i < n; i++) {
            const seen = new Set();
            for (let c = i + 1; c < end[i]; seen.add(frame[c]), c = end[c]) {
                if (seen.has(frame[c]))
                    return nodeName(picture.data, c);
            }
        }""")
    expect(twice is None, f"{twice} stands twice side by side")
    print(f"{len(want)} towers agree")


def check_sums_of_functions(browser, code):
    """The same functions have the same, whatever stacks stand on."""
    worst = browser.run("""const {self, total} = picture.tally.figures(0, 0, picture.typeNow), {kind} = picture.data.functions;
        let worst = 0;
        for (let f = 0; f < kind.length; f++) {
            if (kind[f] < KIND_PROCESS)
                worst = Math.max(worst, Math.abs(self[f] - arguments[0][f]), Math.abs(total[f] - arguments[1][f]));
        }
        return worst;""", *code)
    expect(worst == 0, f"a function has {worst} more or less than rooted in code")


def check_data_of_a_choice(browser, lines):
    _, pid, tid, *_ = lines[0][1]
    choose(browser, "process", str(pid))
    same(browser.run(FRAMES)[1], sum(n for _, who, _, n in lines if who[1] == pid), "data of a process")
    choose(browser, "type", "misses_events")
    sums = {}
    for (name, *_), who, _, n in lines:
        if who[1] == pid:
            sums[name] = sums.get(name, 0) + n * 7919 % 1000
    got = {}
    for name, _, value, depth in browser.run(FRAMES)[0]:
        if depth == 1:
            got[name] = got.get(name, 0) + value
    for name, value in got.items():
        same(value, sums.get(name, 0), f"misses of a process on {name}")
    choose(browser, "type", "work_time")
    choose(browser, "process", "")


def check_data_hands(browser, page, lines):
    """Search, zoom, table and links, as in the other picture."""
    name = max((t[0] for t, *_ in lines if "table" in t[0] and "candidate" not in t[0]),
               key=lambda o: sum(n for t, _, _, n in lines if t[0] == o))
    share = browser.run("""picture.set({search: arguments[0], how: 'exact'});
        return picture.tally.matched(picture.matchNow, 0, picture.widthsNow)""", name)
    same(share, sum(n for t, _, _, n in lines if t[0] == name) / sum(n for *_, n in lines), f"share of {name}")
    browser.run("""picture.set({search: '', how: 'plain'});
        picture.zoom(alike(picture.data, 0, arguments[0], 0)[0])""", name)
    fragment = browser.run("return location.hash")
    expect("root=data" in fragment and f"zoom={name}" in fragment, f"the address doesn't keep the view: {fragment}")
    opened(browser, page, fragment)
    expect(browser.run("return nodeName(picture.data, picture.zoomNow)") == name, "the link doesn't lead back")
    browser.keys("0")
    rows = "return [picture.table.ofData, ...picture.table.order.map(f => functionName(picture.data, f))]"
    browser.wait("return picture.table.ofData")
    of_data, *names = browser.run(rows)
    wanted = {w for t, *_ in lines for w in t if w}
    expect(of_data and set(names) == wanted, f"the table has {sorted(set(names) ^ wanted)[:3]} too many or not")
    first = browser.run("const {figures, order} = picture.table; return order.map(f => figures[0].total[f])")
    expect(first == sorted(first, reverse=True), "the table of data isn't sorted")
    browser.keys("f")
    browser.wait("return !picture.table.ofData")
    expect(not set(browser.run(rows)[1:]) & {name}, "f doesn't show functions")
    browser.keys("f")
    browser.keys("\ue013\ue013")
    expect(browser.run("return picture.data.tree.depth[picture.graph.scene.cursor]") == 1, "arrows don't go up")
    browser.run("picture.hover(1, {clientX: 300, clientY: 300})")
    quiet(browser)


def check_recorded_data(browser, page, rows):
    """Towers of a recording are the report's rows; both pictures have one sum."""
    with open(rows) as file:
        report = json.load(file)
    want, in_all = {}, 0
    for row in report["rows"]:
        number = row["events"][0]["total"]["samples"]
        if row["parent"] is not None:
            key = (report["rows"][row["parent"]]["name"], row["name"].replace("_", " "))
            want[key] = want.get(key, 0) + number
        else:
            in_all += number
    opened(browser, page)
    same(browser.run("return picture.tally.total(0, 0)"), in_all, "samples rooted in code")
    opened(browser, page, "#root=data&type=page-faults_samples")
    frames, got_all = browser.run(FRAMES)
    same(got_all, in_all, "samples rooted in data")
    names = {}
    for name, kind, value, depth in frames:
        if depth == 1:
            names[name] = names.get(name, 0) + value
    variables = {name: sum(n for (o, _), n in want.items() if o == name) for name, _ in want if name[0] != "["}
    expect(len(variables) > 5, "the recording has too few variables")
    for name, number in variables.items():
        same(names.get(name, 0), number, f"samples of {name}")
    for kind, word in ((VALIDATED, "validated"), (CANDIDATE, "candidate"), (CONTRADICTED, "contradicted")):
        same(sum(v for _, k, v, _ in frames if k == kind), sum(n for (_, c), n in want.items() if c == word), word)
    quiet(browser)


def check_no_data(browser, page, _):
    for fragment in ("", "#root=data", "#root=data&list=data"):
        opened(browser, page, fragment)
        browser.keys("r")
        expect(browser.run("""return picture.rootNow === 'code' && document.getElementById('root').hidden &&
            document.getElementById('list').hidden && !document.getElementById('keys').textContent.includes('data')"""),
            "a page without data has the switch")
    quiet(browser)


# The class whose text begins so: asked for once for each line, again and again.
@functools.cache
def power_of(begin):
    return next(power for power in range(64) if folded.lasting(power).split("..")[0] == begin)


def lasting(who):
    """[class, whether its end was seen]; the texts of all classes, as the page's maker has them."""
    return power_of(who[4]["duration"].split("..")[0])


def in_range(lines, first, last):
    return [line for line in lines if first <= lasting(line[0]) <= last]


def time_of(lines):
    return sum(n for *_, n in lines)


def windows_of(lines):
    return len({who[4]["window_number"] for who, *_ in lines})


BAR = """const i = picture.windows.histogram.classes.findIndex(c => c.class === arguments[0]);
    return document.getElementById('bars').children[i]"""


def press_bar(browser, power, shift=False):
    """As what reads a page aloud does it."""
    browser.run(BAR.replace("return ", "") + ".dispatchEvent(new MouseEvent('click', {shiftKey: arguments[1]}))", power, shift)


def check_histogram(browser, lines, what):
    """Each class has its windows, each counted once, and what was measured in them; the parts add up."""
    classes, everything = browser.run("""const {classes, all} = picture.windows.histogram;
        return [classes.map(c => [c.class, c.windows[0], c.open[0], c.weight[0]]), [all.windows[0], all.weight[0]]]""")
    for power, windows, not_ended, weight in classes:
        mine = in_range(lines, power, power)
        same(windows, windows_of(mine), f"{what}: windows of 2^{power} ns")
        same(not_ended, windows_of([l for l in mine if l[0][4]["duration"].endswith("..")]), f"{what}: not ended, 2^{power} ns")
        same(weight, time_of(mine), f"{what}: time in windows of 2^{power} ns")
    same(everything[0], windows_of(lines), f"{what}: windows")
    same(everything[1], time_of(lines), f"{what}: time")
    powers = [c[0] for c in classes]
    expect(powers == list(range(powers[0], powers[-1] + 1)), f"{what}: the classes have gaps: {powers}")
    return classes


def check_windows(browser, page, lines):
    """The histogram, and that a range of it is what all else shows."""
    lines = list(folded.read(lines))
    opened(browser, page)
    expect(browser.run("return !document.getElementById('windows').hidden"), "there is no histogram")
    classes = check_histogram(browser, lines, "all")
    first, last = classes[len(classes) // 3][0], classes[-1][0]
    press_bar(browser, first)
    same(total(browser), time_of(in_range(lines, first, first)), "time of a class")
    press_bar(browser, last, True)
    chosen = in_range(lines, first, last)
    same(total(browser), time_of(chosen), "time of a range")
    same(total(browser, "events", "misses"), sum(n * 7919 % 1000 for *_, n in chosen), "misses of a range")
    check_histogram(browser, lines, "beside a range")
    check_search(browser, chosen, "plain", "LOCK")
    browser.run("picture.set({search: '', how: 'plain'})")
    check_functions(browser, chosen)
    check_range_of_a_choice(browser, lines, first, last)
    check_windows_of_a_name(browser, lines, first, last)
    check_range_and_zoom(browser, page, chosen, first, last)
    check_hands_on_windows(browser, page, classes)
    quiet(browser)
    print(f"{windows_of(lines)} windows in {len(classes)} classes agree")


def check_range_of_a_choice(browser, lines, first, last):
    pid = in_range(lines, first, last)[0][0][1]
    mine = [line for line in lines if line[0][1] == pid]
    choose(browser, "process", str(pid))
    check_histogram(browser, mine, "of a process")
    same(total(browser), time_of(in_range(mine, first, last)), "time of a process and a range")
    choose(browser, "type", "misses_events")
    same(browser.run("return picture.windows.histogram.all.weight[0]"), sum(n * 7919 % 1000 for *_, n in mine),
         "misses of a process in the histogram")
    choose(browser, "type", "work_time")
    choose(browser, "process", "")


def check_windows_of_a_name(browser, lines, first, last):
    names = browser.run("return [...document.getElementById('window').options].map(o => o.value)")
    expect(sorted(names) == sorted({""} | {who[4]["window"] for who, *_ in lines}), f"names of windows: {names}")
    for name in names[1:]:
        choose(browser, "window", name)
        mine = [line for line in lines if line[0][4]["window"] == name]
        check_histogram(browser, mine, name)
        same(total(browser), time_of(in_range(mine, first, last)), f"time of {name} in a range")
    choose(browser, "window", "")


def check_range_and_zoom(browser, page, chosen, first, last):
    node = browser.run("const n = picture.graph.widest(0); picture.zoom(n); return n")
    name = browser.run("return nodeName(picture.data, arguments[0])", node)
    same(browser.run("return picture.tally.value(picture.zoomNow, 0, picture.typeNow)"),
         time_of([l for l in chosen if l[0][0] == name]), f"time of {name} in a range")
    fragment = browser.run("return location.hash")
    expect(f"lasted={first}-{last}" in fragment, f"the address doesn't keep the range: {fragment}")
    opened(browser, page, fragment)
    same(total(browser), time_of(chosen), "time of a range, by its link")
    expect(browser.run("return picture.zoomNow") == node, "the link doesn't keep the zoom")
    pressed = browser.run("return [...document.querySelectorAll('#bars [aria-pressed=true]')].length")
    expect(pressed == last - first + 1, f"{pressed} bars are pressed")
    browser.keys("\ue00c")
    expect(browser.run("return picture.view.lasted") == "", "Esc doesn't end the range")
    browser.keys("0")


def check_hands_on_windows(browser, page, classes):
    """Keys and the mouse; what is read aloud."""
    lasted = lambda: browser.run("return picture.view.lasted")
    opened(browser, page)
    stops = "return [...document.getElementById('bars').children].filter(b => b.tabIndex === 0).length"
    expect(browser.run(stops) == 1, "the tab key doesn't stop at one bar")
    browser.keys("h")
    expect(browser.run("return document.activeElement.parentNode.id") == "bars", "h doesn't lead to the bars")
    browser.keys("\ue012\ue014\ue014 ")  # left: stays; right, right, space
    at = classes[2][0]
    expect(lasted() == str(at), f"the keyboard has chosen '{lasted()}', not '{at}'")
    expect(browser.run(stops) == 1, "arrows leave more than one stop")
    said = browser.run("return document.activeElement.getAttribute('aria-label')")
    expect(f"{classes[2][1]} window" in said and " to " in said, f"read aloud: {said}")
    browser.hold("\ue008", "\ue014")  # Shift and right
    expect(lasted() == f"{at}-{at + 1}", f"Shift and an arrow have chosen '{lasted()}'")
    browser.hold("\ue008", "\ue012\ue012")
    expect(lasted() == f"{at - 1}-{at}", f"the range doesn't turn around: '{lasted()}'")
    browser.run("document.getElementById('windows-all').click()")
    expect(lasted() == "", "the button for all doesn't")
    place = """const b = document.getElementById('bars').children[arguments[0]].getBoundingClientRect();
        return [b.left + b.width / 2, b.top + b.height / 2]"""
    browser.click(*browser.run(place, 3))
    expect(lasted() == str(classes[3][0]), f"a click has chosen '{lasted()}'")
    browser.click(*browser.run(place, 3))
    expect(lasted() == "", "the same again doesn't end it")
    browser.drag(browser.run(place, 4), browser.run(place, 1))
    expect(lasted() == f"{classes[1][0]}-{classes[4][0]}", f"the mouse has drawn '{lasted()}'")
    browser.keys("w")
    expect(browser.run("return document.getElementById('windows').hidden") and lasted() == "", "w doesn't hide them")
    browser.keys("w")
    expect(browser.run("return !document.getElementById('windows').hidden"), "w doesn't show them")


def check_no_windows(browser, page, _):
    """A page without them is as it was, whatever its address says of them."""
    for fragment in ("", "#lasted=3-9&window=x&windows=on"):
        opened(browser, page, fragment)
        browser.keys("hw")
        expect(browser.run("""return document.getElementById('windows').hidden &&
            document.getElementById('windows-switch').hidden && !document.getElementById('keys').textContent.includes('durations')"""),
            "a page without windows has the histogram")
    quiet(browser)


def check_windows_of_two(browser, page, _):
    """Of a difference each side has its own."""
    opened(browser, page)
    classes = browser.run("return picture.windows.histogram.classes.map(c => [c.class, [...c.windows], [...c.weight]])")
    expect(classes == [[20, [2, 1], [300000, 50000]], [21, [0, 0], [0, 0]], [22, [1, 1], [100000, 150000]]], f"{classes}")
    same(browser.run("return document.querySelectorAll('#bars i').length"), 12, "columns")
    press_bar(browser, 22)
    same(total(browser), 100000, "the new one's time of a class")
    same(total(browser, expression="picture.tally.total(1, t)"), 150000, "the old one's time of a class")
    quiet(browser)


def check_odd_windows(browser, page, _):
    """What is in no window stays; names and durations of others do no harm; numbers may be missing."""
    opened(browser, page, "#lasted=99-1&window=%3Cimg%20src=x%3E")
    same(browser.run("return picture.windows.histogram.all.inNone[0]"), 700, "time in none")
    for fragment in ("#lasted=-1", "#lasted=1-2-3", "#lasted=%3Cimg%3E", "#window=constructor", ""):
        opened(browser, page, fragment)
        same(total(browser), 2200, f"time of all, by {fragment}")
    opened(browser, page, "#window=__proto__")
    same(total(browser), 500, "time of one with a name")
    names = browser.run("return [...document.getElementById('window').options].map(o => o.value)")
    expect("<img src=x onerror=alert(1)>" in names, f"names of windows: {names}")
    for name in names:
        choose(browser, "window", name)
    choose(browser, "window", "")
    note = browser.run("return document.getElementById('windows-note').textContent")
    expect("not recorded" in note and "is in none" in note, f"the note: {note}")
    press_bar(browser, 24)
    same(total(browser), 1000, "time of a class")
    expect(browser.alert() is None and browser.run("return document.querySelectorAll('img, b, svg').length") == 0,
           "a name has become an element")
    quiet(browser)


def check_recorded_windows(browser, page, rows):
    """As the report has it."""
    with open(rows) as file:
        report = json.load(file)
    opened(browser, page)
    got = browser.run("""return picture.windows.histogram.classes.filter(c => c.weight[0] > 0).map(c =>
        [2 ** c.class, c.windows[0], c.weight[0]])""")
    want = {}
    for row in report["rows"]:
        if row["parent"] is not None:
            power = power_of(row["name"].split("..")[0])
            want[2 ** power] = want.get(2 ** power, 0) + row["events"][0]["total"]["time_ns"]
    expect({p: w for p, _, w in got} == want, f"the page has {got}, the report {want}")
    print(sum(n for _, n, _ in got), "windows with samples")
    quiet(browser)


def check_hostile_data(browser, page, _):
    """Names of data do no harm either, and stay apart from the page's own words."""
    opened(browser, page, "#root=data")
    browser.wait("return picture.table.order.length")
    browser.run("""for (const row of document.querySelectorAll('.row')) row.click();
        for (let i = 0; i < picture.data.tree.n; i++) { picture.hover(i, {clientX: 300, clientY: 300}); picture.zoom(i); }""")
    expect(browser.alert() is None and not browser.run("return window.hacked"), "a name has run")
    expect(browser.run("return document.scripts.length") == 1, "there are more scripts than the page's own")
    expect(browser.run("return document.querySelectorAll('img, b, iframe, svg, script[src], a').length") == 0,
           "a name has become an element")
    browser.run("picture.zoom(0)")
    frames, all_of_it = browser.run(FRAMES)
    names = {name: kind for name, kind, *_ in frames}
    for name, kind in (("</script><script>alert(1)</script>", OBJECT), ("a;b\x01\x1b[31m\nc", MEMBER),
                       ("[no data object]", OBJECT), ("validated", MEMBER), ("y" * 100000, MEMBER),
                       ("<b>class</b>", NOT_KNOWN)):
        expect(names.get(name) == kind, f"{name[:40]!r} is of kind {names.get(name)}")
    same(sum(value for _, _, value, depth in frames if depth == 1), all_of_it, "the sum of objects")
    expect(not [f for f in frames if f[1] == VALIDATED], "a name looks like what is validated")
    quiet(browser)


def check_hands(browser, page, _):
    """What keys and the mouse do, and that the address keeps it."""
    view = lambda key: browser.run(f"return picture.view.{key}")
    opened(browser, page)
    dark = os.environ.get("DARK") == "1"
    expect(browser.run("return matchMedia('(prefers-color-scheme: dark)').matches") == dark, f"DARK is not {dark}")
    browser.wait("return picture.table.order.length")
    expect(browser.run("const {scene, scroll} = picture.graph; return scene.content > scroll.clientHeight"), "it is low")
    expect(browser.wait("const {scroll} = picture.graph; return scroll.scrollTop + scroll.clientHeight === scroll.scrollHeight"),
           "it doesn't begin at the root")
    # where there is more room, or less, the root stays in sight
    for change in ("const d = document.createElement('div'); d.id = 'more'; d.style = 'flex: none; height: 120px'; document.body.prepend(d)",
                   "document.getElementById('more').remove()"):
        before = browser.run("return picture.graph.scroll.clientHeight")
        browser.run(change)
        browser.wait(f"return picture.graph.fitted !== {before}")
        expect(browser.run("const {scroll} = picture.graph; return Math.abs(scroll.scrollTop + scroll.clientHeight - scroll.scrollHeight) <= 1"),
               "the root is out of sight")
    browser.keys("i")
    expect(view("layout") == "icicle", "i doesn't switch to icicle")
    x, y = browser.run("""const {left, top} = document.getElementById('canvas').getBoundingClientRect();
        const node = picture.graph.widest(0), {rowOf, end} = picture.data.tree, s = picture.graph.scene;
        const at = (s.widths[rowOf[node]] + s.widths[rowOf[end[node]]]) / 2;
        return [left + at / s.right * picture.graph.painter.width, top + 19 * 1.5 - s.top]""")
    browser.click(x, y)
    wanted = browser.run("return picture.graph.widest(0)")
    expect(browser.run("return picture.zoomNow") == wanted, "a click doesn't zoom")
    expect(browser.run("return document.getElementById('crumbs').children.length") == 2, "no way back is shown")
    expect("zoom=" in browser.run("return location.hash"), "the address doesn't keep the zoom")
    browser.keys("/")
    browser.keys("lock")
    expect(view("search") == "lock", "/ and text don't search")
    browser.keys("\ue007")
    browser.keys("c")
    expect(view("colours") == "module", "c doesn't switch colours")
    fragment = browser.run("return location.hash")
    opened(browser, page, fragment)
    expect(browser.run("return picture.zoomNow") == wanted and view("search") == "lock" and
           view("layout") == "icicle" and view("colours") == "module", f"the link doesn't keep the view: {fragment}")
    browser.keys("\ue00c")
    expect(view("search") == "", "Esc doesn't end the search")
    browser.keys("\ue003")
    expect(browser.run("return picture.zoomNow") == 0, "Backspace doesn't zoom out")
    browser.run("history.back()")
    expect(browser.wait("return picture.zoomNow === arguments[0]", wanted), "back doesn't lead back")
    browser.wait("return picture.table.order.length")
    name = browser.run("const row = document.querySelector('.row'); row.click(); return row.nameText.textContent")
    expect(view("search") == name and view("how") == "exact", "a click on a row doesn't find it")
    browser.keys("?")
    expect(browser.run("return document.getElementById('help').open"), "? doesn't tell the keys")
    browser.keys("\ue00c")
    theme = browser.run("return document.documentElement.dataset.theme")
    browser.keys("d")
    expect(browser.run("return document.documentElement.dataset.theme") != theme, "d doesn't switch the theme")
    browser.print(os.environ.get("T", "/tmp") + "/page.pdf")
    quiet(browser)


def check_hostile(browser, page, _):
    """Names are what they are: nothing of them runs, or becomes an element."""
    for fragment in ("", "#search=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&zoom=%3Cb%3E/%25&type=%FF&nonsense&__proto__=1",
                     "#colours=module&layout=icicle"):
        opened(browser, page, fragment)
        browser.wait("return picture.table.order.length")
        browser.run("""picture.zoom(picture.graph.widest(picture.graph.widest(0)));
            for (const row of document.querySelectorAll('.row')) row.click();
            for (let i = 0; i < picture.data.tree.n; i++) picture.hover(i, {clientX: 300, clientY: 300});
            document.getElementById('foot').open = true;""")
        expect(browser.alert() is None, "a name has opened an alert")
        expect(not browser.run("return window.hacked"), "a name has run")
        expect(browser.run("return document.scripts.length") == 1, "there are more scripts than the page's own")
        expect(browser.run("return document.querySelectorAll('img, b, iframe, svg, script[src], a').length") == 0,
               "a name has become an element")
        texts = browser.run("return picture.data.texts")
        expect("</script><script>alert(1)</script>" in texts, "the hostile name isn't there as it is")
        quiet(browser)


STEP_MS = 10


def moment(line):
    return int(line[0][4].get("time", -1))


def time_between(lines, span):
    return sum(n for who, _, n in lines if span[0] <= moment((who,)) < span[1])


def check_timeline(browser, page, lines):
    """Each cell has what was measured then; a range has its sums, and two are compared."""
    lines = list(folded.read(lines))
    opened(browser, page)
    expect(browser.run("return !document.getElementById('heat').hidden"), "there is no heat map")
    all_time = sum(n for *_, n in lines)
    same(total(browser), all_time, "time")
    check_cells(browser, lines, "all")
    browser.run("picture.zoom(picture.graph.widest(picture.graph.widest(0)))")
    same(browser.run("return picture.timelines[0].heat.all"),
         browser.run("return picture.tally.value(picture.zoomNow, 0, picture.typeNow)"), "what the zoomed frame has")
    browser.run("picture.zoom(0)")
    pid = lines[0][0][1]
    choose(browser, "process", str(pid))
    check_cells(browser, [l for l in lines if l[0][1] == pid], "a process")
    choose(browser, "process", "")
    check_ranges(browser, lines, all_time)
    check_hands_on_times(browser, page)
    quiet(browser)
    print(f"{len(lines)} lines: moments, ranges and what they are compared with agree")


def check_timelines_of_two(browser, page, lines):
    """A heat map of each profile; a range of one is of its values alone, and both are compared."""
    sides = [list(folded.read(path)) for path in lines.split(",")]
    opened(browser, page)
    for side, of in enumerate(sides):
        check_cells(browser, of, f"side {side}", side)
    expect(browser.run("""const [a, b] = picture.timelines; return a.most === b.most && a.most === Math.max(a.heat.most, b.heat.most)
        && a.shape.columnSteps === b.shape.columnSteps"""), "colours or columns of the two mean different things")
    browser.run("picture.set({time: '200-1730', than: '300-900'})")
    for side, span in enumerate(((200, 1730), (300, 900))):
        same(total(browser, expression=f"picture.tally.total({side}, t)"), time_between(sides[side], span), f"range of side {side}")
    browser.run("document.getElementById('heat-all').click()")
    same(total(browser, expression="picture.tally.total(1, t)"), sum(n for *_, n in sides[1]), "all of the old one")
    left, top, shape = browser.run("""const b = picture.timelines[1].canvas.getBoundingClientRect();
        return [b.left, b.top, picture.timelines[1].shape]""")
    browser.click(left + 1.5 * shape["width"], top + 50)
    column_ms = shape["columnSteps"] * STEP_MS
    expect(browser.run("return [picture.view.time, picture.view.than]") == ["", f"{column_ms}-{2 * column_ms}"],
           "a click doesn't choose a column of the old one")
    same(total(browser), sum(n for *_, n in sides[0]), "all of the new one")
    said = browser.run("return document.getElementById('heat-old-note').textContent")
    expect(said.startswith("1.00"), f"the note says: {said}")
    expect(browser.run("return picture.by()") == "change" and browser.run("return document.getElementById('heat-than').hidden"),
           "a range could be compared with another one of its profile")
    quiet(browser)


def check_timeline_of_one_of_two(browser, page, lines):
    opened(browser, page)
    check_cells(browser, list(folded.read(lines)), "the old one", 1)
    expect(browser.run("return document.getElementById('heat-canvas').hidden"), "there is a heat map of the new one")
    browser.run("picture.set({time: '0-1000'})")
    expect(browser.run("return picture.tally.spans[0]") is None, "a range of what has no moments")
    browser.keys("g")
    expect(browser.run("return document.activeElement.id") == "heat-old-canvas", "g doesn't lead to it")
    quiet(browser)


def check_cells(browser, lines, what, side=0):
    weights, unknown, shape = browser.run(
        "const {heat, shape} = picture.timelines[arguments[0]]; return [[...heat.weights], heat.unknown, shape]", side)
    want = [0] * len(weights)
    for line in lines:
        step = moment(line) // STEP_MS
        if step >= 0:
            column, within = divmod(step, shape["columnSteps"])
            want[column * shape["cells"] + within // shape["cellSteps"]] += line[2]
    for i, (g, w) in enumerate(zip(weights, want)):
        same(g, w, f"{what}: cell {i}")
    same(unknown, sum(n for who, _, n in lines if "time" not in who[4]), f"{what}: what has no moment")


def check_ranges(browser, lines, all_time):
    one, two = (200, 1730), (3000, 5000)
    browser.run("picture.set({time: '200-1730'})")
    same(total(browser), time_between(lines, one), "time of a range")
    same(total(browser, "events", "misses"), sum(n * 7919 % 1000 for who, _, n in lines
                                                 if one[0] <= moment((who,)) < one[1]), "misses of a range")
    if browser.run("return picture.data.towers.n"):
        browser.run("picture.chooseRoot('data')")
        same(total(browser), time_between(lines, one), "time of a range, rooted in data")
        browser.run("picture.chooseRoot('code')")
    browser.run("picture.set({than: '3000-5000'})")
    same(total(browser), time_between(lines, one), "time of the new range")
    same(total(browser, expression="picture.tally.total(1, t)"), time_between(lines, two), "time of the old one")
    expect(browser.run("return picture.by()") == "change", "colours don't mean the change")
    expect(browser.wait("return document.querySelectorAll('#columns button').length === 4"), "no column of changes")
    said = browser.run("return document.getElementById('heat-note').textContent")
    expect("compared with 3.00" in said and "0.20" in said, f"the note says: {said}")
    browser.run("picture.set({time: ''})")
    same(total(browser), all_time, "time of all, which a range is compared with")
    browser.keys("\ue00c")  # Escape
    expect(browser.run("return picture.view.than") == "", "Escape doesn't end it")
    same(total(browser), all_time, "time of all again")
    expect(browser.run("return picture.by()") != "change", "colours still mean the change")
    expect(browser.wait("return document.querySelectorAll('#columns button').length === 3"), "the column stays")
    for odd in ("5-1", "x", "1", "-5-7", "99999999999-999999999999", "0-0"):
        browser.run("picture.set({time: arguments[0], than: arguments[0]})", odd)
        same(total(browser), all_time, f"time of {odd!r}")
    browser.run("picture.set({time: '', than: ''})")


def check_hands_on_times(browser, page):
    view = lambda: browser.run("return [picture.view.time, picture.view.than]")
    opened(browser, page)
    left, top, shape = browser.run("""const b = picture.timelines[0].canvas.getBoundingClientRect();
        return [b.left, b.top, picture.timelines[0].shape]""")
    column_ms = shape["columnSteps"] * STEP_MS
    cell = lambda column, k: (left + (column + 0.5) * shape["width"], top + 100 - (k + 0.5) * 100 / shape["cells"])
    browser.click(*cell(1, 5))
    expect(view() == [f"{column_ms}-{2 * column_ms}", ""], f"a click has chosen {view()}")
    browser.click(*cell(1, 9))
    expect(view() == ["", ""], "the same column again doesn't end it")
    browser.drag(cell(2, 4), cell(0, 3))
    cell_ms = shape["cellSteps"] * STEP_MS
    expect(view() == [f"{3 * cell_ms}-{2 * column_ms + 5 * cell_ms}", ""], f"the mouse has drawn {view()}")
    browser.keys("b")
    expect(browser.run("return document.getElementById('heat-than').getAttribute('aria-pressed')") == "true",
           "b doesn't ask for what to compare with")
    browser.click(*cell(3, 0))
    expect(view()[1] == f"{3 * column_ms}-{4 * column_ms}", f"what it is compared with is {view()}")
    browser.run("document.getElementById('heat-all').click()")
    expect(view() == ["", ""], "the button for all the time doesn't")
    browser.keys("g")
    expect(browser.run("return document.activeElement.id") == "heat-canvas", "g doesn't lead to it")
    browser.keys("\ue014\ue007")  # right, Enter
    at = browser.run("return picture.timelines[0].cursor")
    expect(view()[0] == f"{at // shape['columnSteps'] * column_ms}-{(at // shape['columnSteps'] + 1) * column_ms}",
           f"the keyboard has chosen {view()}")
    browser.hold("\ue008", "\ue014")  # Shift and right
    expect(view()[0] == f"{at * STEP_MS}-{(at + shape['columnSteps']) * STEP_MS + cell_ms}",
           f"Shift and an arrow have chosen {view()}")
    browser.keys("m")
    expect(browser.run("return document.getElementById('heat').hidden") and view() == ["", ""], "m doesn't hide it")
    browser.keys("m")
    expect(browser.run("return !document.getElementById('heat').hidden"), "m doesn't show it")
    opened(browser, page, "#time=1000-2000&than=3000-4000")
    expect(browser.run("return picture.tally.spans") == [[100, 200], [300, 400]], "a link doesn't keep the ranges")


def check_no_timeline(browser, page, _):
    opened(browser, page)
    expect(browser.run("""return document.getElementById('heat').hidden && document.getElementById('heat-switch').hidden
        && !picture.data.timeline"""), "a heat map of what has no moments")
    browser.keys("mgb")
    browser.run("picture.set({time: '0-1000', than: '2000-3000'})")
    expect(browser.run("return picture.data.sides") == 1, "something is compared")
    quiet(browser)


def check_odd_times(browser, page, _):
    """Moments that no recording has: they are of no known time, or far away."""
    opened(browser, page)
    heat, shape, steps = browser.run(
        "const {heat, shape} = picture.timelines[0]; return [[heat.all, heat.unknown], shape, picture.data.timeline]")
    same(heat[0], 10000, "all")
    same(heat[1], 7000, "what has no moment")
    expect(steps["steps"][0] <= 1 << 22, f"{steps['steps']} steps")
    expect(shape["columns"] * shape["width"] <= 1440, f"{shape['columns']} columns")
    quiet(browser)


def check_difference(browser, page, _):
    opened(browser, page)
    browser.wait("return picture.table.order.length")
    expect(browser.run("return picture.by()") == "change", "colours don't mean the change")
    shares = browser.run("""const {tally, data} = picture, name = n => nodeName(data, n), out = {};
        for (let i = 1; i < data.tree.n; i++)
            out[name(i)] = [0, 1].map(s => tally.value(i, s, picture.typeNow) / tally.total(s, picture.typeNow));
        return out;""")
    # new: grown 300, shrunk 100, new 100 of 500; old: grown 100, shrunk 100, gone 50 of 250
    for name, new, old in (("grown", .6, .4), ("shrunk", .2, .4), ("new", .2, 0), ("gone", 0, .2)):
        same(shares[name][0], new, f"new share of {name}")
        same(shares[name][1], old, f"old share of {name}")
    colour = browser.run("""const {data} = picture, out = {};
        for (let i = 1; i < data.tree.n; i++) out[nodeName(data, i)] = picture.changeColour(i).match(/\\d+/g).map(Number);
        return out;""")
    for name, more in (("grown", True), ("new", True), ("shrunk", False), ("gone", False)):
        red, _, blue = colour[name]
        expect((red > blue) == more, f"{name} has the colour {colour[name]}")
    expect(browser.run("return document.querySelectorAll('#legend i').length") == 5, "no legend")
    for width in ("old", "both"):
        browser.run("picture.set({width: arguments[0]})", width)
        expect(browser.run("""const {data, graph} = picture;
            for (let i = 1; i < data.tree.n; i++) if (nodeName(data, i) === 'gone') return graph.width(i) > 0"""),
            f"what is gone has no width in {width}")
    quiet(browser)


def check_ratios(browser, page, lines):
    """Colours by cycles per instruction: of each frame against the whole, and pale where it is a guess."""
    opened(browser, page)
    want = {}
    for who, frames, cycles in folded.read(lines):
        for name in ["all", *(name for _, name in frames)]:
            insn = int(who[-1]["insn"])
            here = cycles, insn, cycles // 1000 + 1, insn // 1000
            want[name] = tuple(map(sum, zip(want.get(name, (0, 0, 0, 0)), here)))
    browser.run("document.getElementById('by-ratio').click()")
    expect(browser.run("return picture.by()") == "ratio", "the button doesn't choose ratios")
    got = browser.run("""const {data, tally} = picture, ratio = picture.ratio(), paint = picture.painter(), out = {};
        for (let i = 0; i < data.tree.n; i++) {
            const here = ratioOfNode(ratio, tally, i), [r, , b] = paint(i).match(/\\d+/g).map(Number);
            out[nodeName(data, i)] = here && {value: here.value, sure: here.sure, error: here.error, red: r - b};
        }
        return out;""")
    for name, (cycles, insn, n, m) in want.items():
        if not insn:
            expect(got[name] is None, f"{name} has a ratio of nothing: {got[name]}")
            continue
        same(got[name]["value"], cycles / insn, f"cycles per instruction of {name}")
        same(got[name]["error"], (1 / n + 1 / m) ** .5, f"how sure that of {name} is")
        expect(got[name]["sure"] == (name != "few"), f"{name} is sure: {got[name]['sure']}")
    red = {name: figures["red"] for name, figures in got.items() if figures}
    expect(red["slow"] > 60 and red["fast"] < -60, f"colours don't tell slow from fast: {red}")
    expect(abs(red["all"]) < 20, f"the whole is not in the middle: {red}")
    expect(0 < red["few"] < red["slow"] * 3 / 4, f"as far from the whole, by few samples, is not pale: {red}")
    check_ratio_words(browser, want)
    browser.keys("c")
    expect(browser.run("return picture.by()") == "kind", "c doesn't lead from ratios to kinds")
    quiet(browser)


def check_ratio_words(browser, want):
    whole = want["all"][0] / want["all"][1]
    ends = browser.run("return [...document.querySelectorAll('#legend span')].map(s => parseFloat(s.textContent))")
    for at, times in ((0, 1 / 4), (2, 1), (4, 4)):
        expect(abs(ends[at] / (whole * times) - 1) < .01, f"the legend has {ends}, the whole is {whole}")
    expect(browser.wait("return [...document.querySelectorAll('#columns button')].some(b => b.textContent === 'CPI')"),
           "no column of ratios")
    browser.run("document.querySelector('#columns .ratio').click()")
    rows = browser.run("""return picture.table.order.map(f => functionName(picture.data, f))""")
    expect(rows[:3] == ["slow", "main", "fast"], f"sorted by ratio: {rows}")
    cells = browser.run("""const out = {};
        for (const row of document.querySelectorAll('.row:not([hidden])'))
            out[row.nameText.textContent] = row.querySelector('.ratio').textContent;
        return out;""")
    expect(cells["slow"] == "4.00" and cells["few"] == "~4.00" and cells["none"] == "–", f"the column has {cells}")
    facts = browser.run("""const {data, tally} = picture, out = {};
        for (let i = 0; i < data.tree.n; i++)
            out[nodeName(data, i)] = frameFacts(data, tally, i, picture.typeNow, 0).map(f => f.join(': '));
        return out;""")
    expect(any(f.startswith("cycles per insn: 4.00 (3.7") for f in facts["slow"]), f"slow: {facts['slow']}")
    expect(any("few samples" in f for f in facts["few"]), f"few: {facts['few']}")
    expect(not any("per insn" in f for f in facts["none"]), f"none: {facts['none']}")


def check_no_ratios(browser, page, _):
    opened(browser, page, "#colours=ratio")
    expect(browser.run("return picture.by() === 'kind' && document.getElementById('by-ratio').hidden"),
           "a page without ratios has colours of them")
    quiet(browser)


CODE_ROWS = """
    const lines = {}, insns = {}, sums = picture.code.columns.map(() => 0);
    let line = null;
    for (const row of document.getElementById('code-rows').children) {
        const cells = [...row.querySelectorAll('.number')].map(c => c.textContent);
        if (row.classList.contains('heading'))
            line = row.querySelector('code').textContent;
        if (row.classList.contains('insn'))
            (lines[line] ||= []).push(cells);
    }
    return lines;"""


def shown_code(browser):
    return browser.run("""return {title: document.getElementById('code-title').textContent,
        note: document.getElementById('code-note').textContent, hidden: document.getElementById('code').hidden,
        rows: document.getElementById('code-rows').children.length,
        columns: [...document.getElementById('code-columns').children].map(c => c.textContent),
        buttons: [...document.getElementById('code-lines').children].map(b => b.textContent)}""")


def click_frame(browser, name):
    """With the mouse, where the widest frame of that name is."""
    x, y = browser.run("""const f = [...Array(picture.data.functions.n).keys()].find(f => functionName(picture.data, f) === arguments[0]);
        const {graph} = picture, node = graph.widestOf(f), {rowOf, end, depth} = picture.data.tree, s = graph.scene;
        graph.bringIntoSight(node);
        const {left, top} = document.getElementById('canvas').getBoundingClientRect(), scroll = graph.scroll.scrollTop;
        const middle = (s.widths[rowOf[node]] + s.widths[rowOf[end[node]]]) / 2;
        return [left + (middle - s.left) / (s.right - s.left) * graph.painter.width,
            top + graph.painter.y(depth[node], {...s, top: scroll}) + 9]""", name)
    browser.click(x, y)


def check_code(browser, page, annotated):
    """A click on a frame shows its function's code, with what annotate says of it."""
    with open(annotated) as file:
        want = json.load(file)
    opened(browser, page)
    code = shown_code(browser)
    expect(not code["hidden"] and "hot" in code["buttons"], f"the page doesn't say what code it has: {code}")
    # some sample may lie in one of these, whose code is there then
    codes = browser.run("return picture.data.code.functions.map(c => c.name)")
    without = next(name for name in ("_start", "__libc_start_main", "main") if name not in codes)
    for name in ("hot", without, "spin_inner"):  # the last one has its code in hot
        browser.run("picture.zoom(0); picture.graph.jump()")
        click_frame(browser, name)
        code = shown_code(browser)
        expect(code["title"] == ("Code" if name == without else "hot"), f"a click on {name}: {code}")
        expect(name != without or f"no code of {name}" in code["note"], f"a click on {name}: {code}")
    code = shown_code(browser)
    expect(code["columns"] == ["cpu-clock · near", "page-faults · exact"], f"columns: {code['columns']}")
    figures = browser.run("""const {data, code} = picture, c = code.of.get(code.ofName('hot'));
        return {lines: codeLines(c, 0).map(([file, line, values]) => [line, ...values]), types: data.code.types, sums: c.sums}""")
    for event in ("cpu-clock", "page-faults"):
        at = figures["types"].index(event + "_sample")
        ours = {line[0]: line[1 + at] for line in figures["lines"]}
        theirs = {line["line"]: sum(e["self"]["samples"] for e in line["events"] if e["event"] == event) for line in want["lines"]}
        expect(ours == theirs, f"{event} by line: the page has {ours}, annotate {theirs}")
        expect(sum(ours.values()) == figures["sums"][at], f"{event}: lines don't add up to the function")
    rows = browser.run(CODE_ROWS)
    touch = [cells for line, cells in rows.items() if "line: touch" in line]
    expect(touch and ["100\u2009%"] == [c[1] for cells in touch for c in cells if c[1]], f"page faults are shown on {rows}")
    hottest = code["buttons"][0]
    expect(hottest.startswith("lines.c:"), f"the hottest line is {hottest}")
    browser.run("document.getElementById('code-lines').firstChild.click()")
    seen = browser.run("""const rows = document.getElementById('code-rows'), {top, bottom} = rows.getBoundingClientRect();
        return [...rows.children].filter(r => r.getBoundingClientRect().top >= top && r.getBoundingClientRect().bottom <= bottom)
            .map(r => r.textContent).join()""")
    expect(hottest.split("\u2002")[0] in seen, f"the hottest line isn't in sight: {seen}")
    check_code_hands(browser)
    quiet(browser)


def check_code_hands(browser):
    other = browser.run("return picture.data.code.functions.find(c => c.name !== 'hot').name")
    browser.run("picture.set({search: arguments[0], how: 'exact'})", other)
    expect(shown_code(browser)["title"] == other, "the code isn't that of the row that was picked")
    browser.run("picture.set({search: 'spin_inner', how: 'exact'})")
    expect(shown_code(browser)["title"] == "hot", "what was inlined isn't shown where it has its code")
    browser.run("picture.zoom(0); picture.set({search: '', how: 'plain'})")
    expect(shown_code(browser)["title"] == "Code", "there is code of nothing")
    click_frame(browser, "hot")
    browser.run("picture.set({search: '', how: 'plain'})")
    expect(shown_code(browser)["title"] == "hot", "the code isn't that of the zoom any more")
    browser.run("document.activeElement.blur()")
    browser.keys("k")
    expect(shown_code(browser)["hidden"] and "code=off" in browser.run("return location.hash"), "k doesn't hide the code")
    browser.keys("k")
    expect(not shown_code(browser)["hidden"], "k doesn't show it again")


def check_code_closed(browser, page, words):
    """Neither instructions nor sources that who asked for the page couldn't read."""
    opened(browser, page)
    codes = browser.run("return picture.data.code.functions")
    hot = next(c for c in codes if c["name"] == "hot")
    expect(all(not c["source"] for c in codes), "there is source")
    if words:
        expect(hot["read"] is None and words in hot["notes"][0], f"what is read: {hot['read']}, {hot['notes']}")
    else:
        expect(hot["read"] and any(isinstance(r, list) and r[1] for r in hot["rows"]), "there are no instructions")
    quiet(browser)


def check_hostile_code(browser, page, _):
    opened(browser, page)
    browser.run("for (let i = 1; i < picture.data.tree.n; i++) picture.zoom(i)")
    text = browser.run("return document.getElementById('code').textContent")
    for hostile in ("</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<b>source</b>", "<svg/onload=alert(1)>"):
        expect(hostile in text, f"{hostile} isn't there as it is: {text}")
    expect(browser.alert() is None and not browser.run("return window.hacked"), "something of it has run")
    expect(browser.run("return document.scripts.length") == 1, "there are more scripts than the page's own")
    expect(browser.run("return document.querySelectorAll('img, b, iframe, svg, script[src], a').length") == 0,
           "something of it has become an element")
    quiet(browser)


def check_no_code(browser, page, _):
    opened(browser, page)
    expect(browser.run("return document.getElementById('code').hidden && document.getElementById('code-switch').hidden"),
           "a page without code has room for it")
    browser.keys("k")
    expect(browser.run("return location.hash") == "", "k does something")
    quiet(browser)


def main():
    name, page, *rest = sys.argv[1:]
    with Browser(dark=os.environ.get("DARK") == "1") as browser:
        globals()["check_" + name](browser, page, *(rest or [None]))
        if os.environ.get("SHOT"):
            browser.run("picture.set({search: '', zoom: '', theme: ''})")
            browser.screenshot(os.environ["SHOT"])


main()
