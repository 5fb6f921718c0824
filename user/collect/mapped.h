/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The programs that tell who asks the kernel for memory (bpf/mapped.bpf.c), loaded beside those of
 * overflows, whose rings, tables and marks they share. */
#ifndef PMUBPF_COLLECT_MAPPED_H
#define PMUBPF_COLLECT_MAPPED_H

#include <linux/types.h>
#include <stdint.h>

#include "base/err.h"
#include "collect/programs.h"

struct mapped_programs;

/* Loads and attaches. config: as of alloc_programs__load, and has_task_regs. share: of each CPU's
 * time, for stacks; 0: any. -errno with the sentence. */
int mapped_programs__load(struct mapped_programs **ret, struct programs *programs,
			  const struct pmb_config *config, double share, struct err *err);
struct mapped_programs *mapped_programs__free(struct mapped_programs *p); /* NULL is fine */

/* Counts calls as lost that began before and have not ended yet: the kernel may have left their end
 * out. */
void mapped_programs__give_up(struct mapped_programs *p, uint64_t before_ns);
int mapped_programs__stats(const struct mapped_programs *p, struct pmb_mapped_stats *ret);

#endif
