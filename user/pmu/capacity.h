/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How many counters run at the same time. The kernel knows (which counters a CPU has, which of them
 * can count what, which the NMI watchdog or another profiler holds), so it is asked: by opening.
 */
#ifndef PMUBPF_PMU_CAPACITY_H
#define PMUBPF_PMU_CAPACITY_H

#include <stddef.h>

#include "pmu/event.h"

/*
 * Whether these events run at the same time on a CPU (cpu >= 0: needs the privilege to open events
 * there; breakpoints are tried on the calling task all the same) or in the calling task (cpu -1:
 * what each CPU's own events leave free). Their attrs are taken as they would be opened, precise_ip
 * included; for the moment of the test they push other profilers' unpinned events aside. Returns
 * 1 if all ran all of the time, 0 if not, or why an event can't be opened at all (-EACCES, -ENOENT,
 * -EINVAL, -EMFILE…). Software events always fit and are not opened.
 */
int events__fit(const struct event *const *events, size_t n, int cpu);

#endif
