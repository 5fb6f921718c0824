// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What a frame's colour says. Colours are made in OKLCH, in which equal numbers look equally light, and
// written as sRGB, which every browser has.

function oklch(l, c, h) {
	const a = c * Math.cos(h * Math.PI / 180), b = c * Math.sin(h * Math.PI / 180);
	const l3 = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
	const m3 = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
	const s3 = (l - 0.0894841775 * a - 1.2914855480 * b) ** 3;
	const channel = v => {
		const x = Math.min(1, Math.max(0, v));
		return Math.round(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055));
	};
	return `rgb(${channel(4.0767416621 * l3 - 3.3077115913 * m3 + 0.2309699292 * s3)},` +
		`${channel(-1.2684380046 * l3 + 2.6097574011 * m3 - 0.3413193965 * s3)},` +
		`${channel(-0.0041960863 * l3 - 0.7034186147 * m3 + 1.7076147010 * s3)})`;
}

// [words, hue, how far hues of names spread, chroma], by kind; inlined frames have the last.
const KINDS = [
	["user", 62, 22, 0.115], ["kernel", 258, 16, 0.085], ["JIT", 148, 14, 0.1],
	["Python", 100, 14, 0.12], ["JavaScript", 330, 14, 0.1], ["no code", 0, 0, 0],
	["process", 0, 0, 0], ["object", 296, 12, 0.11], ["member", 312, 10, 0.07], ["validated", 172, 0, 0.125],
	["candidate", 88, 0, 0.05], ["contradicted", 25, 0, 0.165], ["not known", 0, 0, 0], ["inlined", 195, 14, 0.075],
];
const KIND_INLINED = 13, WITHOUT_COLOUR = new Set([KIND_ARTIFICIAL, KIND_NOT_KNOWN]);
const MODULE_HUES = [65, 255, 150, 20, 300, 195, 110, 345, 230, 85, 275, 170];

// The same for the same name, in 0…1.
function nameNoise(text) {
	let h = 2166136261;
	for (let i = 0; i < text.length; i++)
		h = Math.imul(h ^ text.charCodeAt(i), 16777619);
	h = Math.imul(h ^ h >>> 15, 2246822507);
	return ((h ^ h >>> 13) >>> 0) / 4294967296;
}

const SHADES = {
	light: {
		l: 0.81, spread: 0.05, chroma: 1, grey: 0.86, process: 0.78, text: "#1d1b18", page: "#ffffff",
		match: oklch(0.6, 0.24, 328), matchText: "#ffffff", line: "#2459d6", neutral: 0.9, change: [0.62, 0.2],
	},
	dark: {
		l: 0.56, spread: 0.06, chroma: 0.95, grey: 0.42, process: 0.36, text: "#ffffff", page: "#16171a",
		match: oklch(0.66, 0.26, 328), matchText: "#ffffff", line: "#8ab4ff", neutral: 0.38, change: [0.62, 0.19],
	},
};

class Colours {
	constructor(data, tally) {
		this.data = data;
		this.tally = tally;
		this.cache = new Map();
		this.modules = new Map(); // module → hue, of those with the most time
	}

	use(theme, by) {
		this.shades = SHADES[theme];
		this.by = by;
		this.cache.clear();
	}

	// Hues go to the modules that have most of a value themselves.
	rankModules(type) {
		const {functions, sides} = this.data, weights = new Map();
		for (let side = 0; side < sides; side++) {
			const self = this.tally.selves(side, type);
			for (let f = 0; f < functions.n; f++) {
				if (functions.kind[f] < KIND_ARTIFICIAL && self[f] > 0)
					weights.set(functions.module[f], (weights.get(functions.module[f]) || 0) + self[f]);
			}
		}
		const first = [...weights].filter(([m]) => m).sort((a, b) => b[1] - a[1]).slice(0, MODULE_HUES.length);
		this.modules = new Map(first.map(([m], i) => [m, MODULE_HUES[i]]));
		this.cache.clear();
	}

	shade(hue, hueSpread, chroma, noise) {
		const s = this.shades;
		return oklch(s.l + s.spread * (noise * 2 - 1) * 0.7, chroma * s.chroma, hue + hueSpread * (noise * 2 - 1));
	}

	frame(frame) {
		let colour = this.cache.get(frame);
		if (!colour) {
			colour = this.make(frame);
			this.cache.set(frame, colour);
		}
		return colour;
	}

	make(frame) {
		const f = frame >> 1, {kind, module} = this.data.functions, noise = nameNoise(functionName(this.data, f));
		if (kind[f] === KIND_PROCESS)
			return oklch(this.shades.process, 0.012, 260);
		if (WITHOUT_COLOUR.has(kind[f]))
			return this.none();
		if (this.by === "module" && kind[f] < KIND_ARTIFICIAL) {
			const hue = this.modules.get(module[f]);
			return hue === undefined ? oklch(this.shades.grey, 0.012, 80) : this.shade(hue, 5, 0.105, noise);
		}
		const [, hue, spread, chroma] = KINDS[frame & 1 ? KIND_INLINED : kind[f]];
		return this.shade(hue, spread, chroma, noise);
	}

	// -1: all gone (blue) … 1: all new (red); of ratios much better, much worse.
	change(amount) {
		const [l, c] = this.shades.change, strength = Math.min(1, Math.abs(amount));
		return oklch(this.shades.neutral + (l - this.shades.neutral) * strength, c * strength * (amount > 0 ? 1 : 0.8), amount > 0 ? 27 : 257);
	}

	all() {
		return oklch(this.shades.process, 0.012, 260);
	}

	none() {
		return oklch(this.shades.grey, 0.004, 90);
	}

	// Of the tree that is shown.
	kindsThere() {
		const {functions: {kind}, tree} = this.data, {n, frame} = tree, there = new Uint8Array(KINDS.length);
		if (this.kinds && this.kinds.tree === tree)
			return this.kinds.there;
		for (let i = 1; i < n; i++)
			there[kind[frame[i] >> 1]] = there[frame[i] & 1 ? KIND_INLINED : kind[frame[i] >> 1]] = 1;
		this.kinds = {tree, there};
		return there;
	}

	// [colour, words] for the legend; of a ratio the page knows it.
	legend() {
		if (this.by === "change")
			return [-1, -0.5, 0, 0.5, 1].map(a => [this.change(a), {"-1": "less", "1": "more"}[a] || ""]);
		if (this.by === "module") {
			const shown = [...this.modules].slice(0, 7).map(([m, hue]) =>
				[this.shade(hue, 0, 0.105, 0.5), this.data.texts[m]]);
			return [...shown, [oklch(this.shades.grey, 0.012, 80), "others"]];
		}
		const there = this.kindsThere();
		return KINDS.map(([words, hue, , chroma], k) => there[k] && k !== KIND_PROCESS &&
			[WITHOUT_COLOUR.has(k) ? this.none() : this.shade(hue, 0, chroma, 0.5), words])
			.filter(Boolean);
	}
}
