// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Functions whose names V8 infers, put together of parts, or says itself: each calls spin().
'use strict';

const outer = { inner: {} };

function spin() { let s = 0; for (let i = 0; i < 200000; i++) s = (s + i * i) % 1003; return s; }

outer.inner.fn = function () { return spin(); };
outer.größe = function () { return spin(); };

function Thing() {}

Thing.prototype.method = function () { return spin(); };

class Other {
	static of() { return spin(); }
	get got() { return spin(); }
}

const thing = new Thing(), other = new Other();

while (process.cpuUsage().user < Number(process.argv[2]) * 1e6) {
	outer.inner.fn();
	outer.größe();
	thing.method();
	Other.of();
	other.got;
}
