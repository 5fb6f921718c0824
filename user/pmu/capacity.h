/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How many counters run at the same time. The kernel knows (which counters a CPU has, which of them
 * can count what, which the NMI watchdog or another profiler holds), so it is asked: by opening.
 */
#ifndef PMUBPF_PMU_CAPACITY_H
#define PMUBPF_PMU_CAPACITY_H

#include <stdbool.h>
#include <stddef.h>

#include "pmu/event.h"
#include "sys/pmus.h"

/*
 * Whether these events run at the same time on a CPU (cpu >= 0: needs the privilege to open events
 * there; breakpoints are tried on the calling task all the same) or in the calling task (cpu -1:
 * what each CPU's own events leave free). Their attrs are taken as they would be opened, precise_ip
 * included; for the moment of the test they push other profilers' unpinned events aside. Returns
 * 1 if all ran all of the time, 0 if not (or if one of several must be counted alone), or why an
 * event can't be opened at all (-EACCES, -ENOENT,
 * -EINVAL, -EMFILE…). Software events always fit and are not opened.
 */
int events__fit(const struct event *const *events, size_t n, int cpu);

/* As many are tried; what runs in such numbers has no limit that could matter. */
#define CAPACITY_MAX 32

/*
 * How many of one event run at the same time, at most CAPACITY_MAX, on one of the CPUs that have
 * it, or in the calling task where CPUs are out of reach; or why it can't be opened.
 */
int event__copies(const struct event *event);

struct pmu_capacity {
	int at_once; /* counters that ran at the same time, each with one of the PMU's events */
	int error;   /* if none: why the first of them could not be opened (-EACCES…), or 0 */
	/* Of one event alone, for core PMUs: cycles, instructions, mispredicted branches. */
	struct {
		const char *name;
		int copies;
	} alone[3];
	int n_alone;
};

/* pmu is one of pmus. */
void pmu__capacity(const struct pmus *pmus, const struct pmu *pmu, struct pmu_capacity *ret);

/* Whether the kernel's hard-lockup detector is on, which takes a cycles counter of every CPU. */
bool nmi_watchdog_is_on(void);

#endif
