/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts without sampling: opens, reads, intervals. No interrupts, and no BPF but for units of
 * work: each event counts per task (inherited by what the task starts), per CPU, or per cgroup and
 * CPU.
 */
#ifndef PMUBPF_SESSION_COUNTING_H
#define PMUBPF_SESSION_COUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "collect/gates.h"
#include "model/counts.h"
#include "model/owners.h"
#include "model/work.h"
#include "pmu/event.h"
#include "pmu/probe.h"
#include "session/command.h"
#include "session/session.h"
#include "session/target.h"

struct opener;

/* What the counts of whole CPUs are told apart by. */
enum counting_by {
	COUNTING_BY_NONE,
	COUNTING_BY_PROCESS,
	COUNTING_BY_COMM,
	COUNTING_BY_CGROUP,
	COUNTING_BY_CONTAINER,
};

/* Another target, of which events are counted in the same intervals; not a command. */
struct counting_beside {
	const struct event_list *events; /* borrowed */
	struct target whom;
};

struct counting_opts {
	const struct event_list *events; /* borrowed; rates and precision are ignored */
	struct target whom;
	struct opener *opener; /* who opens counters of tasks; borrowed; NULL: this process */

	bool per_cpu;         /* a row for each CPU */
	bool per_thread;      /* a row for each thread there is at the start, of pids and tids */
	bool more_follow;     /* of these countings: privileges to start them are kept */
	uint64_t interval_ns; /* 0: only the whole */
	enum counting_by by;  /* of processes, only those of whom; wants an opener for cgroups */
	bool neighbours;      /* of by: not counts, but who had the CPU while whom waited for it */
	bool by_sibling;      /* of these: their events, by who had the core's other thread */
	const struct gates *per; /* the units of work to count as well; borrowed; NULL: none */
	bool inside;             /* of per: what is inside and outside of units, too */
	uint64_t longer_ns;      /* of per: only units that last as long */
	double budget; /* of per: percent of the CPUs' time that probes may take; 0: any */
	struct processor_watch *processor;    /* as of a session; borrowed; NULL: nobody asks */
	const struct counting_beside *beside; /* borrowed */
	size_t n_beside;

	/* After each interval, the last and shorter one included; a negative errno ends the
	 * counting.
	 * NULL without intervals. */
	int (*interval)(void *ctx, const struct counts *interval);
	void *ctx;
};

struct counting_result {
	/* As they were opened: without privilege perhaps narrowed to user code, and the name says
	 * so. */
	struct event_list events;
	struct counts counts;       /* of the whole; with intervals, of the last one */
	struct probe_result *tried; /* per event: ok, or why it is not counted */
	struct command command;
	bool has_usage; /* a command was the target and has ended: what it used */
	uint64_t user_ns, system_ns;
	enum session_end end;
	struct buf notes; /* lines: what was odd */
	/* How long units of work were held, of whole intervals: struct verdict_times. */
	uint64_t throttled_ns, gpu_ns;
	struct work_counts work; /* of units of work; with intervals, of those of the last one */
	uint64_t n_units;        /* that are counted in it */
	struct probe_result *work_tried; /* per event, as tried; NULL: they aren't counted */
	struct owners owners;            /* of CPUs' counters; with intervals, of the last one */
	struct owner_lines owner_lines;
	struct probe_result *owners_tried; /* per event, as tried; NULL: they aren't told apart */
	struct counting_result *beside;    /* of the other targets: events, counts and tried */
	size_t n_beside;
};

/*
 * Counts until the end. The command (if any) has been told to end, but not waited for:
 * counting__wait does that and returns its exit status (0 without one). Events that can't be opened
 * are left out and explained in the result; it fails, before the command is run, if none is left.
 */
int counting__run(const struct counting_opts *opts, struct counting_result *result,
		  struct err *err);
int counting__wait(struct counting_result *result);
void counting_result__done(struct counting_result *result);

#endif
