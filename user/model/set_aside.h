/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The files of which the helper that read them could not get on: who they are, and what they have
 * none of. */
#ifndef PMUBPF_MODEL_SET_ASIDE_H
#define PMUBPF_MODEL_SET_ASIDE_H

#include <stddef.h>
#include <stdint.h>

#include "pmubpf/budgets.h"

enum { SET_ASIDE_MAX = BUDGET_SET_ASIDE }; /* files beyond that are only counted */

struct aside {
	char *file;       /* as its program named it: to be escaped */
	const char *lost; /* "names", … */
	char *why;
};

struct set_aside {
	struct aside *list;
	size_t n, cap;
	uint64_t more; /* that are not in the list */
};

/* Takes why over; lost is a literal. */
void set_aside__add(struct set_aside *all, const char *file, const char *lost, char *why);
/* Moves what is in from. */
void set_aside__merge(struct set_aside *all, struct set_aside *from);
void set_aside__done(struct set_aside *all);

#endif
