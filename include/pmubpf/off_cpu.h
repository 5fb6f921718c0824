/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time that threads have no CPU. What a thread was doing is known where it leaves its CPU, how long
 * it did without one where it gets one again: the samples are written there.
 */
#ifndef PMUBPF_OFF_CPU_H
#define PMUBPF_OFF_CPU_H

#include "pmubpf/record.h"

/* Why a thread had no CPU. */
enum pmb_off_state {
	PMB_OFF_NONE,
	PMB_OFF_BLOCKED,   /* it waited for something, and could be interrupted */
	PMB_OFF_UNBROKEN,  /* the same, and could not */
	PMB_OFF_IO,        /* the same, for a device */
	PMB_OFF_STOPPED,   /* by a signal or a debugger */
	PMB_OFF_PREEMPTED, /* another one took its CPU, or it gave it away; it could have run */
	PMB_OFF_WAITING,   /* it was woken, and waited for a CPU */
	PMB_N_OFF_STATES,
};

enum pmb_woken {
	PMB_WOKEN_UNSEEN,
	PMB_WOKEN_BY_THREAD,
	PMB_WOKEN_BY_INTERRUPT, /* a timer, a device: the thread only had the CPU */
};

/* Of samples of such time; their weight is the time, in ns. */
struct pmb_part_off {
	struct pmb_part part;
	__u32 state; /* enum pmb_off_state */
	__u32 call;  /* one more than the number of the system call that it was in; 0: none */
	__u32 waker; /* the thread that ended it, as the first pid namespace numbers it; 0: none is
		      * known, or an idle task */
	__u16 woken; /* enum pmb_woken */
	__u16 more;  /* the rest of the same time, with the same stacks, follows */
	char waker_comm[PMB_COMM_LEN]; /* of the thread on whose CPU it was woken */
};

/* A target's thread, from where it is first met. */
struct pmb_off_thread {
	__u64 first, last; /* when it was met; `last` is the last switch */
	__u64 since;       /* when it left its CPU; 0: it has one, or isn't known to have none */
	__u64 woken;       /* when; 0: it wasn't yet */
	__u64 scale;       /* how many departures it stands for */
	__u64 switches;    /* how often it had left a CPU by then, as the scheduler counts */
	__u64 outside;     /* it left it in no window: there is no sample */
	/* its sample, but for weight and time */
	struct pmb_off_sample {
		struct pmb_sample fixed;
		struct pmb_part_off off;
		struct pmb_part_window window; /* only where windows are wanted */
	} rec;
};

/* Of one CPU. A thread's time is on + off + outside + unseen, from where it is first met to where
 * it is last met. */
struct pmb_off_stats {
	__u64 departures;      /* at which the program of a switch ran; of targets… */
	__u64 recorded;        /* …these */
	__u64 timed, timed_ns; /* of all departures, at whose end the clock was read, too */
	__u64 hooks;           /* times that a switch or a wake-up was looked at */
	__u64 hooks_timed, hooks_timed_ns;
	__u64 on_ns, off_ns, unseen_ns; /* unseen: a switch between was not told, or not recorded */
	__u64 outside_ns;               /* without a CPU, in no window where windows are wanted */
	__u64 wall_ns;                  /* of threads that have ended */
	__u64 unseen;                   /* how often */
	__u64 brief, brief_ns;          /* that were shorter than what was asked for */
};

#endif
