// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Three functions in a row, whose loops are as long as 6 to 3 to 1; each is called through another
// kind of caller: a method, a closure given to a builtin, a function made of text. Seconds are of CPU
// time.
'use strict';

function share60() { let s = 0; for (let i = 0; i < 600000; i++) s = (s + i * i) % 1000003; return s; }
function share30() { let s = 0; for (let i = 0; i < 300000; i++) s = (s + i * i) % 1000003; return s; }
function share10() { let s = 0; for (let i = 0; i < 100000; i++) s = (s + i * i) % 1000003; return s; }

class Caller {
	method() { return share60(); }
}

function throughBuiltin()
{
	let s = 0;

	[1].forEach(function closure() { s += share30(); });
	return s;
}

const größe = new Function('f', 'return f()');

function* generator()
{
	for (;;)
		yield share10();
}

function main(seconds)
{
	const caller = new Caller(), until = seconds * 1e6, g = generator();
	let s = 0;

	while (process.cpuUsage().user < until)
		s += caller.method() + throughBuiltin() + größe(function inner() { return g.next().value; });
	return s;
}

main(Number(process.argv[3]));
