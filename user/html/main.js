// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// One view, one picture: whatever changes the view goes through App.set(), and App.show() draws what follows
// from it. What is expensive is kept until what it is made of has changed.

function kept(make) {
	let key, value;
	return (...args) => {
		const now = args.join("\0");
		if (now !== key)
			[key, value] = [now, make(...args)];
		return value;
	};
}

class App {
	constructor(data) {
		this.data = data;
		this.tally = new Tally(data);
		this.colours = new Colours(data, this.tally);
		this.graph = new Graph(data, {zoom: node => this.zoom(node), hover: (node, event) => this.hover(node, event)});
		this.table = new Table(data, {pick: f => this.pick(f), focus: f => this.focus(f)});
		this.windows = new Windows(data, {choose: range => this.set({lasted: rangeText(range)})});
		this.timelines = [0, 1].map(side => new Timeline(data, side, {choose: (span, second) => this.chooseTime(span, second)}));
		this.timed = this.timelines.filter(t => t.there);
		this.code = new Code(data, {pick: f => this.focus(f)});
		this.sideOfThan = data.head.profiles[1] ? 1 : 0;
		this.second = false; // the next range of time is the one to compare with
		this.who = kept((container, pid, tid, window) => {
			const number = text => text === "" ? null : Number(text), name = data.texts.indexOf(window);
			return {container: number(container), pid: number(pid), tid: number(tid), window: name > 0 ? name : null};
		});
		this.choose = kept((container, pid, tid, window, lasted, time, than) => {
			this.tally.choose({...this.who(container, pid, tid, window), range: readRange(lasted),
				spans: [readSpan(time, data.timeline), readSpan(than, data.timeline, this.sideOfThan)]});
			return {};
		});
		this.weights = kept((type, sides) => data.values.map((_, side) => this.tally.groupWeights(side, type)));
		this.histogram = kept((type, sides, ...who) =>
			histogramOf(data, this.weights(type, sides), this.tally.fitting(this.who(...who))));
		this.widths = kept((type, width) => this.tally.widths(type, width));
		this.fill = kept((type, container, pid) => fillChoices(data, type, {...this.view, container, pid}));
		this.fillWindows = kept(type => fillSelect(byId("window"),
			choices(data, type, "window", g => data.texts[data.groups.window[g]], () => true).map(([, name]) => [name, name]),
			"all windows", data.groups.window.includes(0)));
		this.rank = kept(type => this.colours.rankModules(type));
		this.match = kept((text, how) => {
			try {
				byId("search").classList.remove("bad");
				return searchMatch(data, text, how);
			} catch {
				byId("search").classList.add("bad");
				return null;
			}
		});
		this.generation = 0;
		this.roots = {code: {tree: data.tree, group: data.group, moment: data.moment, values: data.values}};
		this.rootNow = "code";
		this.mostNodes = 1 << 24; // of a picture rooted in data; the page takes 400 MB then
		this.dark = matchMedia("(prefers-color-scheme: dark)");
	}

	start() {
		fillSelect(byId("type"), this.data.types.map((t, i) => [typeKey(this.data, i), typeWords(this.data, i)]));
		fillSelect(byId("ratio"), this.data.ratios.map(r => [ratioKey(r), ratioName(r)]));
		byId("root").hidden = this.data.towers.n === 0;
		byId("windows-switch").hidden = !this.windows.there;
		byId("heat-switch").hidden = this.timed.length === 0;
		byId("code-switch").hidden = !this.code.there;
		if (this.data.towers.n)
			byId("search").placeholder = "Function, module, data";
		showFoot(this.data, this.tally);
		this.listen();
		listenToKeys(this);
		this.view = readView(location.hash);
		this.show(false);
	}

	// ---- the view

	set(changes, push = false) {
		Object.assign(this.view, changes);
		this.show(push);
		keepView(this.view, push);
	}

	type() {
		const i = this.data.types.findIndex((t, k) => typeKey(this.data, k) === this.view.type);
		return i >= 0 ? i : this.defaultType();
	}

	// As the profile says; else the first one with anything in it.
	defaultType() {
		const wanted = this.data.head.profiles[0].default_type, has = i => this.tally.total(0, i) > 0;
		const named = this.data.types.findIndex(t =>
			[t.event, `${t.event}_${{time: "time", events: "event", samples: "sample"}[t.part]}`].includes(wanted));
		return named >= 0 && has(named) ? named : Math.max(0, this.data.types.findIndex((t, i) => has(i)));
	}

	// As what is looked at wants it, if the page has data, and not too much of it.
	root() {
		const {data, roots} = this;
		if (this.view.root !== "data" || data.towers.n === 0)
			return "code";
		if (roots.data === undefined)
			roots.data = rootInData(data, this.mostNodes);
		return roots.data ? "data" : "code";
	}

	takeRoot() {
		const root = this.root();
		if (root === this.rootNow)
			return;
		this.rootNow = root;
		Object.assign(this.data, this.roots[root]);
		this.tally.forget();
		this.graph.forget();
		this.hover(-1, null);
		this.nodePath = undefined;
		this.generation++;
	}

	// Two ranges of time are compared as two profiles are.
	takeSides() {
		const {data, roots, rootNow} = this, sides = readSpan(this.view.than, data.timeline) ? 2 : 1;
		if (!data.timeline || data.head.profiles[1] || (data.sides === sides && data.values.length === sides))
			return;
		const twice = one => Array.from({length: sides}, () => one);
		data.sides = sides;
		data.values = twice(roots[rootNow].values[0]);
		data.groups.windows = twice(data.groups.windows[0]);
		this.tally.forget();
		this.generation++;
	}

	theme() {
		return this.view.theme || (this.dark.matches ? "dark" : "light");
	}

	allColours() {
		const {sides, ratios} = this.data;
		return [...(sides === 2 ? ["change"] : []), "kind", "module", ...(ratios.length ? ["ratio"] : [])];
	}

	by() {
		const all = this.allColours();
		return all.includes(this.view.colours) ? this.view.colours : all[0];
	}

	// The one that colours mean: that of a cost, if nobody has chosen.
	ratio() {
		const {ratios} = this.data;
		return ratios.find(r => ratioKey(r) === this.view.ratio) || ratios.find(r => !r.more_is_better) || ratios[0];
	}

	// The node that the path leads to, or what of it the chosen rows have.
	zoomNode(widths) {
		const {tree} = this.data;
		let node = this.node(this.view.zoom);
		while (node > 0 && widths[tree.rowOf[tree.end[node]]] <= widths[tree.rowOf[node]])
			node = tree.parent[node];
		return node;
	}

	node(path) {
		if (path !== this.nodePath)
			[this.nodePath, this.nodeNumber] = [path, nodeAt(this.data, path)];
		return this.nodeNumber;
	}

	show(move = true) {
		this.takeRoot();
		this.takeSides();
		const {view, data, colours} = this, type = this.type(), theme = this.theme();
		const chosen = this.choose(view.container, view.pid, view.tid, view.window, view.lasted,
			view.time, view.than);
		if (chosen !== this.chosen) {
			this.chosen = chosen;
			this.generation++;
		}
		const widths = this.widths(type, view.width, this.generation);
		const zoom = this.zoomNode(widths), match = this.match(view.search, view.how);

		if (this.by() === "module")
			this.rank(type, this.generation);
		if (colours.shades !== SHADES[theme] || colours.by !== this.by())
			colours.use(theme, this.by());
		document.documentElement.dataset.theme = theme;
		document.body.classList.toggle("no-side", view.side === "off");
		Object.assign(this, {typeNow: type, zoomNow: zoom, matchNow: match, widthsNow: widths});
		this.graph.show({widths, zoom, match, flip: view.layout === "icicle", shades: colours.shades,
			dust: oklch(colours.shades.grey, 0.006, 90), keepColours: ["change", "ratio"].includes(this.by()),
			paint: this.painter()}, move);
		this.showControls();
		this.showTableSoon();
	}

	painter() {
		const {colours, data: {tree}} = this;
		switch (this.by()) {
		case "change":
			return node => this.changeColour(node);
		case "ratio":
			return this.ratioPainter();
		default:
			return node => node === 0 ? colours.all() : colours.frame(tree.frame[node]);
		}
	}

	ratioPainter() {
		const {colours, tally} = this, ratio = this.ratio(), whole = ratioOfNode(ratio, tally, 0);
		return node => {
			const here = ratioOfNode(ratio, tally, node);
			return here && whole ? colours.change(Math.round(20 * ratioAmount(ratio, here, whole)) / 20) : colours.none();
		};
	}

	legend() {
		const {colours, tally} = this, ratio = this.ratio();
		return this.by() !== "ratio" ? colours.legend() :
			ratioLegend(ratio, ratioOfNode(ratio, tally, 0), amount => colours.change(amount));
	}

	changeColour(node) {
		const {tally, typeNow: type} = this, total = side => tally.total(side, type) || 1;
		const now = tally.value(node, 0, type) / total(0), old = tally.value(node, 1, type) / total(1);
		const z = sureness(this.data, tally, node, type);
		const amount = (now - old) / Math.max(now, old, 1e-12);
		// what may be chance is pale
		return this.colours.change(Math.round(20 * amount * (z === null ? 1 : Math.min(1, Math.abs(z) / 3))) / 20);
	}

	showControls() {
		const {view, data, matchNow: match} = this, press = (id, on) => byId(id).setAttribute("aria-pressed", on);
		this.fill(this.typeNow, view.container, view.pid);
		byId("container").value = view.container;
		byId("process").value = view.pid;
		byId("thread").value = view.tid;
		byId("type").value = typeKey(data, this.typeNow);
		byId("width").value = view.width;
		if (byId("search").value !== view.search)
			byId("search").value = view.search;
		press("regexp", view.how === "regexp");
		press("exact", view.how === "exact");
		press("side-switch", view.side === "on");
		for (const root of ["code", "data"])
			press("root-" + root, this.rootNow === root);
		byId("root-data").disabled = this.roots.data === null;
		byId("root-note").hidden = this.roots.data !== null || view.root !== "data";
		byId("list").hidden = this.rootNow === "code";
		for (const list of ["data", "functions"])
			press("list-" + list, (view.list === "functions") === (list === "functions"));
		for (const layout of ["flame", "icicle"])
			press(layout, view.layout === layout);
		for (const by of ["change", "kind", "module", "ratio"])
			press("by-" + by, this.by() === by);
		byId("width").hidden = byId("by-change").hidden = data.sides === 1;
		byId("by-ratio").hidden = data.ratios.length === 0;
		byId("ratio").hidden = this.by() !== "ratio" || data.ratios.length < 2;
		byId("ratio").value = data.ratios.length ? ratioKey(this.ratio()) : "";
		byId("found").textContent = match ?
			percentText(this.tally.matched(match, this.zoomNow, this.widthsNow)) + " found" : "";
		byId("empty").hidden = !this.graph.empty;
		this.showWindows();
		this.showTimeline();
		this.showCode();
		showCrumbs(data, this.zoomNow, node => this.zoom(node));
		showLegend(this.colours, this.legend(), match);
	}

	showWindows() {
		const {view, data, windows, typeNow: type} = this;
		byId("windows-switch").setAttribute("aria-pressed", view.windows === "on");
		byId("windows").hidden = !windows.there || (view.windows !== "on" && !view.lasted && !view.window);
		if (byId("windows").hidden)
			return;
		this.fillWindows(type);
		byId("window").value = view.window;
		windows.show(this.histogram(type, data.sides, view.container, view.pid, view.tid, view.window), readRange(view.lasted),
			typeWords(data, type));
	}

	showTimeline() {
		const {view, data, timelines, timed, tally, colours, second, typeNow: type, zoomNow: node} = this, {spans} = tally;
		byId("heat-switch").setAttribute("aria-pressed", view.heat === "on");
		byId("heat").hidden = timed.length === 0 || view.heat !== "on";
		if (byId("heat").hidden)
			return;
		const compared = this.sideOfThan === 1;
		byId("heat-than").hidden = compared;
		byId("heat-than").setAttribute("aria-pressed", second);
		byId("heat-all").disabled = !spans[0] && !spans[1];
		byId("heat-title").textContent = compared ? "When: new" : "When";
		byId("heat-canvas").hidden = !timelines[0].there;
		byId("heat-old").hidden = !timelines[1].there;
		timed.forEach(timeline => timeline.show({isIn: tally.in, node, type, second, shades: colours.shades, theme: this.theme(),
			spans: compared ? [spans[timeline.side], null] : spans, beside: timed.find(other => other !== timeline) || null,
			words: node > 0 ? nodeName(data, node) : typeWords(data, type)}));
		if (!timelines[0].there)
			byId("heat-note").textContent = "not recorded with --timeline";
	}

	// Of a row that is picked, else of the zoom.
	showCode() {
		const {view, code} = this;
		byId("code-switch").setAttribute("aria-pressed", view.code === "on");
		byId("code").hidden = !code.there || view.code !== "on";
		if (byId("code").hidden)
			return;
		const picked = view.how === "exact" ? code.ofName(view.search) : -1;
		code.show({f: picked >= 0 ? picked : code.ofNode(this.zoomNow), type: this.typeNow, partial:
			["container", "pid", "tid", "window", "lasted", "time", "than"].some(key => view[key] !== "")});
	}

	// After the picture, and once for several changes.
	showTableSoon() {
		clearTimeout(this.tableTimer);
		this.tableTimer = setTimeout(() => {
			if (this.view.side === "off")
				return;
			const figures = [], ratio = this.by() === "ratio" ? this.ratio() : null;
			for (let side = 0; side < this.data.sides; side++)
				figures.push(this.tally.figures(this.zoomNow, side, this.typeNow));
			this.table.show({figures, ratios: ratio && this.ratiosOfFunctions(ratio), match: this.matchNow, alone: this.view.how !== "exact",
				unit: this.data.types[this.typeNow].unit,
				ofData: this.rootNow === "data" && this.view.list !== "functions"});
		}, 0);
	}

	// Of what each function does with what it calls, below the zoom.
	ratiosOfFunctions(ratio) {
		const totals = new Map();
		for (const type of [ratio.above, ratio.below, ratio.above_samples, ratio.below_samples].filter(t => t >= 0))
			totals.set(type, this.tally.figures(this.zoomNow, 0, type).total);
		return {ratio, of: f => ratioOf(ratio, type => totals.get(type)[f])};
	}

	// ---- what people do

	zoom(node) {
		if (node >= 0)
			this.set({zoom: zoomPath(this.data, node)}, true);
	}

	zoomOut() {
		this.zoom(this.zoomNow > 0 ? this.data.tree.parent[this.zoomNow] : 0);
	}

	zoomToCursor() {
		this.zoom(this.graph.scene.cursor);
	}

	hover(node, event) {
		const facts = node < 0 ? [] : frameFacts(this.data, this.tally, node, this.typeNow, this.zoomNow);
		showTip(this.data, facts, node, event);
		showDetails(this.data, facts, node);
	}

	// A row of the table; the same one again ends it.
	pick(f) {
		const search = functionName(this.data, f), again = this.view.how === "exact" && this.view.search === search;
		this.set(again ? {search: "", how: "plain"} : {search, how: "exact"});
	}

	focus(f) {
		this.set({search: functionName(this.data, f), how: "exact"});
		this.zoom(this.graph.widestOf(f));
	}

	// Each picture has frames of its own.
	chooseRoot(root) {
		this.set({root, zoom: ""}, true);
	}

	// What is hidden chooses nothing.
	switchWindows() {
		this.set(this.view.windows === "on" ? {windows: "off", window: "", lasted: ""} : {windows: "on"});
	}

	switchHeat() {
		this.second = false;
		this.set(this.view.heat === "on" ? {heat: "off", time: "", than: ""} : {heat: "on"});
	}

	switchCode() {
		this.set({code: this.view.code === "on" ? "off" : "on"});
	}

	compareNext() {
		this.second = this.sideOfThan === 0 && !this.second;
		this.showTimeline();
	}

	chooseTime(span, second) {
		this.second = false;
		this.set({[second ? "than" : "time"]: spanKey(span, this.data.timeline)}, true);
	}

	toggleHow(how) {
		this.set({how: this.view.how === how ? "plain" : how});
	}

	nextType() {
		this.set({type: typeKey(this.data, (this.typeNow + 1) % this.data.types.length)});
	}

	nextColours() {
		const all = this.allColours();
		this.set({colours: all[(all.indexOf(this.by()) + 1) % all.length]});
	}

	escape() {
		if (this.view.search)
			this.set({search: "", how: "plain"});
		else if (this.view.lasted)
			this.set({lasted: ""});
		else if (this.view.time || this.view.than)
			this.set({time: "", than: ""});
		else
			this.zoom(0);
		this.graph.putCursor(-1);
		document.activeElement.blur();
	}

	listen() {
		const on = (id, event, act) => byId(id).addEventListener(event, act);
		on("type", "change", () => this.set({type: byId("type").value}));
		on("width", "change", () => this.set({width: byId("width").value}));
		on("container", "change", () => this.set({container: byId("container").value, pid: "", tid: ""}));
		on("process", "change", () => this.set({pid: byId("process").value, tid: ""}));
		on("thread", "change", () => this.set({tid: byId("thread").value}));
		on("window", "change", () => this.set({window: byId("window").value}));
		on("windows-all", "click", () => this.set({lasted: ""}));
		on("windows-switch", "click", () => this.switchWindows());
		on("heat-switch", "click", () => this.switchHeat());
		on("code-switch", "click", () => this.switchCode());
		on("heat-than", "click", () => this.compareNext());
		on("heat-all", "click", () => this.set({time: "", than: ""}));
		on("search", "input", () => this.set({search: byId("search").value,
			how: this.view.how === "exact" ? "plain" : this.view.how}));
		on("search", "keydown", event => event.key === "Enter" && byId("scroll").focus());
		on("regexp", "click", () => this.toggleHow("regexp"));
		on("exact", "click", () => this.toggleHow("exact"));
		for (const layout of ["flame", "icicle"])
			on(layout, "click", () => this.set({layout}));
		on("ratio", "change", () => this.set({ratio: byId("ratio").value}));
		for (const colours of ["change", "kind", "module", "ratio"])
			on("by-" + colours, "click", () => this.set({colours}));
		for (const root of ["code", "data"])
			on("root-" + root, "click", () => this.chooseRoot(root));
		for (const list of ["data", "functions"])
			on("list-" + list, "click", () => this.set({list}));
		on("side-switch", "click", () => this.set({side: this.view.side === "on" ? "off" : "on"}));
		on("theme", "click", () => this.set({theme: this.theme() === "dark" ? "light" : "dark"}));
		on("help-switch", "click", () => byId("help").showModal());
		on("help-close", "click", () => byId("help").close());
		this.dark.addEventListener("change", () => this.show(false));
		window.addEventListener("popstate", () => this.reread());
		window.addEventListener("beforeprint", () => this.print(true));
		window.addEventListener("afterprint", () => this.print(false));
	}

	reread() {
		this.view = readView(location.hash);
		this.show();
	}

	print(begins) {
		if (begins) {
			this.shown = {theme: this.view.theme, open: byId("foot").open};
			this.view.theme = "light";
			byId("foot").open = true;
			this.show(false);
			this.graph.beforePrint();
		} else {
			this.view.theme = this.shown.theme;
			byId("foot").open = this.shown.open;
			this.show(false);
		}
	}
}

function fatal(text) {
	document.body.append(element("p", {className: "fatal", textContent: text}));
}

async function start() {
	performance.mark("start");
	if (typeof DecompressionStream === "undefined") {
		fatal("This picture needs a browser of 2023 or later (DecompressionStream).");
		return;
	}
	try {
		const packed = bytesOfBase64(byId("data").textContent);
		byId("data").remove();
		performance.mark("read");
		const bytes = await inflate(packed);
		performance.mark("inflated");
		const data = decode(bytes);
		performance.mark("decoded");
		window.picture = new App(data);
		window.picture.start();
		performance.mark("drawn");
	} catch (error) {
		fatal("This picture can't be shown: " + error.message);
		throw error;
	}
}

document.addEventListener("DOMContentLoaded", start);
