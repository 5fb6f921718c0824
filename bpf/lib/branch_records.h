/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The branches before an overflow, as the CPU recorded them (LBR, BRBE, LbrExtV2). The kernel has
 * read them when the program runs; a helper copies them, at most as many as there is room for, and
 * tells how many there were. Before Linux 5.16 it knows x86 only, and fails elsewhere.
 */
#ifndef PMUBPF_BPF_BRANCH_RECORDS_H
#define PMUBPF_BPF_BRANCH_RECORDS_H

#include "lib/maps.h"
#include "pmubpf/unwind_find.h"

enum { GET_BRANCH_RECORDS_SIZE = 1 /* BPF_F_GET_BRANCH_RECORDS_SIZE */ };

/* Fills the part in; returns its size, 0 if there are none. *whole: how many there were. */
static __always_inline __u64 branches_part(struct bpf_perf_event_data *ctx,
					   struct pmb_part_branches *part, __u64 *whole)
{
	const __u64 one = sizeof(struct pmb_branch);
	long all = bpf_read_branch_records(ctx, NULL, 0, GET_BRANCH_RECORDS_SIZE);
	long got = all > 0 ? bpf_read_branch_records(ctx, part->list, sizeof(part->list), 0) : 0;
	__u64 bytes = got;

	*whole = 0;
	if (got <= 0)
		return 0;
	*whole = (__u64)all / one;
	/* "R3 unbounded memory access": the compiler may know the bound, and leave the mask out */
	UNWIND_HIDE(bytes);
	bytes &= 2047;
	if (bytes > sizeof(part->list))
		return 0; /* can't be */
	part->part.size = offsetof(struct pmb_part_branches, list) + bytes;
	part->part.type = PMB_PART_BRANCHES;
	part->part.pad = 0;
	part->n = bytes / one;
	part->whole = *whole;
	return offsetof(struct pmb_part_branches, list) + bytes;
}

#endif
