// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The code of the hottest functions: lines and instructions with what was measured at each (user/render/html_code.h).

const CODE_HOT_LINES = 6;

// By what tells functions of the page apart.
const codeKey = (name, module, file, kind) => [name, module, file, kind].join("\0");

// [type, title] of a column for each event with something in the function: as it is looked at, else as it is measured.
function codeColumns(data, code, type) {
	const events = [...new Set(data.types.map(t => t.event))], {event} = data.types[type];
	const order = {time: 0, events: 1, samples: 2};
	return [event, ...events.filter(e => e !== event)].map(of => {
		const types = data.types.map((t, i) => i).filter(i => data.types[i].event === of && codeColumn(data, code, i) >= 0)
			.sort((a, b) => order[data.types[a].part] - order[data.types[b].part]);
		return of === event && types.includes(type) ? type : types[0];
	}).filter(t => t !== undefined && code.sums[codeColumn(data, code, t)] > 0);
}

// Where the page's type stands among a row's values, or -1.
function codeColumn(data, code, type) {
	const {name} = data.types[type];
	return name === null ? -1 : data.code.types.indexOf(name);
}

// What was measured on each line, the most first: [file, line, values].
function codeLines(code, column) {
	const lines = new Map();
	for (const row of code.rows) {
		if (!Array.isArray(row) || !row[6])
			continue;
		const key = row[3] + ":" + row[4], line = lines.get(key) || [row[3], row[4], row[6].map(() => 0)];
		row[6].forEach((value, i) => line[2][i] += value);
		lines.set(key, line);
	}
	return [...lines.values()].sort((a, b) => b[2][column] - a[2][column]);
}

class Code {
	// on: {pick(function)}
	constructor(data, on) {
		this.data = data;
		this.on = on;
		this.there = Boolean(data.code && data.code.functions.length);
		this.rows = byId("code-rows");
		if (!this.there)
			return;
		const {functions, texts} = data, byKey = new Map(data.code.functions.map(code =>
			[codeKey(code.name, code.module, code.file, code.kind), code]));
		this.of = new Map(); // function → its code
		for (let f = 0; f < functions.n; f++) {
			const code = byKey.get(codeKey(texts[functions.name[f]], texts[functions.module[f]], texts[functions.file[f]],
				functions.kind[f]));
			if (code)
				this.of.set(f, code);
		}
	}

	// The function whose instructions a frame's are: what is inlined has none of its own there.
	ofNode(node) {
		const {frame, parent} = this.data.tree, kind = this.data.functions.kind;
		while (node > 0 && frame[node] & 1 && kind[frame[node] >> 1] <= KIND_KERNEL)
			node = parent[node];
		return node > 0 ? frame[node] >> 1 : -1;
	}

	// Of what is called so: the function that has its code, or -1. What was only inlined has it in another one.
	ofName(name) {
		if (name === this.name)
			return this.named;
		const {tree: {frame, n}} = this.data;
		this.name = name;
		this.named = [...this.of.keys()].find(f => functionName(this.data, f) === name) ?? -1;
		for (let node = 1; this.named < 0 && node < n; node++) {
			if (functionName(this.data, frame[node] >> 1) === name && this.of.has(this.ofNode(node)))
				this.named = this.ofNode(node);
		}
		return this.named;
	}

	// f: the function, or -1; partial: not all samples are chosen.
	show({f, type, partial}) {
		const key = [f, type, partial].join();
		if (key === this.key)
			return;
		this.key = key;
		const code = this.of.get(f);
		byId("code-title").textContent = code ? code.name : "Code";
		byId("code-lines").replaceChildren();
		byId("code-columns").replaceChildren();
		this.rows.replaceChildren();
		byId("code").classList.toggle("empty", !code);
		byId("code-note").textContent = code ? this.note(code, partial) : "";
		if (code)
			this.fill(code, type);
		else
			this.offer(f);
	}

	note(code, partial) {
		const parts = [code.read || code.module];
		if (code.build_id)
			parts.push("build-id " + code.build_id.slice(0, 12));
		if (partial)
			parts.push("of the whole recording, whatever is chosen");
		return [...parts, ...code.notes].filter(Boolean).join(" · ");
	}

	// Which functions there are.
	offer(f) {
		byId("code-note").textContent = f >= 0 ? `The page has no code of ${functionName(this.data, f)}; it has that of` :
			"Click a function; the page has the code of";
		byId("code-lines").append(...[...this.of.keys()].filter(g => this.data.code.functions.indexOf(this.of.get(g)) < 12)
			.sort((a, b) => this.data.code.functions.indexOf(this.of.get(a)) - this.data.code.functions.indexOf(this.of.get(b)))
			.map(g => {
				const button = element("button", {type: "button", textContent: functionName(this.data, g)});
				button.addEventListener("click", () => this.on.pick(g));
				return button;
			}));
	}

	fill(code, type) {
		const columns = codeColumns(this.data, code, type);
		this.columns = columns.map(t => ({type: t, at: codeColumn(this.data, code, t)}));
		this.source = new Map(code.source.map(([file, line, text]) => [file + ":" + line, text]));
		this.most = this.columns.map(({at}) => code.rows.reduce((most, row) => Math.max(most, row[6] ? row[6][at] : 0), 1));
		byId("code-columns").append(...this.columns.map(({type: t}) => this.title(code, t)));
		byId("code").style.setProperty("--columns", this.columns.length);
		this.headings = new Map();
		const all = [], plain = code.kind > KIND_KERNEL;
		let before = null;
		for (const row of code.rows) {
			if (!Array.isArray(row)) {
				all.push(element("div", {className: "gap", textContent: `… ${countText(row, "instruction")} without samples nearby`}));
				before = null;
				continue;
			}
			const place = row.slice(3, 6).join(":");
			if (place !== before || plain)
				all.push(this.heading(code, row, plain));
			before = place;
			if (!plain)
				all.push(this.instruction(code, row));
		}
		this.rows.append(...all);
		this.rows.scrollTop = 0;
		this.showLines(code);
		this.goToHottest(code);
	}

	title(code, type) {
		const {event} = this.data.types[type], {nearness} = code.events.find(e => e.event === event) || {};
		const words = {exact: "exact: the instruction is the event's own", near: "near: the instruction is the event's own or one after it"};
		return element("span", {textContent: event + (nearness ? " · " + nearness : ""), title: words[nearness] ||
			"the recording doesn't say whether exact or near"});
	}

	cells(code, values) {
		return this.columns.map(({type, at}, i) => {
			const cell = element("span", {className: "number"}), value = values ? values[at] : 0;
			if (value > 0) {
				cell.textContent = percentText(value / code.sums[at]);
				cell.title = valueText(value, this.data.types[type].unit);
				cell.style.setProperty("--share", (100 * value / this.most[i]).toFixed(1) + "%");
			}
			return cell;
		});
	}

	placeText(code, [, , , file, line]) {
		return line ? code.files[file].replace(/.*\//, "") + ":" + line : "(line not known)";
	}

	heading(code, row, plain) {
		const key = row[3] + ":" + row[4];
		const place = element("span", {className: "place", textContent: this.placeText(code, row), title: code.files[row[3]]});
		const words = [place, element("span", {className: "source", textContent: this.source.get(key) || ""})];
		if (row[5])
			words.push(element("span", {className: "place", textContent: `(inlined: ${row[5]})`}));
		const heading = element("div", {className: "heading"}, ...this.cells(code, plain ? row[6] : null),
			element("code", {}, ...words));
		if (!this.headings.has(key))
			this.headings.set(key, heading);
		return heading;
	}

	instruction(code, row) {
		const [address, text, jumps, , , , values] = row;
		const words = text !== null ? text : code.read ? "(no instruction begins here)" : "";
		return element("div", {className: "insn"}, ...this.cells(code, values),
			element("code", {}, element("span", {className: "place", textContent: address.toString(16).padStart(8) + " "}),
				element("span", {className: "jumps", textContent: jumps + " "}), words));
	}

	// Links to the lines with most.
	showLines(code) {
		const {at} = this.columns[0] || {at: -1};
		if (at < 0)
			return;
		byId("code-lines").append(...codeLines(code, at).slice(0, CODE_HOT_LINES).filter(l => l[2][at] > 0).map(line => {
			const button = element("button", {type: "button", textContent: this.placeText(code, [0, 0, 0, line[0], line[1]]) +
				"\u2002" + percentText(line[2][at] / code.sums[at])});
			button.addEventListener("click", () => this.goTo(line[0] + ":" + line[1]));
			return button;
		}));
	}

	goTo(key) {
		const heading = this.headings.get(key);
		if (heading)
			this.rows.scrollTop = heading.offsetTop - 4;
	}

	goToHottest(code) {
		const {at} = this.columns[0] || {at: -1}, [line] = at < 0 ? [] : codeLines(code, at);
		if (line)
			this.goTo(line[0] + ":" + line[1]);
	}
}
