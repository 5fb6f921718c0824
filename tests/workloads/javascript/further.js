// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Two functions of scripts whose texts begin elsewhere: down() on line 100, up() on line 1, which is
// the third of its text. Seconds are of CPU time.
'use strict';

const vm = require('vm');

function made(text, lineOffset)
{
	return new vm.Script(text, { filename: 'further.vm', lineOffset }).runInThisContext();
}

const BODY = `() {
	let s = 0;
	for (let i = 0; i < 100000; i++) s = (s + i * i) % 1003; return s; })`;
const down = made('(function down' + BODY, 99);
const up = made('\n\n(function up' + BODY, -2);

while (process.cpuUsage().user < Number(process.argv[2]) * 1e6) {
	down();
	up();
}
