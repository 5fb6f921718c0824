/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The programs at the probes of allocators (bpf/alloc.bpf.c), loaded beside those of overflows,
 * whose rings, tables and marks they share. */
#ifndef PMUBPF_COLLECT_ALLOCS_H
#define PMUBPF_COLLECT_ALLOCS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "collect/probe_links.h"
#include "collect/programs.h"

/* What a function of an allocator does, and where it has its arguments. */
enum alloc_kind {
	ALLOC_MALLOC,       /* (size), returns the block */
	ALLOC_CALLOC,       /* (number, size) */
	ALLOC_MEMALIGN,     /* (alignment, size) */
	ALLOC_POSIX,        /* (where to, alignment, size), returns 0 */
	ALLOC_REALLOC,      /* (block, size) */
	ALLOC_REALLOCARRAY, /* (block, number, size) */
	ALLOC_FREE,         /* (block) */
	ALLOC_EXIT,         /* where one of them returns, but for the last */
	ALLOC_CLEARING,     /* where calloc goes on as memset, which returns the block */
};

struct alloc_programs;

/* Loads; programs: those of the recording's overflows, which count what these send, too. config:
 * whose calls (filter, pidns, user_mask, by_table, ring_wake, max_frames). -errno with the
 * sentence. */
int alloc_programs__load(struct alloc_programs **ret, struct programs *programs,
			 const struct pmb_config *config, struct err *err);
struct alloc_programs *alloc_programs__free(struct alloc_programs *p); /* NULL is fine */

/* Attaches the program of that kind to a probe, which is taken over in any case: it goes with
 * alloc_programs__detach(), or this process. emulated: as in sym/site_client.h. 0 or -errno. */
int alloc_programs__attach(struct alloc_programs *p, enum alloc_kind kind, bool emulated,
			   int probe_fd);
/* Calls that threads are in are forgotten. As probe_links__close(). */
int alloc_programs__detach(struct alloc_programs *p, struct opener *opener);

int alloc_programs__stats(const struct alloc_programs *p, struct pmb_alloc_stats *ret);

#endif
