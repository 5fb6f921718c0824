/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * CPUs with several core PMUs: Intel's hybrid ones (cpu_core, cpu_atom), Arm's big.LITTLE. There a
 * generic event must say which of the PMUs is meant, or the kernel picks one and counts on its CPUs
 * only.
 */
#ifndef PMUBPF_PMU_CORES_H
#define PMUBPF_PMU_CORES_H

#include "pmu/event.h"
#include "sys/pmus.h"

/* True if the machine has more than one PMU that counts what the cores do. */
bool pmus__are_mixed(const struct pmus *pmus);

/*
 * Makes a generic event (PERF_TYPE_HARDWARE, HW_CACHE or RAW) that of one core PMU: on x86 by the
 * PMU's type in the upper half of config (Linux 5.13, where the first hybrid CPU appeared), on Arm
 * by the PMU's own event of that meaning, for the upper half is understood there since 6.6 only.
 * Where its sysfs names no such event, the upper half has to do.
 */
void event__of_core(struct event *event, const struct pmu *core);

/* Whether they count on the same cores. */
bool event__same_cpus(const struct event *a, const struct event *b);

/* The events of one text are neighbours: the first leads them, and this is where they end. */
size_t event_list__family_end(const struct event_list *list, size_t lead);

/* The kernel's number of a generic event, without the PMU's type. */
static inline uint64_t attr__generic_id(const struct perf_event_attr *attr)
{
	return attr->config & UINT32_MAX;
}

/* True for what the kernel defines for every CPU, and for raw codes: the PMU is not part of it. */
static inline bool attr__is_generic(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ||
	       attr->type == PERF_TYPE_RAW;
}

#endif
