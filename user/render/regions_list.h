/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Regions of memory for whoever manages it: lines of words, as pmubpf-formats(5) has them. */
#ifndef PMUBPF_RENDER_REGIONS_LIST_H
#define PMUBPF_RENDER_REGIONS_LIST_H

#include "base/buf.h"
#include "prof/region_log.h"

struct regions_list {
	const struct region_log *log; /* of all parts; so_far may be NULL */
	const struct prof *part;      /* the last of them; NULL: none */
	double factor;                /* from which on regions are delinquent */
	uint64_t number;
	bool ended;
	uint64_t at_ms, elapsed_ms; /* since 1970; since the beginning */
};

/* Adds it; at most BUDGET_REGION_ROWS lines of a kind. */
void regions_list__text(const struct regions_list *list, struct buf *out);

#endif
