/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names as their authors wrote them: C++ (Itanium ABI) and Rust (legacy and v0), by libiberty. */
#ifndef PMUBPF_SYMD_DEMANGLE_H
#define PMUBPF_SYMD_DEMANGLE_H

#include <stddef.h>

#include "base/buf.h"

enum {
	DEMANGLE_IN_MAX = 16 * 1024,  /* longer names stay mangled */
	DEMANGLE_OUT_MAX = 16 * 1024, /* a name that would get longer stays mangled */
};

/*
 * Appends name (len bytes, no NUL needed) to ret: demangled without its parameters and clone
 * suffixes (`ns::foo`, `vec<int>::push_back`), or as it is if it isn't a mangled one, cut at
 * DEMANGLE_OUT_MAX. Needs up to 8 MiB of stack for the most deeply nested names.
 */
void demangle(const char *name, size_t len, struct buf *ret);
/* The same with parameters, and what a compiler put behind the name: `ns::foo(int) const`, `bar()
 * [clone .part.0]`. */
void demangle_whole(const char *name, size_t len, struct buf *ret);

#endif
