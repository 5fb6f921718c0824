// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// rests.js SECONDS: works for about 2 ms, then rests for 18.
'use strict';

function work(n)
{
	let s = 0;

	for (let i = 0; i < n; i++)
		s = (s * 31 + i) % 1000003;
	return s;
}

let sum = 0;
const end = Date.now() + 1000 * Number(process.argv[2]);

function turn()
{
	const until = process.hrtime.bigint() + 2000000n;

	while (process.hrtime.bigint() < until)
		sum += work(10000);
	if (Date.now() < end)
		setTimeout(turn, 18);
}
turn();
