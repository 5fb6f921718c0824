/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A function's name as a person writes it, C++'s or Rust's: `f`, `ns::Class::f`, `f(int, const
 * char *)`. What needs not be written: parameters and what follows them, arguments of templates
 * and of generics, `(anonymous namespace)`, tags (`[abi:cxx11]`), what a compiler put behind the
 * name of a copy; of Rust's `<Type as Trait>::f` one of both. Pure.
 */
#ifndef PMUBPF_SYMD_WRITTEN_NAME_H
#define PMUBPF_SYMD_WRITTEN_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum { WRITTEN_NAME_MAX = 4096 /* bytes; longer ones fit nothing */ };

struct written_name {
	struct buf key;    /* in one spelling of several: without spaces, `const` behind types */
	struct buf words;  /* that stand in the linker's name, too, each with a NUL behind it */
	const char *own;   /* the last of them, */
	const char *rare;  /* and the longest one */
	bool is_whole;     /* the last is a word of the name's, and not a part of one */
	bool begins_angle; /* with "<" */
};

void written_name__init(struct written_name *w, const char *text, size_t len);
void written_name__done(struct written_name *w);

/* Whether it is worth the time to demangle what the linker calls so. */
bool written_name__may_be(const struct written_name *w, const char *linker, size_t len);

enum written_fit {
	WRITTEN_ANOTHER,
	WRITTEN_SHORT, /* something was left out */
	WRITTEN_FULL,
};
/* whole: as demangle_whole() has it. */
enum written_fit written_name__fit(const struct written_name *w, const char *whole);
/* Appends what a name is without all that needs not be written. */
void written_name__put_short(struct buf *out, const char *whole);

#endif
