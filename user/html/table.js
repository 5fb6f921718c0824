// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Functions, or data, by what they took themselves and with what they called. Only the rows in sight are elements.

const ROW_HEIGHT = 30;

function element(name, properties = {}, ...children) {
	const e = Object.assign(document.createElement(name), properties);
	e.append(...children);
	return e;
}

class Table {
	// on: {pick(function), focus(function)}
	constructor(data, on) {
		this.data = data;
		this.on = on;
		this.rows = document.getElementById("rows");
		this.spacer = document.getElementById("rows-spacer");
		this.note = document.getElementById("side-note");
		this.pool = [];
		this.order = [];
		this.cursor = -1;
		this.settle();
		this.rows.addEventListener("scroll", () => this.draw(), {passive: true});
		this.rows.addEventListener("keydown", event => this.key(event));
		new ResizeObserver(() => this.draw()).observe(this.rows);
	}

	// With a column for the change, of two sides, or for the ratio that colours mean.
	settle() {
		const title = this.ratios ? this.ratios.ratio.title : "";
		if (this.sides === this.data.sides && this.title === title)
			return;
		Object.assign(this, {sides: this.data.sides, title});
		this.sort = {by: this.sides === 2 && !title ? "change" : "self", down: true};
		this.columns = [["name", "Function"], ["self", "Self"], ["total", "Total"]];
		if (title)
			this.columns.push(["ratio", title]);
		else if (this.sides === 2)
			this.columns.push(["change", "Change"]);
		for (const row of this.pool)
			row.remove();
		this.pool = [];
		this.makeHeader();
	}

	makeHeader() {
		const header = document.getElementById("columns");
		header.replaceChildren();
		header.classList.toggle("four", this.columns.length === 4);
		this.rows.classList.toggle("four", this.columns.length === 4);
		for (const [by, words] of this.columns) {
			const button = element("button", {type: "button", textContent: words, className: by, title: "Sort"});
			button.dataset.by = by;
			button.addEventListener("click", () => {
				this.sort = {by, down: this.sort.by === by ? !this.sort.down : by !== "name"};
				this.arrange();
			});
			header.append(button);
		}
	}

	// figures: one of Tally.figures for each side. ratios: {ratio, of(function)}, or null. match: functions to
	// mark, or to keep alone. ofData: objects, members and classes instead of functions; they have no self.
	show({figures, ratios, match, alone, unit, ofData}) {
		Object.assign(this, {figures, ratios, match, alone, unit, ofData});
		this.settle();
		document.getElementById("side").classList.toggle("of-data", ofData);
		document.querySelector("#columns .name").textContent = ofData ? "Data" : "Function";
		this.arrange();
	}

	shows(kind) {
		return this.ofData ? kind >= KIND_OBJECT : kind < KIND_PROCESS;
	}

	sortedBy() {
		return this.ofData && this.sort.by === "self" ? "total" : this.sort.by;
	}

	share(f, key, side = 0) {
		const figures = this.figures[side];
		return figures.all > 0 ? figures[key][f] / figures.all : 0;
	}

	change(f) {
		return this.share(f, "total") - this.share(f, "total", 1);
	}

	sorter() {
		const {texts, functions: {name}} = this.data, {self, total} = this.figures[0], by = this.sortedBy();
		if (by === "name")
			return (a, b) => a - b; // functions are sorted by name
		if (by === "ratio") { // guesses last
			const last = this.sort.down ? -1 : Number.MAX_VALUE;
			const keys = new Map(this.order.map(f => [f, this.ratios.of(f)]).map(([f, r]) => [f, r && r.sure ? r.value : last]));
			return (a, b) => keys.get(a) - keys.get(b);
		}
		if (by === "change") {
			const amount = new Map(this.order.map(f => [f, Math.abs(this.change(f))]));
			return (a, b) => amount.get(a) - amount.get(b);
		}
		const [first, second] = by === "self" ? [self, total] : [total, self];
		return (a, b) => first[a] - first[b] || second[a] - second[b] || (texts[name[b]] < texts[name[a]] ? -1 : 1);
	}

	arrange() {
		const {functions} = this.data;
		this.order = [];
		for (let f = 0; f < functions.n; f++) {
			if (this.shows(functions.kind[f]) && this.figures.some(s => s.total[f] > 0) &&
			    !(this.alone && this.match && !this.match[f]))
				this.order.push(f);
		}
		this.most = {self: 1e-9, total: 1e-9};
		for (const f of this.order) {
			for (const by of ["self", "total"])
				this.most[by] = Math.max(this.most[by], this.share(f, by));
		}
		const compare = this.sorter();
		this.order.sort(this.sort.down ? (a, b) => compare(b, a) : compare);
		for (const button of document.getElementById("columns").children) {
			const mine = button.dataset.by === this.sortedBy();
			button.setAttribute("aria-sort", mine ? this.sort.down ? "descending" : "ascending" : "none");
		}
		this.spacer.style.height = this.order.length * ROW_HEIGHT + "px";
		this.note.textContent = whole.format(this.order.length) + (this.ofData ? " objects, members and classes" :
			this.order.length === 1 ? " function" : " functions") +
			(this.alone && this.match ? " that match" : "");
		this.draw();
	}

	makeRow() {
		const name = element("span", {className: "name"}), module = element("span", {className: "module"});
		const row = element("div", {className: "row"}, element("div", {className: "who"}, name, module));
		const cells = this.columns.slice(1).map(([by]) => element("span", {className: "number " + by}));
		row.setAttribute("role", "row");
		row.append(...cells);
		row.addEventListener("click", () => this.on.pick(row.f));
		row.addEventListener("dblclick", () => this.on.focus(row.f));
		this.spacer.append(row);
		return Object.assign(row, {nameText: name, moduleText: module, cells});
	}

	draw() {
		if (!this.figures)
			return;
		const first = Math.max(0, Math.floor(this.rows.scrollTop / ROW_HEIGHT));
		const n = Math.min(Math.ceil(this.rows.clientHeight / ROW_HEIGHT) + 1, this.order.length - first);
		while (this.pool.length < n)
			this.pool.push(this.makeRow());
		this.pool.forEach((row, i) => {
			row.hidden = i >= n;
			if (i < n)
				this.fill(row, first + i);
		});
	}

	fill(row, at) {
		const f = this.order[at], {texts, functions} = this.data;
		row.f = f;
		row.style.transform = `translateY(${at * ROW_HEIGHT}px)`;
		row.classList.toggle("match", Boolean(this.match && !this.alone && this.match[f]));
		row.classList.toggle("cursor", at === this.cursor);
		row.nameText.textContent = functionName(this.data, f);
		row.moduleText.textContent = texts[functions.module[f]];
		row.title = functionName(this.data, f) + (functions.module[f] ? "\n" + texts[functions.module[f]] : "");
		this.columns.slice(1).forEach(([by], i) => {
			const cell = row.cells[i];
			if (by === "ratio") {
				const ratio = this.ratios.of(f);
				cell.textContent = ratio ? ratioText(ratio) : "–";
				cell.title = ratio ? ratioFact(this.ratios.ratio, ratio, null).join(": ") : "";
			} else if (by === "change") {
				const change = this.change(f);
				cell.textContent = pointsText(change);
				cell.classList.toggle("more", change > 0.00005);
				cell.classList.toggle("less", change < -0.00005);
			} else {
				cell.textContent = percentText(this.share(f, by));
				cell.title = valueText(this.figures[0][by][f], this.unit);
				cell.style.setProperty("--share", (100 * this.share(f, by) / this.most[by]).toFixed(1) + "%");
			}
		});
	}

	key(event) {
		const page = Math.floor(this.rows.clientHeight / ROW_HEIGHT);
		const step = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -1e9, End: 1e9}[event.key];
		if (step) {
			this.cursor = Math.max(0, Math.min(this.order.length - 1, this.cursor + step));
			const y = this.cursor * ROW_HEIGHT, height = this.rows.clientHeight;
			if (y < this.rows.scrollTop)
				this.rows.scrollTop = y;
			else if (y + ROW_HEIGHT > this.rows.scrollTop + height)
				this.rows.scrollTop = y + ROW_HEIGHT - height;
			this.draw();
		} else if (event.key === "Enter" && this.order[this.cursor] !== undefined) {
			(event.shiftKey ? this.on.focus : this.on.pick)(this.order[this.cursor]);
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	}
}
