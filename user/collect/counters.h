/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The opened events: one descriptor per event and CPU, or per event and task. Opened disabled, then
 * attached to their program, then enabled, so that no child can be forked in between without it.
 */
#ifndef PMUBPF_COLLECT_COUNTERS_H
#define PMUBPF_COLLECT_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "pmu/event.h"
#include "sys/cpus.h"
#include "sys/perf.h"

struct counter {
	int fd;
	size_t event;
	size_t leads;      /* the number of a group of events whose first here it is; 0: of none */
	pid_t tid;         /* -1: whatever runs on cpu */
	int cpu;           /* -1: wherever tid runs */
	uint64_t id;       /* the kernel's id, in side-band records */
	uint64_t charged;  /* of a system counter: how much of it is in the profile */
	uint64_t still_ns; /* since when it stands still, throttled, by its clock; 0: it doesn't */
	uint64_t since_ns; /* of a CPU that came later: when it was opened; 0: it was here */
	struct perf_count count; /* after counters__read */
	/* of a recording that is cut: what it was at the last cut, and how much more it is */
	struct perf_count before, since;
};

struct counters {
	struct counter *list;
	size_t n, cap;
};

struct opener;

struct counters_opts {
	bool sampled;   /* false: it only counts, nothing overflows */
	int program_fd; /* what its overflows run, if it is sampled and has any */
	const struct event *event;
	size_t index;
	struct opener *opener;  /* who opens those of tasks; NULL: this process */
	bool late;              /* of CPUs: it opens these, too */
	uint64_t period;        /* 0: the event's own */
	bool inherit;           /* per task: follow threads and children */
	bool want_phys;         /* where in memory the data is, of events that ask for it */
	bool want_data;         /* of events with addresses: where data came from, and latency */
	uint64_t branch_filter; /* of those that take branch records; 0: they are not wanted */
	bool enable_on_exec;    /* per task: for a command that waits for its exec */
};

int counters__open_cpus(struct counters *c, const struct counters_opts *opts,
			const struct cpus *cpus, struct err *err);
/* Tasks that have gone meanwhile are skipped; fails with -ESRCH if none is left. */
int counters__open_tasks(struct counters *c, const struct counters_opts *opts, const pid_t *tids,
			 size_t n_tids, struct err *err);
int counters__enable(const struct counters *c, struct err *err);
void counters__disable(const struct counters *c);
/* How often it overflows from now on; children that have inherited it stay as they are. */
void counter__set_period(const struct counter *counter, uint64_t period);
void counters__read(struct counters *c);
void counters__close(struct counters *c);

#endif
