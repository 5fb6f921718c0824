/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What bpf/branch.bpf.c counts at probes of conditional jumps. */
#ifndef PMUBPF_BRANCH_H
#define PMUBPF_BRANCH_H

/* Of an address that is probed: which jump is there, and its condition (x86's, 0 to 15). */
struct pmb_branch_place {
	__u32 jump;
	__u32 condition;
};

struct pmb_branch_counts {
	__u64 taken;
	__u64 not_taken;
};

/* Of all of them: */
struct pmb_branch_stats {
	__u64 hits;      /* counted or not */
	__u64 elsewhere; /* at addresses that aren't known */
	__u64 timed;     /* one of PMB_TIMED_EVERY, */
	__u64 timed_ns;  /* and how long the program took */
};

#endif
