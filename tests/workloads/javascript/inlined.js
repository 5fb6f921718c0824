// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
function inner(map, key) { return map.get(key) + key.charCodeAt(0); }
// Each of these is inlined in the next one, and that calls it on one line alone.
function middle(map, key)
{
	return 1 +
		inner(map, key);
}
function outer(map, keys)
{
	let s = 0; for (const key of keys) s += middle(map, key); return s;
}
// Inlined in the next one, 90 frames of which are below what runs.
function step(map, n) { return deepen(map, n - 1); }
function deepen(map, n) { return n ? step(map, n) : outer(map, keys); }

const keys = Array.from({ length: 1000 }, (_, i) => 'k' + i), map = new Map(keys.map((k, i) => [k, i]));

while (process.cpuUsage().user < Number(process.argv[2]) * 1e6)
	process.argv[3] === 'deep' ? deepen(map, 90) : outer(map, keys);
