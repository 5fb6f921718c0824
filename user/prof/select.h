/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A part of a profile: of its events, its samples, its stacks. */
#ifndef PMUBPF_PROF_SELECT_H
#define PMUBPF_PROF_SELECT_H

#include <stdbool.h>

#include "base/err.h"
#include "prof/prof.h"

struct label_filter {
	const char *key, *value;
};

struct selection {
	const char *focus, *ignore; /* extended regular expressions of function names; NULL: none */
	const char *callers, *callees; /* names of functions; NULL: none */
	struct label_filter *labels;   /* any value of each key */
	size_t n_labels, cap_labels;
	const char **events; /* none: all */
	size_t n_events, cap_events;
	bool shared; /* only what prof__mark_sharing has marked */
};

/*
 * The samples with a function that matches `focus`, with none that matches `ignore`, with these
 * labels. Of `callees` the stacks begin at its outermost call; of `callers` they end at its
 * innermost. A name is that of a function with or without its parameters. A function or an event
 * that isn't there is an error. The caller frees
 * *ret.
 */
int prof__select(struct prof **ret, const struct prof *p, const struct selection *s,
		 struct err *err);
void selection__done(struct selection *s); /* the texts are borrowed */

/* The text of a label's value, as filters and reports have it. The caller frees. */
char *prof_label__value(const struct prof *p, const struct prof_label *label);

#endif
