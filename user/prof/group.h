/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The samples of a profile, added up in rows: by keys, one within the other, or as the tree of
 * calls. A row's self are the samples whose innermost frame is its own (of keys that a whole sample
 * has: all of its samples), its total those with any frame that is; a sample counts once, however
 * often a function recurs in it.
 */
#ifndef PMUBPF_PROF_GROUP_H
#define PMUBPF_PROF_GROUP_H

#include "prof/keys.h"
#include "prof/prof.h"

struct group_row {
	uint32_t parent; /* 0: the root, which is row 0 */
	uint32_t text,
		module; /* group__text(); the module of functions and what is below them, or 0 */
	uint32_t level; /* 0: the root; 1: of the first key */
	uint64_t seen;
	bool own, inlined; /* a frame of it (of a function or below) is its code's; was inlined */
};

enum group_shape {
	GROUP_KEYS,
	GROUP_CALLS,   /* callees within callers */
	GROUP_CALLERS, /* callers within callees */
};

struct group {
	const struct prof *prof; /* borrowed */
	struct intern texts, keys;
	struct group_row *rows;
	size_t n_rows, cap_rows;
	int64_t *self, *total; /* n_types of each row */
	size_t n_self, cap_self, n_total, cap_total;
	/* Rows to show, each before those within it. */
	uint32_t *order;
	size_t n_order;
	size_t n_hidden; /* that were left out by limit or min_share */
};

struct group_opts {
	enum group_shape shape;
	const struct prof_key *keys;
	size_t n_keys;
	/* Sorted by this type's self, or total; descending. */
	size_t sort_type;
	bool sort_total;
	uint32_t sort_level; /* not 0: rows of this level by their texts instead, ascending */
	size_t limit;        /* rows within each row; 0: all */
	double min_share;    /* of the whole, in percent: rows with less total aren't shown */
};

struct group *group__new(const struct prof *p, const struct group_opts *opts);
struct group *group__free(struct group *g); /* NULL is fine; returns NULL */

const char *group__text(const struct group *g, uint32_t text);
const int64_t *group__self(const struct group *g, uint32_t row);
const int64_t *group__total(const struct group *g, uint32_t row);

#endif
