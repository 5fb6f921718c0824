// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: 16 bytes may stand for gigabytes (`_RXC0OODGLOBALB_`: a million lifetimes; C++
 * substitutions double). The callback forms of libiberty hand out pieces and can't be told to stop,
 * so too much of them is left with longjmp: they hold no memory but the stack (a few bytes where a
 * Rust identifier is in punycode).
 */
#include "symd/demangle.h"

#include <libiberty/demangle.h> /* has an xrealloc() of its own: no base/mem.h here */
#include <setjmp.h>
#include <stdbool.h>

#include "base/cleanup.h"

struct pieces {
	struct buf *out;
	size_t before; /* what out held already */
	jmp_buf too_long;
};

static void take_piece(const char *text, size_t len, void *ctx)
{
	struct pieces *p = ctx;

	if (len > DEMANGLE_OUT_MAX - (p->out->len - p->before))
		longjmp(p->too_long, 1);
	buf__add(p->out, text, len);
}

/* Anything else must not be tried: libiberty reads `_GLOBAL__I_x` and the like as more than
 * names. */
static bool looks_mangled(const char *name, size_t len)
{
	return len > 2 && name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

typedef int (*demangler_fn)(const char *name, int options, demangle_callbackref take, void *ctx);

static bool try_with(demangler_fn demangler, const char *name, int options, struct buf *ret)
{
	struct pieces p = {.out = ret, .before = ret->len};

	if (!setjmp(p.too_long) && demangler(name, options, take_piece, &p) && ret->len > p.before)
		return true;
	ret->len = p.before;
	if (ret->data)
		ret->data[ret->len] = '\0';
	return false;
}

/*
 * Rust first: its legacy names are valid C++ names with a hash at the end. libiberty's limit (2048
 * nodes) refuses any C++ name over 1 KiB, of which there are many, and recursion ends with the name
 * there. Rust keeps its limit: v0 names may refer to themselves.
 */
static bool try_demangle(const char *name, size_t len, int more, struct buf *ret)
{
	const int options = DMGL_AUTO | DMGL_ANSI | more;
	const int unlimited = len > 1024 ? DMGL_NO_RECURSE_LIMIT : 0;

	return try_with(rust_demangle_callback, name, options, ret) ||
	       try_with(cplus_demangle_v3_callback, name, options | unlimited, ret);
}

static void put(const char *name, size_t len, int more, struct buf *ret)
{
	_cleanup_(buf__done) struct buf text = {0};

	if (looks_mangled(name, len) && len <= DEMANGLE_IN_MAX) {
		buf__add(&text, name, len);
		if (try_demangle(text.data, len, more, ret))
			return;
	}
	buf__add(ret, name, len < DEMANGLE_OUT_MAX ? len : DEMANGLE_OUT_MAX);
}

void demangle(const char *name, size_t len, struct buf *ret)
{
	put(name, len, 0, ret);
}

void demangle_whole(const char *name, size_t len, struct buf *ret)
{
	put(name, len, DMGL_PARAMS | DMGL_RET_DROP, ret);
}
