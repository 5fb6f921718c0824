/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How a type of data lies in memory, from its text (pmubpf/type_layout.h), which is untrusted. */
#ifndef PMUBPF_MODEL_TYPE_LAYOUT_H
#define PMUBPF_MODEL_TYPE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct layout_member {
	unsigned depth;
	uint64_t from, size; /* bytes, from where the whole begins; of all elements */
	uint64_t count;      /* of elements; at least 1, and size is a multiple of it */
	const char *name, *type;
};

struct type_layout {
	uint64_t size; /* bytes */
	bool more;     /* members than are here */
	struct layout_member *members;
	size_t n, cap;
	char *text; /* where the names lie */
};

/* False: it isn't one. Then there is nothing to be freed. */
bool type_layout__parse(struct type_layout *ret, const char *text, size_t len);
void type_layout__done(struct type_layout *layout);

/* The member that the n-th is a member of, or SIZE_MAX. */
size_t type_layout__parent(const struct type_layout *layout, size_t n);
/* Has it members itself? */
bool type_layout__is_whole(const struct type_layout *layout, size_t n);

#endif
