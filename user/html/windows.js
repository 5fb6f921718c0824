// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Windows of time by how long they lasted: how many there were and what was measured in them, in classes each twice as
// long as the one before, and the choice of a range of these.

// Of a group's duration: its class (2^class ns and more), and whether its end was not seen.
const classOf = duration => duration - 1 >> 1, hasNoEnd = duration => duration > 0 && (duration & 1) === 0;

// "24", "24-26": [first, last], or null for all.
function readRange(text) {
	const [, first, last] = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(text) || [];
	return first === undefined ? null : [Number(first), Math.max(Number(first), Number(last ?? first))];
}

function rangeText(range) {
	return range ? range[0] === range[1] ? String(range[0]) : range.join("-") : "";
}

function spanText([first, last]) {
	const text = power => scaled(2 ** power, TIME_UNITS);
	return last >= 63 ? `${text(first)} and more` : `${text(first)} to ${text(last + 1)}`;
}

// What lasted from the shortest class of the page to the longest, of the groups that `fits` says. weights: by side, by
// group.
function histogramOf({groups, sides}, weights, fits) {
	const known = groups.duration.filter(d => d > 0).map(classOf);
	const first = known.reduce((a, b) => Math.min(a, b), 63), last = known.reduce((a, b) => Math.max(a, b), 0);
	const zeros = () => new Float64Array(sides);
	const classes = Array.from({length: known.length ? last - first + 1 : 0},
		(_, i) => ({class: first + i, windows: zeros(), open: zeros(), weight: zeros()}));
	const all = {windows: zeros(), open: zeros(), weight: zeros(), inNone: zeros()};

	for (let g = 0; g < groups.n; g++) {
		if (!fits(g))
			continue;
		const duration = groups.duration[g], to = duration ? classes[classOf(duration) - first] : null;
		for (let side = 0; side < sides; side++) {
			const windows = groups.windows[side][g], weight = weights[side][g];
			all.weight[side] += weight;
			if (!to) {
				all.inNone[side] += weight;
				continue;
			}
			for (const sums of [to, all])
				sums.windows[side] += windows;
			to.weight[side] += weight;
			if (hasNoEnd(duration)) {
				to.open[side] += windows;
				all.open[side] += windows;
			}
		}
	}
	return {classes, all};
}

class Windows {
	// on: {choose(range or null)}
	constructor(data, on) {
		this.data = data;
		this.on = on;
		this.bars = byId("bars");
		this.range = null;
		this.anchor = 0; // from which a range is extended
		this.there = data.groups.duration.some(d => d > 0);
		this.numbered = data.groups.windows.some(side => side.some(n => n > 0));
		this.bars.addEventListener("keydown", event => this.key(event));
	}

	// histogram: of histogramOf; range: [first, last] or null; what: the words for what is measured.
	show(histogram, range, what) {
		const {classes} = histogram;
		Object.assign(this, {histogram, range, what});
		if (this.bars.children.length !== classes.length || this.sides !== this.data.sides)
			this.makeBars(classes.length);
		const most = {windows: this.most("windows"), weight: this.most("weight")};
		classes.forEach((of, i) => this.fill(this.bars.children[i], of, most));
		this.keepOneStop();
		byId("windows-all").disabled = !range;
		byId("windows-note").textContent = this.note();
	}

	makeBars(n) {
		this.sides = this.data.sides;
		this.bars.replaceChildren(...Array.from({length: n}, (_, i) => {
			const columns = element("span", {className: "columns"});
			for (const kind of ["windows", "weight"]) {
				for (let side = this.data.sides - 1; side >= 0; side--)
					columns.append(element("i", {className: kind + (side ? " old" : "")}));
			}
			const button = element("button", {type: "button"}, element("span", {className: "figure"}), columns,
				element("span", {className: "from"}));
			button.addEventListener("click", event => this.click(i, event));
			button.addEventListener("pointerdown", event => this.press(i, event));
			button.addEventListener("pointerenter", event => this.drag(i, event));
			return button;
		}));
	}

	share(of, kind, side) {
		const all = this.histogram.all[kind][side];
		return all > 0 ? of[kind][side] / all : 0;
	}

	most(kind) {
		let most = 1e-12;
		for (const of of this.histogram.classes) {
			for (let side = 0; side < this.data.sides; side++)
				most = Math.max(most, this.share(of, kind, side));
		}
		return most;
	}

	isIn(i) {
		return this.range !== null && i >= this.range[0] && i <= this.range[1];
	}

	fill(button, of, most) {
		const [figure, columns, from] = button.children;
		figure.textContent = this.numbered ? shortText(of.windows[0], "count") : percentText(this.share(of, "weight", 0));
		from.textContent = scaled(2 ** of.class, TIME_UNITS);
		button.setAttribute("aria-pressed", this.isIn(of.class));
		button.title = `${spanText([of.class, of.class])}: ${this.words(of)}`;
		button.setAttribute("aria-label", button.title);
		button.classList.toggle("empty", this.share(of, "weight", 0) === 0 && of.windows[0] === 0);
		for (const column of columns.children) {
			const kind = column.classList[0], share = this.share(of, kind, column.classList.contains("old") ? 1 : 0);
			column.style.height = share > 0 ? Math.max(4, 100 * share / most[kind]).toFixed(1) + "%" : "0";
		}
	}

	words(of) {
		const sides = this.data.sides === 2 ? ["new", "old"] : [""];
		return sides.map((side, i) => [
			...(this.numbered ? [countText(of.windows[i], "window")] : []),
			...(of.open[i] ? [`${whole.format(of.open[i])} of them not seen to end`] : []),
			`${percentText(this.share(of, "weight", i))} of ${this.what}`,
		].join(", ") + (side && ` (${side})`)).join("; ");
	}

	note() {
		const {classes, all} = this.histogram, {sides} = this.data;
		const chosen = {windows: new Float64Array(sides), open: new Float64Array(sides), weight: new Float64Array(sides)};
		for (const of of classes) {
			if (this.range === null || this.isIn(of.class)) {
				for (const kind of ["windows", "open", "weight"])
					of[kind].forEach((n, side) => chosen[kind][side] += n);
			}
		}
		const parts = [(this.range ? spanText(this.range) + ": " : "") + this.words(chosen)];
		if (all.inNone[0] > 0)
			parts.push(percentText(all.inNone[0] / all.weight[0]) + " is in none");
		if (!this.numbered)
			parts.push("how many they were is not recorded");
		return parts.join(" · ");
	}

	// ---- hands

	// That class alone; the same one again: all. With extend up to there, from the one before.
	pick(i, extend) {
		const {class: at} = this.histogram.classes[i], {anchor} = this;
		if (extend && this.range) {
			this.on.choose([Math.min(anchor, at), Math.max(anchor, at)]);
		} else {
			const again = this.range && this.range[0] === at && this.range[1] === at;
			this.anchor = at;
			this.on.choose(again ? null : [at, at]);
		}
	}

	// Of the mouse, of keys, and of what reads the page aloud.
	click(i, event) {
		if (!this.dragged)
			this.pick(i, event.shiftKey);
		this.dragged = false;
	}

	press(i, event) {
		event.target.releasePointerCapture?.(event.pointerId);
		[this.from, this.dragged] = [i, false];
	}

	drag(i, event) {
		if (!(event.buttons & 1) || this.from === undefined)
			return;
		this.dragged = true;
		this.anchor = this.histogram.classes[this.from].class;
		this.on.choose([this.anchor, this.histogram.classes[i].class].sort((a, b) => a - b));
	}

	// The tab key stops at one of them; arrows lead on.
	keepOneStop() {
		const buttons = [...this.bars.children], focused = buttons.indexOf(document.activeElement);
		const first = buttons.findIndex((_, i) => this.isIn(this.histogram.classes[i].class));
		const stop = focused >= 0 ? focused : Math.max(0, first);
		buttons.forEach((button, i) => button.tabIndex = i === stop ? 0 : -1);
	}

	key(event) {
		const buttons = [...this.bars.children], at = buttons.indexOf(document.activeElement);
		const step = {ArrowLeft: -1, ArrowRight: 1, Home: -64, End: 64}[event.key];
		if (at < 0 || !step)
			return;
		const to = Math.max(0, Math.min(buttons.length - 1, at + step));
		buttons[to].focus();
		if (event.shiftKey)
			this.extend(at, to);
		else
			this.keepOneStop();
		event.preventDefault();
		event.stopPropagation();
	}

	extend(at, to) {
		if (!this.range)
			this.pick(at, false);
		this.pick(to, true);
	}

	focus() {
		this.bars.querySelector("[tabindex='0']")?.focus();
	}
}
