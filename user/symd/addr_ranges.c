// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/addr_ranges.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/search.h"

void addr_ranges__add(struct addr_ranges *r, uint64_t lo, uint64_t hi, uint64_t what)
{
	if (lo >= hi)
		return;
	GROW(r->items, r->n, r->cap);
	r->items[r->n++] = (struct addr_range){.lo = lo, .hi = hi, .what = what};
}

static int by_lo(const void *pa, const void *pb)
{
	const struct addr_range *a = pa, *b = pb;

	if (a->lo != b->lo)
		return CMP3(a->lo, b->lo);
	if (a->hi != b->hi)
		return CMP3(b->hi, a->hi); /* the inner one later */
	return CMP3(a->what, b->what);
}

void addr_ranges__sort(struct addr_ranges *r)
{
	uint64_t furthest = 0;

	if (r->n)
		qsort(r->items, r->n, sizeof(*r->items), by_lo);
	for (size_t i = 0; i < r->n; i++) {
		if (r->items[i].hi > furthest)
			furthest = r->items[i].hi;
		r->items[i].furthest = furthest;
	}
}

const struct addr_range *addr_ranges__find(const struct addr_ranges *r, uint64_t addr)
{
	size_t above = FIRST_INDEX(i, r->n, r->items[i].lo > addr);

	while (above-- > 0 && r->items[above].furthest > addr) {
		if (r->items[above].hi > addr)
			return &r->items[above];
	}
	return NULL;
}

void addr_ranges__done(struct addr_ranges *r)
{
	free(r->items);
	*r = (struct addr_ranges){0};
}
