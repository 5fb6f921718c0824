// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The same rows, rooted in data: object, member, how much is known of that, and on it the stack, root first. The page
// has stacks once; what stands on what follows from each row's tower.

// Rows by tower, those of one in the order that they have.
function rowsByTower({towers, tower, rows}) {
	const first = new Uint32Array(towers.n + 1), order = new Uint32Array(rows);
	for (let r = 0; r < rows; r++)
		first[tower[r] + 1]++;
	for (let t = 0; t < towers.n; t++)
		first[t + 1] += first[t];
	for (let r = 0; r < rows; r++)
		order[first[tower[r]]++] = r;
	return order;
}

function nodesOfRows({n, rowOf}, rows) {
	const nodes = new Uint32Array(rows);
	for (let node = 0; node < n; node++) {
		for (let r = rowOf[node]; r < rowOf[node + 1]; r++)
			nodes[r] = node;
	}
	return nodes;
}

// The frames that a tower begins with. Two of them never have all of one's in common: the last is of a kind of its own.
function towerFrames({object, member, known}, t) {
	return [object[t], member[t], known[t]].filter(f => f > 0).map(f => f - 1 << 1);
}

function inCommon(a, b) {
	let n = 0;
	while (n < a.length && n < b.length && a[n] === b[n])
		n++;
	return n;
}

// How deep two nodes have one path, the later of them second.
function sharedDepth({parent, end, depth}, a, b) {
	while (!(b <= a && a < end[b]))
		b = parent[b];
	return depth[b];
}

// A picture as `decode` makes it, or null if it would have more nodes than that.
function rootInData(data, most) {
	const {tree, towers, tower, group, moment, values, rows} = data, {frame, parent, depth} = tree;
	const order = rowsByTower(data), nodes = nodesOfRows(tree, rows);
	const begins = Array.from({length: towers.n}, (_, t) => towerFrames(towers, t));
	const keep = new Uint32Array(rows), add = new Uint32Array(rows);
	let all = 0;

	for (let i = 0; i < rows; i++) {
		const now = order[i], before = order[i - 1], begin = begins[tower[now]];
		if (i > 0 && tower[before] === tower[now])
			keep[i] = begin.length + sharedDepth(tree, nodes[before], nodes[now]);
		else if (i > 0)
			keep[i] = inCommon(begins[tower[before]], begin);
		add[i] = begin.length + depth[nodes[now]] - keep[i];
		all += add[i];
	}
	if (all > most)
		return null;
	const frames = new Uint32Array(all);
	for (let i = 0, end = 0; i < rows; i++) {
		const begin = begins[tower[order[i]]], kept = keep[i] - begin.length;
		let at = end += add[i];
		for (let node = nodes[order[i]]; depth[node] > Math.max(kept, 0); node = parent[node])
			frames[--at] = frame[node];
		for (let k = begin.length; k > keep[i]; k--)
			frames[--at] = begin[k - 1];
	}
	const inOrder = column => {
		const out = new column.constructor(rows);
		for (let i = 0; i < rows; i++)
			out[i] = column[order[i]];
		return out;
	};
	return {
		tree: growTree(keep, add, frames, new Uint32Array(rows).fill(1)), group: inOrder(group),
		moment: moment.length ? inOrder(moment) : moment,
		values: values.map(side => side.map(inOrder)),
	};
}
