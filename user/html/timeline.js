// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// When samples were: a column for each second (or more, of long recordings), what is within it from below to above;
// and the choice of a range of time, or of two that are compared.

const HEAT_HEIGHT = 100, HEAT_AXIS = 15, HEAT_CELLS = 50, HEAT_WIDEST = 40, HEAT_NARROWEST = 2, HEAT_LEVELS = 24;
const HEAT_COLUMNS_MS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 10800, 43200, 86400, 604800].map(s => 1000 * s);

// "1200-3400", in ms: [from, to) in steps, or null for all; side: whose timeline, 0 or 1.
function readSpan(text, timeline, side = 0) {
	const [, from, to] = /^(\d{1,10})-(\d{1,10})$/.exec(text) || [];
	if (from === undefined || !timeline || !timeline.steps[side] || Number(to) <= Number(from))
		return null;
	return [Math.floor(from / timeline.gridMs), Math.ceil(to / timeline.gridMs)];
}

function spanKey(span, {gridMs}) {
	return span ? `${span[0] * gridMs}-${span[1] * gridMs}` : "";
}

function momentText(ms) {
	const two = n => String(n).padStart(2, "0"), s = ms / 1000;
	if (s < 100)
		return s.toFixed(2) + "\u2009s";
	const clock = `${two(Math.floor(s / 60) % 60)}:${two(Math.floor(s) % 60)}`;
	return s < 3600 ? clock : Math.floor(s / 3600) + ":" + clock;
}

// How many columns of how many steps, of cells of how many, fit into so many pixels; of the longest of timelines.
function heatShape({gridMs, steps: sides}, width) {
	const steps = Math.max(...sides);
	const all = steps * gridMs, most = Math.max(1, Math.floor(width / HEAT_NARROWEST));
	const columnMs = HEAT_COLUMNS_MS.find(ms => all / ms <= most) || Math.ceil(all / most);
	const columnSteps = Math.max(1, Math.ceil(columnMs / gridMs)), columns = Math.ceil(steps / columnSteps);
	const cellSteps = Math.ceil(columnSteps / HEAT_CELLS);
	return {
		columnSteps, columns, cellSteps, cells: Math.ceil(columnSteps / cellSteps),
		width: Math.max(HEAT_NARROWEST, Math.min(HEAT_WIDEST, Math.floor(width / columns))),
	};
}

// What was measured below a node in each cell, of the rows that `isIn` has; all of it, and what has no moment.
function heatOf({moment, group, values, tree: {rowOf, end}}, side, isIn, node, type, shape) {
	const {columnSteps, columns, cellSteps, cells} = shape, weights = new Float64Array(columns * cells);
	let all = 0, unknown = 0;
	for (let r = rowOf[node]; r < rowOf[end[node]]; r++) {
		if (!isIn[group[r]])
			continue;
		const value = values[side][type][r], step = moment[r] - 1;
		all += value;
		if (step < 0)
			unknown += value;
		else
			weights[Math.floor(step / columnSteps) * cells + Math.floor(step % columnSteps / cellSteps)] += value;
	}
	return {weights, all, unknown, most: weights.reduce((a, b) => Math.max(a, b), 0)};
}

class Timeline {
	// side: whose it is, 0 or 1: old. on: {choose(span in steps or null, isSecond)}
	constructor(data, side, on) {
		Object.assign(this, {data, side, on});
		this.steps = data.timeline ? data.timeline.steps[side] : 0;
		this.there = this.steps > 0;
		this.of = part => byId((side ? "heat-old-" : "heat-") + part);
		this.canvas = this.of("canvas");
		this.context = this.canvas.getContext("2d", {alpha: false});
		this.cursor = this.anchor = 0;
		this.drawn = null;  // a range that is being drawn
		if (!this.there)
			return;
		this.canvas.addEventListener("pointerdown", event => this.press(event));
		this.canvas.addEventListener("pointermove", event => this.move(event));
		this.canvas.addEventListener("pointerup", event => this.release(event));
		this.canvas.addEventListener("pointercancel", () => this.draw(this.drawn = null));
		this.canvas.addEventListener("pointerleave", () => this.drawn || this.say(-1));
		this.canvas.addEventListener("keydown", event => this.key(event));
		this.canvas.addEventListener("focus", () => this.draw());
		this.canvas.addEventListener("blur", () => this.draw());
		new ResizeObserver(() => this.what && this.canvas.offsetParent && this.show(this.what)).observe(byId("heat"));
	}

	// what: {isIn, node, type, spans: [the range, what it is compared with here], second: whether the next range is
	// the latter, shades, theme, words, beside: another timeline, whose colours mean the same, or null}
	show(what) {
		this.what = what;
		this.measure(what);
		if (what.beside)
			what.beside.measure(what);
		this.most = Math.max(this.heat.most, what.beside ? what.beside.heat.most : 0);
		this.draw();
		this.say(-1);
	}

	measure({isIn, node, type}) {
		this.width = Math.max(1, byId("heat").clientWidth - 28);
		this.shape = heatShape(this.data.timeline, this.width);
		this.shape.columns = Math.ceil(this.steps / this.shape.columnSteps);
		this.heat = heatOf(this.data, this.side, isIn, node, type, this.shape);
	}

	// ---- the picture

	colour(level) {
		const v = level / HEAT_LEVELS;
		return this.what.theme === "dark" ? oklch(0.24 + 0.56 * v, 0.03 + 0.13 * v, 40 + 40 * v) :
			oklch(0.97 - 0.5 * v, 0.02 + 0.17 * v, 75 - 48 * v);
	}

	cellHeight() {
		return HEAT_HEIGHT / this.shape.cells;
	}

	resize() {
		const ratio = window.devicePixelRatio || 1, height = HEAT_HEIGHT + HEAT_AXIS;
		const {columns, width: each} = this.shape;
		this.used = Math.min(this.width, Math.max(columns * each, 120));
		this.canvas.width = Math.max(1, Math.round(this.used * ratio));
		this.canvas.height = Math.round(height * ratio);
		this.canvas.style.width = this.used + "px";
		this.canvas.style.height = height + "px";
		this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
	}

	draw() {
		const {context, what, most, shape: {columns, columnSteps, cells, cellSteps, width}, heat: {weights}} = this;
		const height = this.cellHeight(), spans = [...what.spans, this.drawn].filter(Boolean);
		this.resize();
		context.fillStyle = what.shades.page;
		context.fillRect(0, 0, this.used, HEAT_HEIGHT + HEAT_AXIS);
		const gap = width > 5 ? 1 : 0, colours = Array.from({length: HEAT_LEVELS + 1}, (_, i) => this.colour(i));
		for (let c = 0; c < columns; c++) {
			for (let k = 0; k < cells; k++) {
				const weight = weights[c * cells + k], at = c * columnSteps + k * cellSteps;
				// what isn't chosen is pale
				context.globalAlpha = !spans.length || spans.some(s => at < s[1] && at + cellSteps > s[0]) ? 1 : 0.35;
				context.fillStyle = colours[weight > 0 ? 1 + Math.round((HEAT_LEVELS - 1) * (weight / most) ** 0.7) : 0];
				context.fillRect(c * width, HEAT_HEIGHT - (k + 1) * height, width - gap, height);
			}
		}
		context.globalAlpha = 1;
		this.mark(what.spans[1], what.theme === "dark" ? "#8ab4ff" : "#2058c8");
		this.mark(what.spans[0], what.spans[1] ? what.theme === "dark" ? "#ff8272" : "#c22f1d" : what.shades.line);
		this.mark(this.drawn, what.shades.line);
		if (document.activeElement === this.canvas)
			this.mark([this.cursor, this.cursor + this.shape.cellSteps], what.shades.text);
		this.axis();
	}

	// The columns of a range, each as far as it goes.
	mark(span, colour) {
		if (!span)
			return;
		const {context, shape: {columnSteps, columns, cellSteps, width}} = this, height = this.cellHeight();
		const y = step => HEAT_HEIGHT - step / cellSteps * height;
		context.fillStyle = colour;
		for (let c = Math.floor(span[0] / columnSteps); c < columns && c * columnSteps < span[1]; c++) {
			const from = Math.max(0, span[0] - c * columnSteps), to = Math.min(columnSteps, span[1] - c * columnSteps);
			context.globalAlpha = this.what.spans[1] ? 0.3 : 0.1;
			context.fillRect(c * width, y(to), width, y(from) - y(to));
			context.globalAlpha = 1;
			context.fillRect(c * width, y(from) - 2, width, 2);
			context.fillRect(c * width, y(to), width, 2);
		}
	}

	// Times below, as many as have room.
	axis() {
		const {context, what, shape: {columnSteps, columns, width}, data: {timeline: {gridMs}}} = this;
		context.font = `11px ${FONT_FAMILY}`;
		context.textBaseline = "top";
		context.fillStyle = what.shades.text;
		const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find(n => n * width >= 60) || columns;
		for (let c = 0; c < columns; c += every)
			context.fillText(momentText(c * columnSteps * gridMs).replace(/\.00(?=\u2009)/, ""), c * width, HEAT_HEIGHT + 3);
	}

	// ---- words

	share(span) {
		const {side, data: {moment, group, values, tree: {rowOf, end}}, what: {isIn, node, type}, heat} = this;
		let sum = 0;
		for (let r = rowOf[node]; r < rowOf[end[node]]; r++) {
			if (isIn[group[r]] && moment[r] > span[0] && moment[r] <= span[1])
				sum += values[side][type][r];
		}
		return heat.all > 0 ? sum / heat.all : 0;
	}

	spanWords(span) {
		const {gridMs} = this.data.timeline, [from, to] = span.map(step => step * gridMs);
		return `${momentText(from)} to ${momentText(to)}: ${percentText(this.share(span))} of ${this.what.words}`;
	}

	// Of the cell at that step, or of what is chosen.
	say(step) {
		const {data: {timeline: {gridMs}}, what: {spans, second, words}, heat, shape} = this, parts = [];
		if (step >= 0) {
			const [c, k] = [Math.floor(step / shape.columnSteps), Math.floor(step % shape.columnSteps / shape.cellSteps)];
			const weight = heat.weights[c * shape.cells + k] || 0, {unit} = this.data.types[this.what.type];
			parts.push(`${momentText(step * gridMs)}, ${whole.format(shape.cellSteps * gridMs)}\u2009ms: ` +
				(weight > 0 ? valueText(weight, unit) : "nothing"));
		} else if (spans[1]) {
			parts.push((spans[0] ? this.spanWords(spans[0]) : "all of it") + ", compared with " + this.spanWords(spans[1]));
		} else if (spans[0]) {
			parts.push(this.spanWords(spans[0]));
		}
		if (second)
			parts.push("choose the range to compare with");
		if (heat.unknown > 0)
			parts.push(`of ${percentText(heat.unknown / heat.all)} of ${words} it isn't known when`);
		this.of("note").textContent = parts.join(" · ") || (!this.mayCompare() ? "drag over a range, click for a column" :
			"drag over a range, click for a column; with Shift: the range to compare with");
	}

	// ---- hands

	// The first step of the cell there.
	stepAt(event) {
		const {columnSteps, columns, cellSteps, cells, width} = this.shape;
		const c = Math.max(0, Math.min(columns - 1, Math.floor(event.offsetX / width)));
		const k = Math.max(0, Math.min(cells - 1, Math.floor((HEAT_HEIGHT - event.offsetY) / this.cellHeight())));
		return Math.min(c * columnSteps + k * cellSteps, this.steps - 1);
	}

	// From the cell of one step to that of another, both whole.
	between(a, b) {
		return [Math.min(a, b), Math.max(a, b) + this.shape.cellSteps];
	}

	column(step) {
		const first = Math.floor(step / this.shape.columnSteps) * this.shape.columnSteps;
		return [first, first + this.shape.columnSteps];
	}

	press(event) {
		if (event.button > 0)
			return;
		this.anchor = this.cursor = this.stepAt(event);
		this.drawn = this.between(this.anchor, this.anchor);
		this.moved = false;
		this.canvas.setPointerCapture?.(event.pointerId);
		this.draw();
	}

	move(event) {
		const step = this.stepAt(event);
		if (this.drawn) {
			this.moved ||= step !== this.anchor;
			this.cursor = step;
			this.drawn = this.between(this.anchor, step);
			this.draw();
		}
		this.say(step);
	}

	release(event) {
		if (!this.drawn)
			return;
		const span = this.moved ? this.drawn : this.column(this.anchor);
		this.drawn = null;
		this.choose(span, event.shiftKey);
	}

	// The same one again: all.
	choose(span, shift) {
		const second = this.mayCompare() && (shift || this.what.second), now = this.what.spans[second ? 1 : 0];
		const again = now && now[0] === span[0] && now[1] === span[1];
		this.on.choose(again ? null : span, second || this.side === 1);
	}

	// Two ranges of one profile; of two profiles each has its own.
	mayCompare() {
		return !this.data.head.profiles[1];
	}

	key(event) {
		const {steps, shape: {columnSteps, cellSteps}} = this;
		const by = {ArrowLeft: -columnSteps, ArrowRight: columnSteps, ArrowUp: cellSteps, ArrowDown: -cellSteps}[event.key];
		if (event.key === "Enter" || event.key === " ") {
			this.choose(this.column(this.cursor), event.shiftKey);
		} else if (by) {
			const to = this.cursor + by;
			if (to >= 0 && to < steps)
				this.cursor = to;
			if (event.shiftKey)
				this.on.choose(this.between(this.anchor, this.cursor), this.what.second || this.side === 1);
			else
				this.anchor = this.cursor;
			this.draw();
			this.say(this.cursor);
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	}

	focus() {
		this.canvas.focus();
	}
}
