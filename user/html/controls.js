// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What is around the picture: choices, the way to the zoom, legend, words about a frame, keys.

const byId = id => document.getElementById(id);

const PARTS = {time: "time", events: "events", samples: "samples"};

function typeWords(data, type) {
	const {event, part, unit} = data.types[type];
	const alone = data.types.filter(t => t.event === event).length === 1;
	const words = alone && part === "events" ? event : `${event} · ${PARTS[part]}`;
	return unit && unit !== "count" && part === "events" ? `${words} (${unit})` : words;
}

function typeKey(data, type) {
	const {event, part} = data.types[type];
	return event + "_" + part;
}

// A choice that everything has needs no list.
function fillSelect(select, options, all, others = false) {
	select.replaceChildren(...(all ? [element("option", {value: "", textContent: all})] : []),
		...options.map(([value, textContent]) => element("option", {value, textContent})));
	select.hidden = options.length + (others ? 1 : 0) < (all ? 2 : 1);
}

// Containers, processes or threads that a choice may be made of, the heaviest first.
function choices(data, type, key, name, within) {
	const {groups, group, rows, values, sides} = data, weights = new Float64Array(groups.n), found = new Map();
	for (let side = 0; side < sides; side++) {
		for (let r = 0; r < rows; r++)
			weights[group[r]] += values[side][type][r];
	}
	for (let g = 0; g < groups.n; g++) {
		const value = groups[key][g];
		if (!value || !within(g))
			continue;
		const old = found.get(value) || {weight: 0, heaviest: -1, words: ""};
		old.weight += weights[g];
		if (weights[g] > old.heaviest)
			Object.assign(old, {heaviest: weights[g], words: name(g)});
		found.set(value, old);
	}
	return [...found].sort((a, b) => b[1].weight - a[1].weight).slice(0, 2000).map(([v, {words}]) => [v, words]);
}

function fillChoices(data, type, view) {
	const {groups, texts} = data;
	const container = g => !view.container || groups.container[g] === Number(view.container);
	const process = g => container(g) && (!view.pid || groups.pid[g] === Number(view.pid));
	const named = key => g => `${texts[groups.comm[g]] || "?"} (${groups[key][g]})`;

	fillSelect(byId("container"), choices(data, type, "container", g => texts[groups.container[g]], () => true),
		"all containers", groups.container.includes(0));
	fillSelect(byId("process"), choices(data, type, "pid", named("pid"), container), "all processes");
	fillSelect(byId("thread"), choices(data, type, "tid", named("tid"), process), "all threads");
	byId("container").value = view.container;
	byId("process").value = view.pid;
	byId("thread").value = view.tid;
}

function showCrumbs(data, zoom, go) {
	const path = [];
	for (let node = zoom; node >= 0; node = data.tree.parent[node])
		path.unshift(node);
	const shown = path.length > 9 ? [...path.slice(0, 3), -1, ...path.slice(-5)] : path;
	byId("crumbs").replaceChildren(...shown.map((node, i) => {
		if (node < 0)
			return element("span", {textContent: "…", className: "more"});
		const button = element("button", {type: "button", textContent: nodeName(data, node)});
		button.disabled = i === shown.length - 1;
		button.addEventListener("click", () => go(node));
		return button;
	}));
}

function showLegend(colours, legend, match) {
	const scale = colours.by === "change" || colours.by === "ratio";
	const swatch = ([colour, words]) => {
		const box = element("i");
		box.style.background = colour;
		return element("span", {}, box, words);
	};
	byId("legend").replaceChildren(...legend.map(swatch),
		...(match && !scale ? [swatch([colours.shades.match, "found"])] : []));
	byId("legend").classList.toggle("scale", scale);
}

// [words, text] of what is known of a frame.
function frameFacts(data, tally, node, type, zoom) {
	const {event} = data.types[type], facts = [];
	data.types.forEach((t, i) => {
		if (t.event !== event)
			return;
		const value = tally.value(node, 0, i), self = tally.self(node, 0, i);
		facts.push([t.part, `${valueText(value, t.unit)}   ${percentText(value / tally.total(0, i))}` +
			(self > 0 && self < value ? `, self ${percentText(self / tally.total(0, i))}` : "")]);
	});
	if (zoom > 0) {
		facts.push(["of the zoom", percentText(tally.value(node, 0, type) / tally.value(zoom, 0, type))]);
	}
	if (data.sides === 2)
		facts.push(...changeFacts(data, tally, node, type));
	facts.push(...ratioFacts(data, tally, node, event));
	return facts;
}

// Of the event that is looked at.
function ratioFacts(data, tally, node, event) {
	const facts = [];
	for (const ratio of data.ratios) {
		const here = [ratio.above, ratio.below].some(type => data.types[type].event === event) &&
			ratioOfNode(ratio, tally, node);
		if (here)
			facts.push(ratioFact(ratio, here, node > 0 && ratioOfNode(ratio, tally, 0)));
	}
	return facts;
}

function changeFacts(data, tally, node, type) {
	const share = side => tally.value(node, side, type) / (tally.total(side, type) || 1);
	const facts = [["old", `${valueText(tally.value(node, 1, type), data.types[type].unit)}   ${percentText(share(1))}`],
		["change", pointsText(share(0) - share(1)) + " points"]];
	const z = sureness(data, tally, node, type);
	if (z !== null)
		facts.push(["certainty", Math.abs(z) < 2 ? "may be chance" : `${Math.abs(z).toFixed(1)} standard errors`]);
	return facts;
}

// Standard errors between the two, or null where no samples were counted.
function sureness(data, tally, node, type) {
	const samples = samplesType(data, type);
	return samples < 0 ? null : distance(tally.value(node, 0, samples), tally.total(0, samples),
		tally.value(node, 1, samples), tally.total(1, samples));
}

function frameOrigin(data, node) {
	if (node === 0)
		return "";
	const {functions, texts, tree} = data, frame = tree.frame[node], f = frame >> 1;
	const kind = functions.kind[f] === KIND_PROCESS ? "process" : KINDS[functions.kind[f]][0];
	const file = texts[functions.file[f]] + (functions.line[f] ? ":" + functions.line[f] : "");
	return [texts[functions.module[f]], frame & 1 ? kind + ", inlined" : kind, file]
		.filter(Boolean).join(" · ");
}

function showTip(data, facts, node, event) {
	const tip = byId("tip");
	if (node < 0 || !event) {
		tip.hidden = true;
		return;
	}
	const list = element("dl");
	for (const [words, text] of facts)
		list.append(element("dt", {textContent: words}), element("dd", {textContent: text}));
	tip.replaceChildren(element("strong", {textContent: nodeName(data, node)}),
		element("span", {textContent: frameOrigin(data, node)}), list);
	tip.hidden = false;
	const {offsetWidth: w, offsetHeight: h} = tip, x = event.clientX + 14, y = event.clientY + 18;
	tip.style.left = Math.max(4, x + w > innerWidth - 8 ? event.clientX - w - 10 : x) + "px";
	tip.style.top = Math.max(4, y + h > innerHeight - 8 ? event.clientY - h - 10 : y) + "px";
}

function showDetails(data, facts, node) {
	byId("details").textContent = node < 0 ? "" :
		[nodeName(data, node), frameOrigin(data, node), ...facts.map(f => f.join(" "))].filter(Boolean).join("  ·  ");
}

// Key, words, what it does, and on which pages; without: on all.
const hasData = app => app.data.towers.n > 0;
const KEYS = [
	["/", "search", () => byId("search").select()],
	["x", "search by regular expression", app => app.toggleHow("regexp")],
	["=", "search for the whole name", app => app.toggleHow("exact")],
	["e", "next event or value", app => app.nextType()],
	["r", "rooted in code or in data", app => app.chooseRoot(app.rootNow === "code" ? "data" : "code"), hasData],
	["f", "data or functions in the table", app => app.set({list: app.view.list === "data" ? "functions" : "data"}), hasData],
	["w", "durations of windows", app => app.switchWindows(), app => app.windows.there],
	["h", "to the durations: arrows, Enter, Shift", app => app.windows.focus(), app => app.windows.there],
	["m", "when samples were", app => app.switchHeat(), app => app.timed.length > 0],
	["g", "to the moments: arrows, Enter, Shift", app => app.timed[0].focus(), app => app.timed.length > 0],
	["b", "the next range is what is compared with", app => app.compareNext(), app => app.timed.length > 0 && app.sideOfThan === 0],
	["k", "code of the chosen function", app => app.switchCode(), app => app.code.there],
	["i", "flame or icicle", app => app.set({layout: app.view.layout === "flame" ? "icicle" : "flame"})],
	["c", "next meaning of colours", app => app.nextColours()],
	["t", "table", app => app.set({side: app.view.side === "on" ? "off" : "on"})],
	["d", "light or dark", app => app.set({theme: app.theme() === "dark" ? "light" : "dark"})],
	["Enter", "zoom to the marked frame", app => app.zoomToCursor()],
	["Backspace", "zoom out by one frame", app => app.zoomOut()],
	["0", "the whole picture", app => app.zoom(0)],
	["?", "these keys", () => byId("help").showModal()],
];
const ARROWS = {ArrowLeft: "left", ArrowRight: "right"};

function listenToKeys(app) {
	const keys = KEYS.filter(([, , , fits]) => !fits || fits(app));
	byId("keys").append(...[["← ↑ ↓ →", "mark another frame"], ...keys, ["Esc", "end the search, the range, or the zoom"]]
		.flatMap(([key, words]) => [element("dt", {}, element("kbd", {textContent: key})),
			element("dd", {textContent: words})]));
	document.addEventListener("keydown", event => {
		if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open)
			return;
		const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
		const onButton = event.target.tagName === "BUTTON" || event.target.tagName === "SUMMARY";
		const key = keys.find(([k]) => k === event.key);
		if (event.key === "Escape") {
			app.escape();
		} else if (typing || (onButton && event.key === "Enter")) {
			return;
		} else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
			app.graph.step((event.key === "ArrowUp") === (app.view.layout === "flame") ? "up" : "down");
		} else if (event.key in ARROWS) {
			app.graph.step(ARROWS[event.key]);
		} else if (key) {
			key[2](app);
		} else {
			return;
		}
		event.preventDefault();
	});
}
