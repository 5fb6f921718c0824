// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// From the text in the page to typed arrays: user/render/html_data.h says what the bytes are.
//
// Nodes of the tree are numbered in the order of a walk, root first (0: all). What is below a node is a run of
// numbers up to `end`, and what was measured there is a run of rows: between rowOf[node] and rowOf[end[node]].

const KIND_USER = 0, KIND_KERNEL = 1, KIND_JIT = 2, KIND_PYTHON = 3, KIND_SCRIPT = 4,
	KIND_ARTIFICIAL = 5, KIND_PROCESS = 6, KIND_OBJECT = 7, KIND_MEMBER = 8, KIND_VALIDATED = 9, KIND_CANDIDATE = 10,
	KIND_CONTRADICTED = 11, KIND_NOT_KNOWN = 12;

function bytesOfBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const chars = atob(text), bytes = new Uint8Array(chars.length);
	for (let i = 0; i < bytes.length; i++)
		bytes[i] = chars.charCodeAt(i);
	return bytes;
}

async function inflate(packed) {
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

function fillWhole(bytes, at, out, n) {
	for (let i = 0; i < n; i++) {
		let byte = bytes[at++], value = byte & 127;
		for (let shift = 7; byte > 127; shift += 7) {
			byte = bytes[at++];
			value |= (byte & 127) << shift;
		}
		out[i] = value;
	}
	return at;
}

function fillLarge(bytes, at, out, n) {
	for (let i = 0; i < n; i++) {
		let byte = bytes[at++], value = byte & 127;
		for (let scale = 128; byte > 127; scale *= 128) {
			byte = bytes[at++];
			value += (byte & 127) * scale;
		}
		out[i] = value;
	}
	return at;
}

class Columns {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}

	// n numbers of 7 bits a byte, the lowest first. They may have 53 bits: no shifts. One function for each
	// kind of array: one that stores into all kinds is slow.
	next(n, Type) {
		const out = new Type(n);
		const at = (Type === Uint32Array ? fillWhole : fillLarge)(this.bytes, this.at, out, n);
		if (at > this.bytes.length)
			throw new Error("the data ends too early");
		this.at = at;
		return out;
	}

	text(size) {
		const part = this.bytes.subarray(this.at, this.at + size);
		this.at += size;
		return new TextDecoder().decode(part);
	}
}

function sum(array) {
	let s = 0;
	for (let i = 0; i < array.length; i++)
		s += array[i];
	return s;
}

// Stacks one after the other, each by what it shares with the one before, become nodes.
function growTree(keep, add, frames, rowsOfStack) {
	const n = frames.length + 1;
	const tree = {
		n, frame: new Uint32Array(n), parent: new Int32Array(n), end: new Uint32Array(n).fill(n),
		depth: new Uint16Array(n), rowOf: new Uint32Array(n + 1),
	};
	const {frame, parent, end, depth, rowOf} = tree, path = new Int32Array(65536);
	let node = 1, row = 0, top = 0;

	parent[0] = -1;
	for (let s = 0; s < keep.length; s++) {
		while (top > keep[s])
			end[path[top--]] = node;
		for (let k = add[s]; k > 0; k--, node++) {
			frame[node] = frames[node - 1];
			parent[node] = path[top++];
			depth[node] = top;
			rowOf[node] = row;
			path[top] = node;
		}
		row += rowsOfStack[s];
	}
	rowOf[n] = row;
	return tree;
}

// Rows of one stack, group and tower say how much later than the one before they are; 0 is no moment, else a step + 1.
function fillMoments(moment, rowsOfStack, group, tower) {
	for (let s = 0, r = 0; s < rowsOfStack.length; s++) {
		for (let k = 0; k < rowsOfStack[s]; k++, r++) {
			if (k > 0 && group[r] === group[r - 1] && tower[r] === tower[r - 1])
				moment[r] += moment[r - 1];
		}
	}
	return moment;
}

function decode(bytes) {
	const columns = new Columns(bytes);
	const head = JSON.parse(columns.text(columns.next(1, Uint32Array)[0]));
	const sides = head.profiles[1] ? 2 : 1;
	const functions = {
		n: head.functions,
		name: columns.next(head.functions, Uint32Array),
		module: columns.next(head.functions, Uint32Array),
		file: columns.next(head.functions, Uint32Array),
		line: columns.next(head.functions, Uint32Array),
		kind: columns.next(head.functions, Uint32Array),
	};
	const towers = {
		n: head.towers,
		object: columns.next(head.towers, Uint32Array),
		member: columns.next(head.towers, Uint32Array),
		known: columns.next(head.towers, Uint32Array),
	};
	const groups = {
		n: head.groups,
		comm: columns.next(head.groups, Uint32Array),
		container: columns.next(head.groups, Uint32Array),
		pid: columns.next(head.groups, Float64Array),
		tid: columns.next(head.groups, Float64Array),
		window: columns.next(head.groups, Uint32Array),
		duration: columns.next(head.groups, Uint32Array),
		windows: Array.from({length: sides}, () => columns.next(head.groups, Uint32Array)),
	};
	const keep = columns.next(head.stacks, Uint32Array);
	const add = columns.next(head.stacks, Uint32Array);
	const frames = columns.next(sum(add), Uint32Array);
	const rowsOfStack = columns.next(head.stacks, Uint32Array);
	const tree = growTree(keep, add, frames, rowsOfStack);
	const group = columns.next(head.rows, Uint32Array);
	const tower = columns.next(towers.n ? head.rows : 0, Uint32Array);
	const moment = fillMoments(columns.next(head.grid_ms ? head.rows : 0, Uint32Array), head.grid_ms ? rowsOfStack : [], group,
		tower);
	const values = [];

	for (let side = 0; side < sides; side++)
		values.push(head.types.map(() => columns.next(head.rows, Float64Array)));
	const codeSize = columns.next(1, Uint32Array)[0];
	return {
		code: codeSize ? JSON.parse(columns.text(codeSize)) : null,
		head, ratios: head.ratios, functions, towers, groups, tree, group, tower, moment, values, sides, texts: head.texts,
		timeline: head.grid_ms ? {gridMs: head.grid_ms, steps: head.steps} : null,
		types: head.types, stacks: head.stacks, rows: head.rows,
	};
}

// Names, for people.
function functionName(data, f) {
	return data.texts[data.functions.name[f]] || "[unnamed]";
}

function nodeName(data, node) {
	return node === 0 ? "all" : functionName(data, data.tree.frame[node] >> 1);
}
