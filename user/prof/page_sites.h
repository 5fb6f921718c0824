/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who touched pages first, as the rows of a recording say: for those that have an address without
 * being asked, candidates of a clock.
 */
#ifndef PMUBPF_PROF_PAGE_SITES_H
#define PMUBPF_PROF_PAGE_SITES_H

#include <stdint.h>

#include "model/intern.h"
#include "prof/recorded.h"

struct page_sites {
	struct intern pages; /* of processes */
	uint32_t *list;      /* by their numbers: model/sites.h */
	size_t cap;
};

/* Begins as {0}. */
void page_sites__find(struct page_sites *s, const struct recorded *r);
/* SITE_UNKNOWN: nobody has said, or several were it, one after the other. */
uint32_t page_sites__of(const struct page_sites *s, uint32_t tgid, uint64_t addr);
void page_sites__done(struct page_sites *s);

#endif
