/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Address ranges with a number each; finds the one that starts last of those that hold an
 * address. */
#ifndef PMUBPF_SYMD_ADDR_RANGES_H
#define PMUBPF_SYMD_ADDR_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct addr_range {
	uint64_t lo, hi;   /* [lo, hi) */
	uint64_t furthest; /* after sorting: the highest hi up to here */
	uint64_t what;
};

struct addr_ranges {
	struct addr_range *items;
	size_t n, cap;
};

void addr_ranges__add(struct addr_ranges *r, uint64_t lo, uint64_t hi, uint64_t what);
void addr_ranges__sort(struct addr_ranges *r); /* after the last add, before the first find */
const struct addr_range *addr_ranges__find(const struct addr_ranges *r, uint64_t addr);
void addr_ranges__done(struct addr_ranges *r);

#endif
