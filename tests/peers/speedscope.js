// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What speedscope makes of a file, without a browser: its page's script is loaded up to where it would draw, and its
// importer called. Usage: node speedscope.js SCRIPT FILE…: one line of JSON for each file, the sums of each profile.
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');

// Answers everything: for what the page asks of a browser while it is loaded.
function anything() {
	const answer = new Proxy(function () {}, {
		get: (_, key) => key === Symbol.toPrimitive ? () => '' : key === 'length' ? 0 : answer,
		apply: () => answer,
		construct: () => answer,
		set: () => true,
	});
	return answer;
}

function importer(script) {
	const source = fs.readFileSync(script, 'utf8');
	// the importer is a part that the page loads when it is asked for
	const [, exports] = /[\w$]+\(([\w$]+),\{importFromFileSystemDirectoryEntry:/.exec(source);
	const load = new RegExp('Promise\\.resolve\\(\\)\\.then\\(\\(\\)=>\\(([\\w$]+)\\(\\),' +
		exports.replace('$', '\\$') + '\\)\\)');
	const hooked = source.replace(load, (whole, init) => `(found=(${init}(),${exports}),${whole})`);
	const context = vm.createContext({
		console: { log() {}, warn() {}, error() {} }, TextDecoder, TextEncoder, Uint8Array, ArrayBuffer, atob, btoa,
		setTimeout, clearTimeout, performance, URL, Promise, BigInt, DataView, found: null,
		window: anything(), document: anything(), navigator: anything(), self: anything(), location: anything(),
		requestAnimationFrame() {}, localStorage: anything(), addEventListener() {}, matchMedia: anything(),
		HTMLElement: class {}, Node: class {}, Element: class {},
	});
	try {
		vm.runInContext(hooked, context);
	} catch (e) {
		if (!context.found)
			throw e; // else it missed something only when it began to draw
	}
	return context.found;
}

// [stack, weight] of one profile; a frame is its name.
function stacks(profile) {
	const sums = [];
	const walk = (node, names) => {
		const self = node.getSelfWeight();

		if (self)
			sums.push([names, self]);
		for (const child of node.children)
			walk(child, names.concat([child.frame.name]));
	};
	walk(profile.getAppendOrderCalltreeRoot(), []);
	return sums;
}

async function main(script, files) {
	const found = importer(script);

	for (const file of files) {
		const data = fs.readFileSync(file);
		const bytes = data.buffer.slice(data.byteOffset, data.byteOffset + data.length);
		const group = await found.importProfilesFromArrayBuffer(path.basename(file), bytes);
		const profiles = group ? group.profiles.map((p) => ({
			name: p.getName(), unit: p.getWeightUnit(), total: p.getTotalWeight(), stacks: stacks(p),
		})) : null;
		console.log(JSON.stringify({ file, profiles }));
	}
}

main(process.argv[2], process.argv.slice(3)).catch((e) => {
	console.error(e);
	process.exit(1);
});
