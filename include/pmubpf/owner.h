/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whose the counts of a CPU's counters are: what bpf/owner.bpf.c adds up at each switch, and user/
 * reads.
 */
#ifndef PMUBPF_OWNER_H
#define PMUBPF_OWNER_H

#include "pmubpf/record.h"

/* What a row is. */
enum pmb_owner_by {
	PMB_OWNER_BY_PROCESS,
	PMB_OWNER_BY_COMM, /* of the thread */
	PMB_OWNER_BY_CGROUP,
};

/* Process: tgid in our pid namespace or PMB_OUTSIDE, and when it began, ns. Comm: its bytes.
 * Cgroup: its id, 0. */
struct pmb_owner_key {
	__u64 word[2];
};

struct pmb_owner {
	__u64 count[PMB_MAX_READS];
	char comm[PMB_COMM_LEN]; /* of a process: its name when it last lost a CPU */
	__u64 process;           /* one of them: who lost a CPU last; numbered as above */
};

/* What each CPU adds up for itself. */
enum pmb_owner_own {
	PMB_OWNER_IDLE,
	PMB_OWNER_KERNEL, /* threads of the kernel */
	PMB_OWNER_UNSEEN, /* between switches of which one was not seen */
	PMB_OWNER_OTHER,  /* those that found no row */
	PMB_N_OWNER_OWN,
};

struct pmb_owner_cpu {
	__u32 counted;             /* user space has counters there */
	__u32 known;               /* the two that follow are */
	__u64 thread;              /* that got the CPU */
	__u64 losses;              /* how often it had lost one by then */
	__u64 last[PMB_MAX_READS]; /* where the counters stood then */
	__u64 own[PMB_N_OWNER_OWN][PMB_MAX_READS];
	__u64 no_room; /* times that there was no row */
};

#endif
