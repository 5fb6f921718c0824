// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What is looked at, and how: one object, which the page's address keeps after its #.

const DEFAULTS = {
	root: "code", list: "data", type: "", width: "new", container: "", pid: "", tid: "", window: "", lasted: "",
	windows: "on", time: "", than: "", heat: "on", code: "on", zoom: "", search: "", how: "plain", layout: "flame", colours: "", ratio: "", side: "on", theme: "",
};

function readView(hash) {
	const view = {...DEFAULTS};
	for (const part of hash.replace(/^#/, "").split("&")) {
		const at = part.indexOf("=");
		const key = part.slice(0, at);
		if (at > 0 && Object.hasOwn(DEFAULTS, key)) {
			try {
				// names within the zoom are encoded each, for they may contain a /
				const value = part.slice(at + 1);
				view[key] = key === "zoom" ? value : decodeURIComponent(value);
			} catch {
				// not written by us: as if it weren't there
			}
		}
	}
	return view;
}

function viewHash(view) {
	const parts = Object.keys(DEFAULTS).filter(key => view[key] !== DEFAULTS[key])
		.map(key => key + "=" + (key === "zoom" ? view[key] : encodeURIComponent(view[key])));
	return "#" + parts.join("&");
}

// With push, the browser's "back" leads to the view before.
function keepView(view, push) {
	const hash = viewHash(view);
	if (hash === (location.hash || "#"))
		return;
	try {
		history[push ? "pushState" : "replaceState"](null, "", hash);
	} catch {
		// too often (browsers allow some a second): the next one will do
	}
}

// Where a node is, by names, so that the link still fits a recording made again. What tells frames apart that
// have one name follows a ~: i if it is inlined, and which of several it is.
function zoomPath(data, node) {
	const {parent} = data.tree, names = [];
	for (; node > 0; node = parent[node]) {
		const nth = alike(data, parent[node], nodeName(data, node), data.tree.frame[node] & 1, node).length;
		const mark = (data.tree.frame[node] & 1 ? "i" : "") + (nth > 1 ? nth : "");
		names.push(encodeURIComponent(nodeName(data, node)).replaceAll("~", "%7E") + (mark && "~" + mark));
	}
	return names.reverse().join("/");
}

// The children of a node with that name, up to one of them.
function alike(data, node, name, inlined, last = -1) {
	const {end, frame} = data.tree, found = [];
	for (let child = node + 1; child < end[node]; child = end[child]) {
		if ((frame[child] & 1) === inlined && nodeName(data, child) === name)
			found.push(child);
		if (child === last)
			break;
	}
	return found;
}

// As far as the path goes.
function nodeAt(data, path) {
	let node = 0;
	for (const part of path ? path.split("/") : []) {
		const [, encoded, inlined, nth] = /^([^~]*)~?(i?)(\d*)$/.exec(part) || [];
		let name;
		try {
			name = decodeURIComponent(encoded);
		} catch {
			return node;
		}
		const child = alike(data, node, name, inlined ? 1 : 0)[nth ? nth - 1 : 0];
		if (child === undefined)
			return node;
		node = child;
	}
	return node;
}

// Which functions a search means, or null for none; throws if it is not a regular expression.
function searchMatch(data, text, how) {
	if (!text)
		return null;
	const {functions, texts} = data;
	const lower = text.toLowerCase(), regexp = how === "regexp" ? new RegExp(text, "i") : null;
	const fits = how === "exact" ? t => t === text :
		regexp ? t => regexp.test(t) : t => t.toLowerCase().includes(lower);
	const fit = texts.map(fits);
	const match = new Uint8Array(functions.n);
	for (let f = 0; f < functions.n; f++)
		match[f] = fit[functions.name[f]] || (how !== "exact" && fit[functions.module[f]]) ? 1 : 0;
	return match;
}
