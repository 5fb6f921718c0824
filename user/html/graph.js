// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The picture and the hand: what is under the pointer, where the keyboard is, how the view moves when it zooms.

const MOVE_MS = 180;

class Graph {
	// on: {zoom(node), hover(node, event)}
	constructor(data, on) {
		this.data = data;
		this.on = on;
		this.scroll = document.getElementById("scroll");
		this.spacer = document.getElementById("spacer");
		this.painter = new Painter(document.getElementById("canvas"), data);
		this.scene = {left: 0, right: 1, top: 0, zoom: 0, hover: -1, cursor: -1};
		this.moving = 0;
		this.listen();
	}

	listen() {
		const canvas = this.painter.canvas;
		this.scroll.addEventListener("scroll", () => this.redraw(), {passive: true});
		new ResizeObserver(() => this.fit()).observe(this.scroll);
		canvas.addEventListener("mousemove", event => this.point(this.hit(event), event));
		canvas.addEventListener("mouseleave", () => this.point(-1, null));
		canvas.addEventListener("click", event => {
			const node = this.hit(event);
			if (node >= 0) {
				this.scene.cursor = -1;
				this.on.zoom(node);
			}
		});
	}

	// Nodes have other numbers now.
	forget() {
		Object.assign(this.scene, {zoom: 0, hover: -1, cursor: -1});
	}

	// What to show: {widths, zoom, flip, match, paint, shades, dust, keepColours}; moves there if asked to.
	show(what, move) {
		const {rowOf, end} = this.data.tree, {scene} = this, before = scene.zoom;
		const sameWidths = scene.widths === what.widths, flipped = scene.flip !== what.flip;

		Object.assign(scene, what);
		this.target = [scene.widths[rowOf[scene.zoom]], scene.widths[rowOf[end[scene.zoom]]]];
		this.empty = this.target[1] <= this.target[0];
		if (!this.empty)
			this.measure();
		if (flipped || before !== scene.zoom || !sameWidths)
			this.scrollToZoom();
		if (move && sameWidths && before !== scene.zoom && !this.empty)
			this.move();
		else
			this.jump();
	}

	// How high it is when it has arrived.
	measure() {
		const {scene} = this, now = [scene.left, scene.right];
		this.painter.resize(this.scroll.clientWidth, this.scroll.clientHeight);
		this.fitted = this.painter.height;
		[scene.left, scene.right] = this.target;
		this.rows = this.painter.deepest(scene) + 1;
		[scene.left, scene.right] = now;
		scene.content = Math.max(this.painter.height, this.rows * ROW + 6);
		this.spacer.style.height = scene.content + "px";
	}

	// The zoomed frame near the edge where roots are.
	scrollToZoom() {
		const {scene} = this, at = this.data.tree.depth[scene.zoom] * ROW;
		const margin = Math.min(this.painter.height / 3, 6 * ROW);
		this.scroll.scrollTop = scene.flip ? at - margin :
			scene.content - at - this.painter.height + margin - ROW;
	}

	jump() {
		cancelAnimationFrame(this.moving);
		this.moving = 0;
		[this.scene.left, this.scene.right] = this.target;
		this.redraw();
	}

	move() {
		const from = [this.scene.left, this.scene.right], start = performance.now();
		cancelAnimationFrame(this.moving);
		if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
			this.jump();
			return;
		}
		const step = now => {
			const t = Math.min(1, Math.max(0, (now - start) / MOVE_MS)), ease = 1 - (1 - t) ** 3;
			this.scene.left = from[0] + (this.target[0] - from[0]) * ease;
			this.scene.right = from[1] + (this.target[1] - from[1]) * ease;
			this.moving = t < 1 ? requestAnimationFrame(step) : 0;
			this.redraw();
		};
		this.moving = requestAnimationFrame(step);
	}

	fit() {
		if (this.scene.widths) {
			// what is below the window; the painter may have the new height already, and a window that
			// became higher has been moved up, if nothing was below
			const end = this.scene.content - this.scroll.scrollTop;
			const below = end <= this.scroll.clientHeight ? 0 : end - this.fitted;
			if (!this.empty)
				this.measure();
			if (!this.scene.flip)
				this.scroll.scrollTop = this.scene.content - below - this.painter.height;
			this.redraw();
		}
	}

	redraw() {
		if (!this.scene.widths)
			return;
		const start = performance.now();
		this.painter.resize(this.scroll.clientWidth, this.scroll.clientHeight);
		this.scene.top = this.scroll.scrollTop;
		if (this.empty) {
			this.painter.context.fillStyle = this.scene.shades.page;
			this.painter.context.fillRect(0, 0, this.painter.width, this.painter.height);
		} else {
			this.painter.draw(this.scene);
		}
		this.drawMs = performance.now() - start;
	}

	// The node under the pointer, or -1.
	hit(event) {
		const {scene, painter, data: {tree: {rowOf, end, depth}}} = this, y = event.offsetY + scene.top;
		const row = Math.floor((scene.flip ? y : scene.content - y) / ROW);
		const value = scene.left + event.offsetX / painter.width * (scene.right - scene.left);
		let node = 0;

		if (this.empty || row < 0)
			return -1;
		while (depth[node] < row) {
			let child = node + 1;
			while (child < end[node] && scene.widths[rowOf[end[child]]] <= value)
				child = end[child];
			if (child >= end[node] || scene.widths[rowOf[child]] > value)
				return -1;
			node = child;
		}
		return node;
	}

	point(node, event) {
		if (node !== this.scene.hover) {
			this.scene.hover = node;
			this.painter.canvas.style.cursor = node >= 0 ? "pointer" : "default";
			this.redraw();
		}
		this.on.hover(node, event);
	}

	// Where the keyboard is: the frame to the "up" (away from the root), "down", "left" or "right" of there.
	step(way) {
		const {scene, data: {tree: {parent}}} = this;
		const from = scene.cursor >= 0 ? scene.cursor : scene.zoom;
		const next = scene.cursor < 0 ? from : way === "down" ? parent[from] :
			way === "up" ? this.widest(from) : this.beside(from, way === "left");
		if (next >= 0)
			this.putCursor(next);
	}

	putCursor(node) {
		this.scene.cursor = node;
		if (node >= 0)
			this.bringIntoSight(node);
		this.redraw();
		this.on.hover(node, null);
	}

	bringIntoSight(node) {
		const {scene, painter} = this, y = painter.y(this.data.tree.depth[node], {...scene, top: this.scroll.scrollTop});
		if (y < ROW)
			this.scroll.scrollTop += y - ROW;
		else if (y > painter.height - 2 * ROW)
			this.scroll.scrollTop += y - painter.height + 2 * ROW;
	}

	width(node) {
		const {rowOf, end} = this.data.tree, {widths} = this.scene;
		return widths[rowOf[end[node]]] - widths[rowOf[node]];
	}

	children(node) {
		const {end} = this.data.tree, children = [];
		for (let c = node + 1; c < end[node]; c = end[c]) {
			if (this.width(c) > 0)
				children.push(c);
		}
		return children;
	}

	widest(node) {
		return this.children(node).reduce((best, c) => best < 0 || this.width(c) > this.width(best) ? c : best, -1);
	}

	beside(node, left) {
		if (node === 0)
			return -1;
		const siblings = this.children(this.data.tree.parent[node]), at = siblings.indexOf(node) + (left ? -1 : 1);
		return at >= 0 && at < siblings.length ? siblings[at] : -1;
	}

	// The widest frame of a function below the zoom, or anywhere.
	widestOf(f) {
		const {frame, n} = this.data.tree;
		let best = -1;
		for (let i = 1; i < n; i++) {
			if (frame[i] >> 1 === f && (best < 0 || this.width(i) > this.width(best)))
				best = i;
		}
		return best;
	}

	// All of it on one sheet, for the printer: the higher, the smaller.
	beforePrint() {
		const height = this.scene.content = this.rows * ROW + 6;
		this.painter.resize(Math.round(Math.min(6000, Math.max(1000, height * 1.75))), height);
		this.scene.top = 0;
		this.spacer.style.height = this.scene.content + "px";
		this.painter.draw(this.scene);
	}
}
