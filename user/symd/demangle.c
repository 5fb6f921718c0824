// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: a short mangled name may stand for an enormous one (substitutions double). The
 * callback forms of libiberty hand out pieces, so memory stays bounded here; time doesn't, and is
 * bounded by the client, which replaces a helper that takes too long.
 */
#include "symd/demangle.h"

#include <libiberty/demangle.h> /* has an xrealloc() of its own: no base/mem.h here */
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"

struct pieces {
	struct buf *out;
	size_t room;
	bool too_long;
};

static void take_piece(const char *text, size_t len, void *ctx)
{
	struct pieces *p = ctx;

	if (p->too_long || len > p->room) {
		p->too_long = true;
		return;
	}
	p->room -= len;
	buf__add(p->out, text, len);
}

/* Anything else must not be tried: libiberty reads `_GLOBAL__I_x` and the like as more than names. */
static bool looks_mangled(const char *name, size_t len)
{
	return len > 2 && name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

static bool try_demangle(const char *name, size_t len, struct buf *ret)
{
	size_t before = ret->len;
	struct pieces p = {.out = ret, .room = DEMANGLE_OUT_MAX};
	int options = DMGL_AUTO | DMGL_ANSI;
	int ok;

	/* Its limit (2048 nodes) refuses any name over 1 KiB, and C++ has many of those. */
	if (len > 1024)
		options |= DMGL_NO_RECURSE_LIMIT;
	/* Rust first: its legacy names are valid C++ names with a hash at the end. */
	ok = rust_demangle_callback(name, options, take_piece, &p);
	if (!ok) {
		p = (struct pieces){.out = ret, .room = DEMANGLE_OUT_MAX};
		ret->len = before;
		ok = cplus_demangle_v3_callback(name, options, take_piece, &p);
	}
	if (ok && !p.too_long && ret->len > before)
		return true;
	ret->len = before;
	if (ret->data)
		ret->data[before] = '\0';
	return false;
}

void demangle(const char *name, size_t len, struct buf *ret)
{
	_cleanup_(buf__done) struct buf text = {0};

	if (looks_mangled(name, len) && len <= DEMANGLE_IN_MAX) {
		buf__add(&text, name, len);
		if (try_demangle(text.data, len, ret))
			return;
	}
	buf__add(ret, name, len < DEMANGLE_OUT_MAX ? len : DEMANGLE_OUT_MAX);
}
