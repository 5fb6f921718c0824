/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How the members of a type were used: which of them samples are about, where these lie on cache
 * lines, and how close they could.
 */
#ifndef PMUBPF_PROF_LAYOUT_USE_H
#define PMUBPF_PROF_LAYOUT_USE_H

#include <stdbool.h>

#include "model/type_layout.h"
#include "prof/prof.h"

/* In the unit of one type of the profile's values. */
struct use {
	int64_t value;
	int64_t loads, stores; /* of it, as far as that is known; what does both is in both */
};

/* A label `member` that is none of the layout's: "(padding)". */
struct use_besides {
	const char *name; /* borrowed from the profile */
	struct use use;
};

/* The fewest members that have HOT_SHARE of the type's samples together. */
#define HOT_SHARE 0.9
struct hot_members {
	size_t *list; /* of the layout's, the hottest first */
	size_t n;
	int64_t value;
	bool placed;     /* the type isn't too large to say the following */
	uint64_t bytes;  /* they take together, of each object… */
	uint64_t lines;  /* …on so many cache lines, if it begins at one… */
	uint64_t needed; /* …where so many would do */
};

struct layout_use {
	const struct type_layout *layout; /* borrowed */
	struct use whole;
	struct use *own;    /* by the layout's members: what is of no member of theirs… */
	struct use *within; /* …and with these */
	struct use_besides *besides;
	size_t n_besides, cap_besides;
	struct hot_members hot;
};

/* Of the samples that have this ID of a layout, the values of that type (an index). */
void layout_use__count(struct layout_use *ret, const struct type_layout *layout,
		       const struct prof *prof, const char *id, size_t type);
void layout_use__done(struct layout_use *use);

bool layout_use__is_hot(const struct layout_use *use, size_t member);

/* Bytes that no member has, of an aggregate; in its first element if it is an array. */
struct layout_hole {
	size_t before; /* the member that follows; layout->n: none does */
	size_t in;     /* whose it is; SIZE_MAX: the type's own */
	uint64_t from, size;
	bool last; /* at the end of `in` */
};
/* In the order of the members. The caller frees *ret; returns how many. Of a layout that has more
 * members nothing is known to be one. */
size_t layout_holes(const struct type_layout *layout, struct layout_hole **ret);

#endif
