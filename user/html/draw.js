// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Rectangles and their labels on a canvas as large as what is seen of the picture. Only frames that are wide
// enough to be seen are visited: a narrow one's number is followed by its `end`.

const ROW = 19;           // height of a frame with its gap, in CSS pixels
const NARROWEST = 0.35;   // of frames that are drawn
const LABEL_ROOM = 22;    // of frames with a label
const PADDING = 4;
const FONT_FAMILY = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, sans-serif';

class Labels {
	constructor(context) {
		this.context = context;
		this.widths = new Map(); // of single characters: adding them up is close enough, and quick
		this.whole = new Map();
	}

	character(c) {
		let w = this.widths.get(c);
		if (w === undefined) {
			w = this.context.measureText(c).width;
			this.widths.set(c, w);
		}
		return w;
	}

	width(text) {
		let w = this.whole.get(text);
		if (w === undefined) {
			w = 0;
			for (const c of text.length > 400 ? text.slice(0, 400) : text)
				w += this.character(c);
			this.whole.set(text, w);
		}
		return w;
	}

	// As much of the text as fits, or "" if that says nothing.
	fit(text, room) {
		if (this.width(text) <= room && text.length <= 400)
			return text;
		let left = room - this.character("…"), n = 0;
		for (const c of text) {
			left -= this.character(c);
			if (left < 0)
				break;
			n += c.length;
		}
		return n < 2 ? "" : text.slice(0, n) + "…";
	}
}

// What is seen: scene = {widths, left, right (of the running sums), top, height, content (CSS pixels), flip,
// match, zoom, hover, cursor, paint(node) → colour}.
class Painter {
	constructor(canvas, data) {
		this.canvas = canvas;
		this.data = data;
		this.context = canvas.getContext("2d", {alpha: false});
		this.width = this.height = this.ratio = 0;
	}

	resize(width, height) {
		const ratio = window.devicePixelRatio || 1;
		if (width === this.width && height === this.height && ratio === this.ratio)
			return;
		Object.assign(this, {width, height, ratio});
		this.canvas.width = Math.max(1, Math.round(width * ratio));
		this.canvas.height = Math.max(1, Math.round(height * ratio));
		this.canvas.style.width = width + "px";
		this.canvas.style.height = height + "px";
		this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
		this.context.font = `12px ${FONT_FAMILY}`;
		this.context.textBaseline = "middle";
		this.labels = new Labels(this.context);
	}

	y(depth, scene) {
		return (scene.flip ? depth * ROW : scene.content - (depth + 1) * ROW) - scene.top;
	}

	// All frames of some width between left and right; narrow(node, x0, x1) gets those left out.
	walk(scene, visit, narrow) {
		const {n, rowOf, end} = this.data.tree, {widths, left, right} = scene;
		const least = NARROWEST * (right - left) / this.width;
		for (let i = 0; i < n;) {
			const x0 = widths[rowOf[i]], x1 = widths[rowOf[end[i]]];
			if (x1 <= left || x0 >= right) {
				i = end[i];
			} else if (x1 - x0 < least) {
				if (narrow && x1 > x0)
					narrow(i, x0, x1);
				i = end[i];
			} else {
				visit(i, x0, x1);
				i++;
			}
		}
	}

	deepest(scene) {
		const {depth} = this.data.tree;
		let deepest = 0;
		this.walk(scene, node => {
			if (depth[node] > deepest)
				deepest = depth[node];
		});
		return deepest;
	}

	draw(scene) {
		const {context, width, height} = this, {depth} = this.data.tree;
		const scale = width / (scene.right - scene.left), labels = [];
		const dust = new Dust(this, scene, scale);

		context.globalAlpha = 1;
		context.fillStyle = scene.shades.page;
		context.fillRect(0, 0, width, height);
		this.walk(scene, (node, x0, x1) => {
			const y = this.y(depth[node], scene);
			if (y > -ROW && y < height)
				this.frame(scene, node, (x0 - scene.left) * scale, (x1 - scene.left) * scale, y, labels);
		}, (node, x0, x1) => dust.add(depth[node], x0, x1));
		dust.flush();
		this.drawLabels(scene, labels);
		context.globalAlpha = 1;
		this.outline(scene, scene.cursor, scale, 2);
		this.outline(scene, scene.hover, scale, 1);
	}

	frame(scene, node, from, to, y, labels) {
		const {context} = this, x0 = Math.max(from, 0), x1 = Math.min(to, this.width);
		const gap = to - from > 4 ? 1 : to - from > 2 ? 0.5 : 0, f = this.data.tree.frame[node] >> 1;
		const hit = scene.match && node > 0 && scene.match[f];

		context.globalAlpha = node < scene.zoom && this.data.tree.end[node] > scene.zoom ? 0.45 :
			scene.match && !hit ? 0.38 : 1;
		context.fillStyle = hit && !scene.keepColours ? scene.shades.match : scene.paint(node);
		context.fillRect(x0, y, Math.max(x1 - x0 - gap, 0.3), ROW - 1);
		if (x1 - x0 >= LABEL_ROOM)
			labels.push(node, x0, x1, y, context.globalAlpha, hit);
	}

	drawLabels(scene, labels) {
		const {context} = this;
		for (let i = 0; i < labels.length; i += 6) {
			const [node, x0, x1, y, alpha, hit] = labels.slice(i, i + 6);
			const text = this.labels.fit(nodeName(this.data, node), x1 - x0 - 2 * PADDING);
			if (!text)
				continue;
			context.globalAlpha = Math.max(alpha, 0.6);
			context.fillStyle = hit && !scene.keepColours ? scene.shades.matchText : scene.shades.text;
			context.fillText(text, x0 + PADDING, y + (ROW - 1) / 2 + 0.5);
		}
	}

	outline(scene, node, scale, thick) {
		if (node === undefined || node < 0)
			return;
		const {rowOf, end, depth} = this.data.tree, {context} = this;
		const x0 = Math.max(0, (scene.widths[rowOf[node]] - scene.left) * scale);
		const x1 = Math.min(this.width, (scene.widths[rowOf[end[node]]] - scene.left) * scale);
		if (x1 <= x0)
			return;
		context.strokeStyle = thick > 1 ? scene.shades.line : scene.shades.text;
		context.lineWidth = thick;
		context.strokeRect(x0 + thick / 2, this.y(depth[node], scene) + thick / 2,
			Math.max(x1 - x0 - 1 - thick, 1), ROW - 1 - thick);
	}
}

// Frames too narrow to be drawn, side by side: a grey bar says that there is something.
class Dust {
	constructor(painter, scene, scale) {
		Object.assign(this, {painter, scene, scale, runs: []});
	}

	add(depth, x0, x1) {
		const run = this.runs[depth];
		if (run && (x0 - run[1]) * this.scale < 0.01) {
			run[1] = x1;
			return;
		}
		if (run)
			this.put(depth, run);
		this.runs[depth] = [x0, x1];
	}

	put(depth, [x0, x1]) {
		const {painter: {context, height}, scene, scale} = this, y = this.painter.y(depth, scene);
		if ((x1 - x0) * scale < NARROWEST || y <= -ROW || y >= height)
			return;
		context.globalAlpha = scene.match ? 0.4 : 1;
		context.fillStyle = scene.dust;
		context.fillRect((x0 - scene.left) * scale, y, (x1 - x0) * scale, ROW - 1);
	}

	flush() {
		this.runs.forEach((run, depth) => this.put(depth, run));
	}
}
