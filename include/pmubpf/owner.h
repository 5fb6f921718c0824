/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whose the counts of a CPU's counters are: what bpf/owner.bpf.c adds up at each switch, and user/
 * reads. And with whom threads shared their core meanwhile.
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
	/* of counts by who has the core's other thread */
	PMB_OWNER_SEVERAL, /* not the same all the time between two switches */
	PMB_OWNER_ALONE,   /* there is none, or it isn't watched */
	PMB_N_OWNER_OWN,
};

/*
 * Where it is the time that threads wait for a CPU, there is one count, of all that wait: the
 * integral of how many they are. Others wake them and move them, so the two numbers of which it
 * is made are added to only; times are moved by so much that half of a change shows.
 */
#define PMB_WAIT_EPOCH ((__u64)1 << 56)
#define PMB_WAIT_NOW(ns) ((ns) + PMB_WAIT_EPOCH)

/* Of a thread that waits. */
struct pmb_wait {
	__u64 since;    /* ns */
	__u32 cpu;      /* for which */
	__u32 switches; /* how often it has lost a CPU by then */
};

/* User space says it. */
enum pmb_owner_counted {
	PMB_OWNER_NOT_COUNTED,
	PMB_OWNER_COUNTED,
	PMB_OWNER_STOPS,   /* nothing changes any more but by who is at it */
	PMB_OWNER_STOPPED, /* nor by these; what is due so far can be shared out */
};

/* Who has a CPU, for those that share its core. */
struct pmb_core_mate {
	__u32 turn; /* goes up by two with each; odd: it is being changed */
	__u32 own;  /* enum pmb_owner_own; PMB_N_OWNER_OWN: a row */
	struct pmb_owner_key key;
	char comm[PMB_COMM_LEN]; /* of a process */
	__u64 process;
};

struct pmb_owner_cpu {
	__u32 counted;             /* enum pmb_owner_counted */
	__u32 known;               /* the two that follow are */
	__u64 thread;              /* that got the CPU */
	__u64 losses;              /* how often it had lost one by then */
	__u64 last[PMB_MAX_READS]; /* where the counters stood then */
	__u64 own[PMB_N_OWNER_OWN][PMB_MAX_READS];
	__u64 no_room; /* times that there was no row */
	/* of waits */
	__u64 waiting; /* threads */
	__u64 joined;  /* the sum of the times when they came, less that of those when they went */
	__u64 looked_ns;     /* when it was looked at last */
	__u64 ended_ns;      /* of waits that have ended here, or went on elsewhere */
	__u64 lost, lost_ns; /* of these, whose end was not told: at most so long too much */
	__u64 unheld;        /* waits that found no slot */
	/* of cores with two threads */
	/* the other one's CPU + 1; 0: none that is watched; user space says it */
	__u32 sibling;
	__u32 mates_turn; /* the other one's, when what is counted here began */
	struct pmb_core_mate mate;
};

#endif
