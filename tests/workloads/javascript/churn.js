// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Known answer: functions come and go, and with --expose-gc at the same addresses, for so many
// seconds of CPU time. f_N calls g_N, and that work_K, which stays, with K = N % 16. Every eighth
// is called often, so that it has code of its own. Stacks are …;f_N;g_N;work_K.
'use strict';

for (let k = 0; k < 16; k++)
	globalThis[`work_${String(k).padStart(2, '0')}`] = new Function('n',
		`return (${'function work_' + String(k).padStart(2, '0')}(n) { let s = 0; ` +
		'for (let i = 0; i < n; i++) s = (s + i * i) % 1000003; return s; })')();

const until = Number(process.argv[2]) * 1e6;

for (let n = 0; process.cpuUsage().user < until; n++) {
	const id = String(n).padStart(7, '0'), k = String(n % 16).padStart(2, '0');
	const f = new Function(`return function f_${id}(n) { return g_${id}(n); }; ` +
			       `function g_${id}(n) { return work_${k}(n) + 1; }`)();
	const times = n % 8 ? 1 : 500;

	for (let i = 0; i < times; i++)
		f(n % 8 ? 20000 : 100);
	if (globalThis.gc && n % 512 === 0)
		globalThis.gc();
}
