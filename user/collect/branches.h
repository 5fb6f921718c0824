/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The program at probes of conditional jumps (bpf/branch.bpf.c), and its probes in one process. */
#ifndef PMUBPF_COLLECT_BRANCHES_H
#define PMUBPF_COLLECT_BRANCHES_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "pmubpf/branch.h"

struct opener;
struct branch_programs;

/* Jumps that can be probed at a time here: where probes come and go one by one, it takes them
 * long. */
size_t branch_programs__most(void);

/* Loads: for so many jumps, and addresses where they may be met. -errno with the sentence. */
int branch_programs__load(struct branch_programs **ret, size_t jumps, size_t addresses,
			  struct err *err);
struct branch_programs *branch_programs__free(struct branch_programs *p); /* NULL is fine */

/* A jump is at that address. */
int branch_programs__expect(struct branch_programs *p, uint64_t address,
			    const struct pmb_branch_place *place);

/* A file in a process, and where in it the jumps are. */
struct branch_target {
	struct opener *opener;
	int fd; /* as the opener found it */
	uint64_t mnt_ns;
	const uint64_t *file_offs;
	size_t n;
	pid_t tgid;
};
/* All or none. -errno; -OPENER_SERVED as from opener__uprobe(). */
int branch_programs__put_in(struct branch_programs *p, const struct branch_target *target);
/* What is met from now on doesn't count; it takes the kernel a while. */
void branch_programs__take_out(struct branch_programs *p);
/* Probes that the kernel still has in place, though they were taken out. */
size_t branch_programs__closing(struct branch_programs *p);

int branch_programs__counts(const struct branch_programs *p, size_t jump,
			    struct pmb_branch_counts *ret);
int branch_programs__stats(const struct branch_programs *p, struct pmb_branch_stats *ret);

#endif
