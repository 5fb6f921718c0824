/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is looked for in a profile, and what is said about it: a table. */
#ifndef PMUBPF_ADVISE_RULES_H
#define PMUBPF_ADVISE_RULES_H

#include <stddef.h>
#include <stdint.h>

/* What a rule's number is. */
enum rule_kind {
	RULE_OF_CPU,      /* percentage of the CPU time: its samples, of a clock's */
	RULE_OF_THREADS,  /* of the time that threads ran or waited so: off-cpu, beside a clock */
	RULE_OF_ACCESSES, /* of the samples that say what they touched */
	RULE_OF_STACKS,   /* of the user stacks: of the recording's own account of them */
	RULE_STOLEN,      /* of the CPUs' time, taken by the hypervisor */
	RULE_HEAT,        /* times that the CPUs were slowed down */
	RULE_QUOTA,       /* of a CPU quota's periods those in which it held a cgroup back */
	RULE_PRESSURE,    /* of the time: some task waited for what `account` names */
	RULE_OF_SOURCES,  /* of the samples that say where data came from */
	RULE_MISSES, /* misses per 1000 instructions, where few instructions a cycle are done */
	RULE_STALLS, /* of the cycles: those of `account` */
	RULE_SLOTS,  /* of a core's slots for instructions: what the metric `account` says */
};

/* Whose place is named. */
enum rule_place {
	PLACE_NONE,
	PLACE_SITE,    /* the function that needed it: the innermost that is no library's helper */
	PLACE_CALL,    /* system call, and that */
	PLACE_WAKER,   /* that, and who ended the wait */
	PLACE_LEAF,    /* innermost function */
	PLACE_MODULE,  /* file of that */
	PLACE_SCRIPT,  /* innermost interpreted function */
	PLACE_COMMAND, /* name of the thread */
	PLACE_OBJECT,  /* the data, and the function */
};

/* Of rules about misses: whose. */
enum rule_misses {
	MISSES_OF_CACHE,
	MISSES_OF_TLB,
	MISSES_OF_CODE,
	MISSES_OF_CODE_TLB,
	MISSES_OF_BRANCHES
};

struct rule {
	const char *id; /* in JSON, and in the manual */
	enum rule_kind kind;
	enum rule_place place;
	uint32_t traits;   /* samples with any of these count */
	double least;      /* the lower end of the number's interval has to reach this */
	uint32_t also;     /* samples with any of these have to… */
	double also_least; /* …reach this, likewise */
	const char
		*rate_of; /* an event whose rate is part of the evidence, if it is there; or NULL */
	double rate_least; /* a second of CPU time; 0: any */
	uint64_t covers;   /* RULE_BIT of rules whose finding is the same time, seen with less */
	uint64_t leads_to; /* of those whose finding follows from this one */
	enum rule_misses misses;
	const char *account; /* of pressure, stalls and slots */
	/* Texts. In them @ is the number, % the first place's function, & the file. */
	const char *title, *why, *what, *look;
};

/* Their order in the table. */
enum {
	RULE_CPU_QUOTA,
	RULE_MEMORY_PRESSURE,
	RULE_IO_PRESSURE,
	RULE_CPU_PRESSURE,
	RULE_RECLAIM,
	RULE_PROCESS_STARTS,
	RULE_ALLOCATOR_CHURN,
	RULE_PAGE_FAULTS,
	RULE_CONTEXT_SWITCHES,
	RULE_SPINNING,
	RULE_SYSTEM_CALLS,
	RULE_LOCKS,
	RULE_RUN_QUEUE,
	RULE_DISK,
	RULE_COPYING,
	RULE_STRINGS,
	RULE_UNINLINED,
	RULE_INTERPRETER,
	RULE_FALSE_SHARING,
	RULE_REMOTE_MEMORY,
	RULE_CACHE_MISSES,
	RULE_TLB_MISSES,
	RULE_BRANCH_MISSES,
	RULE_CODE_MISSES,
	RULE_CODE_TLB_MISSES,
	RULE_FRONTEND,
	RULE_BACKEND,
	RULE_SLOTS_FRONTEND,
	RULE_FETCH_LATENCY,
	RULE_FETCH_BANDWIDTH,
	RULE_SLOTS_SPECULATION,
	RULE_MISPREDICTS,
	RULE_CLEARS,
	RULE_SLOTS_BACKEND,
	RULE_MEMORY_BOUND,
	RULE_CORE_BOUND,
	RULE_MICROCODE,
	RULE_STEAL,
	RULE_THROTTLED,
	RULE_BROKEN_STACKS,
	RULE_NO_NAMES,
	N_RULES,
};
#define RULE_BIT(rule) (UINT64_C(1) << (rule))

extern const struct rule rules[N_RULES];

/* Fewer samples than these say nothing: of the clock, or of what is looked at. */
enum { RULE_FEW_SAMPLES = 100, RULE_FEW_PERIODS = 10 };
/* More instructions a cycle than that, and misses don't hold the CPU up. */
#define RULE_LOW_IPC 0.7

#endif
