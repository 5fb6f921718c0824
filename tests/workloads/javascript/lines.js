// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Three loops in one function, as long as 6 to 3 to 1, on lines 10 and 11, 12, and 13; it is called
// as often on line 21 as on 24. Seconds are of CPU time.
'use strict';

function loops()
{
	let s = 0;

	for (let i = 0; i < 6000; i++)
		s = (s + i * i) % 1003;
	for (let i = 0; i < 3000; i++) s = (s + i * i) % 1003;
	for (let i = 0; i < 1000; i++) s = (s + i * i) % 1003;

	return s;
}

function calls()
{
	let s =
		loops();

	s +=
		loops();
	return s;
}

while (process.cpuUsage().user < Number(process.argv[2]) * 1e6)
	calls();
