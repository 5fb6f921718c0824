/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who uses which part of an array that somebody else owns: first fit, neighbours merge. */
#ifndef PMUBPF_UNWIND_EXTENTS_H
#define PMUBPF_UNWIND_EXTENTS_H

#include <stddef.h>
#include <stdint.h>

#define EXTENT_NONE UINT32_MAX

struct extents {
	struct extent {
		uint32_t at, n;
	} * spare; /* ascending, never two that touch */
	size_t n, cap;
	uint32_t used;
};

void extents__init(struct extents *e, uint32_t at, uint32_t n);
/* EXTENT_NONE: no room. n is at least 1. */
uint32_t extents__take(struct extents *e, uint32_t n);
void extents__give(struct extents *e, uint32_t at, uint32_t n); /* what was taken */
void extents__done(struct extents *e);

#endif
