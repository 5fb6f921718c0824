/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Many profiles of the same events as one. Unlike prof__merge(), adding one costs what that one
 * takes, however many there are already; and what they say in comments is the caller's matter
 * (prof/remark_sum.h).
 */
#ifndef PMUBPF_PROF_SUM_H
#define PMUBPF_PROF_SUM_H

#include "base/err.h"
#include "prof/copy.h"
#include "prof/prof.h"

struct prof_sum {
	struct prof *sum; /* NULL: nothing yet */
	struct prof_copier copier;
	uint64_t *magnitudes; /* per type, of all values */
};

/*
 * The first one says which types there are, its period and its default. -EINVAL: this one has
 * others; -ERANGE: sums don't fit into 64 bits. Nothing has changed then.
 */
int prof_sum__add(struct prof_sum *s, const struct prof *from, const char *name, struct err *err);
/* Of memory that is in use. */
size_t prof_sum__bytes(const struct prof_sum *s);
/* The caller's from here on; NULL: nothing was added. */
struct prof *prof_sum__take(struct prof_sum *s);
void prof_sum__done(struct prof_sum *s);

#endif
