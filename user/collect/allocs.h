/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The programs at the probes of allocators (bpf/alloc.bpf.c), loaded beside those of overflows,
 * whose rings, tables and marks they share. */
#ifndef PMUBPF_COLLECT_ALLOCS_H
#define PMUBPF_COLLECT_ALLOCS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "collect/process_probes.h"
#include "collect/programs.h"
#include "pmubpf/alloc.h"

struct opener;

struct alloc_place {
	enum alloc_kind kind;
	bool emulated; /* as in sym/site_client.h */
	uint64_t file_off;
};

/* A file in a process. */
struct alloc_target {
	struct opener *opener;
	int fd; /* the file, as the opener found it */
	uint64_t mnt_ns;
	const struct alloc_place *places;
	size_t n;
	pid_t tgid;
};

struct alloc_programs;

/* Loads; programs: those of the recording's overflows, which count what these send, too. config:
 * whose calls (filter, pidns, user_mask, by_table, ring_wake, max_frames). -errno with the
 * sentence. */
int alloc_programs__load(struct alloc_programs **ret, struct programs *programs,
			 const struct pmb_config *config, struct err *err);
struct alloc_programs *alloc_programs__free(struct alloc_programs *p); /* NULL is fine */

/* All or none: *ret is empty on failure (-errno; -OPENER_SERVED as from opener__uprobe). */
int alloc_programs__put_in(struct alloc_programs *p, const struct alloc_target *target,
			   struct process_probes *ret);
/* It takes the kernel a while, which isn't waited for. */
void alloc_programs__take_out(struct alloc_programs *p, struct process_probes *probes);
/* Descriptors of probes that the kernel still has in place, though they were taken out. */
size_t alloc_programs__closing(struct alloc_programs *p);
/* Off: whatever a probe meets is not told from now on, and calls that threads are in are forgotten.
 * It begins as on. */
void alloc_programs__switch(struct alloc_programs *p, bool on);

int alloc_programs__stats(const struct alloc_programs *p, struct pmb_alloc_stats *ret);

#endif
