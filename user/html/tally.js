// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What was measured, of a choice of rows: a running sum over all rows, from which the value of each node is a
// difference of two, and so is its place in the picture.

class Tally {
	constructor(data) {
		this.data = data;
		this.sums = new Map(); // "side type" → running sums of the rows that are in
		this.choose({});
	}

	// Rows of that container, process, thread, window only (null or missing: of all), and of windows that lasted so
	// long: range, of classes. spans: for each side the steps of time, [from, to), or null: any.
	choose({range = null, spans = [null, null], ...who}) {
		const {groups} = this.data, fits = this.fitting(who);
		this.in = new Uint8Array(groups.n);
		for (let g = 0; g < groups.n; g++)
			this.in[g] = fits(g) && (range === null || groups.duration[g] > 0 &&
				classOf(groups.duration[g]) >= range[0] && classOf(groups.duration[g]) <= range[1]) ? 1 : 0;
		this.spans = spans;
		this.sums.clear();
	}

	fitting({container = null, pid = null, tid = null, window = null}) {
		const {groups} = this.data;
		return g => (container === null || groups.container[g] === container) &&
			(pid === null || groups.pid[g] === pid) && (tid === null || groups.tid[g] === tid) &&
			(window === null || groups.window[g] === window);
	}

	// What each group has, whatever is chosen.
	groupWeights(side, type) {
		const {groups, group, rows, values} = this.data, from = values[side][type], weights = new Float64Array(groups.n);
		for (let r = 0; r < rows; r++)
			weights[group[r]] += from[r];
		return weights;
	}

	// Rows have other numbers now.
	forget() {
		this.sums.clear();
	}

	// sums[row]: of all rows before it.
	running(side, type) {
		const key = side + " " + type;
		if (!this.sums.has(key)) {
			const {group, moment, rows, values} = this.data, from = values[side][type], span = this.spans[side];
			const sums = new Float64Array(rows + 1);
			let s = 0;
			for (let r = 0; r < rows; r++) {
				if (this.in[group[r]] && (!span || moment[r] > span[0] && moment[r] <= span[1]))
					s += from[r];
				sums[r + 1] = s;
			}
			this.sums.set(key, sums);
		}
		return this.sums.get(key);
	}

	total(side, type) {
		return this.running(side, type)[this.data.rows];
	}

	value(node, side, type) {
		const {rowOf, end} = this.data.tree, sums = this.running(side, type);
		return sums[rowOf[end[node]]] - sums[rowOf[node]];
	}

	self(node, side, type) {
		const {rowOf} = this.data.tree, sums = this.running(side, type);
		return sums[rowOf[node + 1]] - sums[rowOf[node]];
	}

	// Widths: running sums, or those of both sides, each of which counts half.
	widths(type, whose) {
		if (this.data.sides === 1 || whose !== "both")
			return this.running(this.data.sides === 2 && whose === "old" ? 1 : 0, type);
		const a = this.running(0, type), b = this.running(1, type);
		const ta = this.total(0, type) || 1, tb = this.total(1, type) || 1;
		return a.map((v, i) => v / ta + b[i] / tb);
	}

	// Share of the matching functions in what is below a node; what is within a match isn't counted again.
	matched(match, root, widths) {
		const {tree: {rowOf, end, frame}} = this.data;
		let s = 0;
		for (let i = root; i < end[root];) {
			if (i > 0 && match[frame[i] >> 1]) {
				s += widths[rowOf[end[i]]] - widths[rowOf[i]];
				i = end[i];
			} else {
				i++;
			}
		}
		const all = widths[rowOf[end[root]]] - widths[rowOf[root]];
		return all > 0 ? s / all : 0;
	}

	// Self of each function, in the whole.
	selves(side, type) {
		const {functions, tree: {n, rowOf, frame}} = this.data;
		const sums = this.running(side, type), self = new Float64Array(functions.n);

		for (let i = 1; i < n; i++) {
			const from = rowOf[i], to = rowOf[i + 1];
			if (to > from)
				self[frame[i] >> 1] += sums[to] - sums[from];
		}
		return self;
	}

	// Self and total of each function below a node; a function that calls itself is counted once.
	figures(root, side, type) {
		const {functions, tree: {rowOf, end, frame}} = this.data;
		const sums = this.running(side, type);
		const self = new Float64Array(functions.n), total = new Float64Array(functions.n);
		const open = new Uint32Array(functions.n); // up to which node it is on the way already

		for (let i = Math.max(root, 1); i < end[root]; i++) {
			const from = sums[rowOf[i]], to = sums[rowOf[end[i]]], f = frame[i] >> 1;
			if (to === from) {
				i = end[i] - 1; // nothing there
				continue;
			}
			self[f] += sums[rowOf[i + 1]] - from;
			if (i >= open[f]) {
				total[f] += to - from;
				open[f] = end[i];
			}
		}
		return {self, total, all: sums[rowOf[end[root]]] - sums[rowOf[root]]};
	}
}

// How sure it is that two shares differ: the distance of the two in standard errors, by how many samples there are.
function distance(count, all, countOld, allOld) {
	if (!all || !allOld)
		return 0;
	const p = (count + countOld) / (all + allOld);
	const error = Math.sqrt(p * (1 - p) * (1 / all + 1 / allOld));
	return error > 0 ? (count / all - countOld / allOld) / error : 0;
}

// The type that counts samples of the same event, or -1.
function samplesType(data, type) {
	return data.types.findIndex(t => t.event === data.types[type].event && t.part === "samples");
}
