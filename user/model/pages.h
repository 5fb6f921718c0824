/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pages of processes, and who touched each last for the first time (numbers of model/sites.h): a
 * page that was given back, and is there anew, is the next one's.
 */
#ifndef PMUBPF_MODEL_PAGES_H
#define PMUBPF_MODEL_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pages {
	struct paged_process *by_tgid;
	size_t bytes, limit; /* 0: any */
	bool refused;        /* a whole process found no room */
};
void pages__done(struct pages *p);

void pages__put(struct pages *p, uint32_t tgid, uint64_t addr, uint32_t site);
/* SITE_OTHER if it may be one that found no room. */
uint32_t pages__site(const struct pages *p, uint32_t tgid, uint64_t addr);
/* All of the process. */
void pages__forget(struct pages *p, uint32_t tgid);

#endif
