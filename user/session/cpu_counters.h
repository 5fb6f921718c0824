/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events that are counted once more on every CPU, for programs that read them there. */
#ifndef PMUBPF_SESSION_CPU_COUNTERS_H
#define PMUBPF_SESSION_CPU_COUNTERS_H

#include <stddef.h>

#include "base/err.h"
#include "pmu/probe.h"
#include "pmubpf/record.h"

struct counting;

struct cpu_counters {
	const char *option; /* that wants them, for sentences; borrowed */
	size_t n;
	size_t event[PMB_MAX_READS]; /* by counter: its index in the list of events */
	struct cpu_counter {
		int fd, cpu;
		size_t counter;
	} * fds;
	size_t n_fds, cap_fds;
};

/*
 * Opens, disabled, on the target's CPUs or on all, those events of the result that are counted at
 * all. tried, by event: ok, or why it isn't one of them. Fails with the sentence where that ends
 * everything.
 */
int cpu_counters__open(struct cpu_counters *counters, const struct counting *counting,
		       struct probe_result *tried, struct err *err);
/* Gives each to a program: set returns 0 or a negative errno. */
int cpu_counters__hand_over(const struct cpu_counters *counters, const struct counting *counting,
			    int (*set)(void *programs, size_t counter, int cpu, int fd),
			    void *programs, struct err *err);
int cpu_counters__enable(const struct cpu_counters *counters, struct err *err);
void cpu_counters__disable(const struct cpu_counters *counters);
void cpu_counters__done(struct cpu_counters *counters);

#endif
