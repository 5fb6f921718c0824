// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "pmu/skid.h"

#include <linux/hw_breakpoint.h>

#include "base/mem.h"

/* x86's watchpoints trap after the access, those of others before it; all break before they
 * execute. */
static enum pmb_skid breakpoint_skid(const struct perf_event_attr *attr)
{
#ifdef __x86_64__
	const enum pmb_skid of_data = PMB_SKID_AFTER;
#else
	const enum pmb_skid of_data = PMB_SKID_BEFORE;
#endif

	return attr->bp_type == HW_BREAKPOINT_X ? PMB_SKID_EXACT : of_data;
}

/* Without an address: loads and stores that missed, or were counted, somewhere before. */
static bool counts_accesses(const struct perf_event_attr *attr)
{
	const unsigned cache = attr->config & 0xff;

	if (attr->type == PERF_TYPE_HARDWARE)
		return attr->config == PERF_COUNT_HW_CACHE_REFERENCES ||
		       attr->config == PERF_COUNT_HW_CACHE_MISSES;
	return attr->type == PERF_TYPE_HW_CACHE &&
	       (cache == PERF_COUNT_HW_CACHE_L1D || cache == PERF_COUNT_HW_CACHE_LL ||
		cache == PERF_COUNT_HW_CACHE_DTLB || cache == PERF_COUNT_HW_CACHE_NODE);
}

bool event_counts_accesses(const struct event *event)
{
	return !event->has_addr && counts_accesses(&event->attr);
}

/* Intel's drivers list theirs; AMD's is a PMU of its own. */
char *event_with_address(const struct pmus *pmus)
{
	for (size_t i = 0; i < pmus->n; i++) {
		const struct pmu *pmu = &pmus->pmus[i];

		if (pmu__event(pmu, "mem-loads"))
			return xasprintf("%s/mem-loads/P", pmu->name);
	}
	return pmus__find(pmus, "ibs_op") ? xstrdup("ibs_op/cnt_ctl=1/P") : NULL;
}

enum pmb_skid event_skid(const struct event *event)
{
	bool is_clock = event->attr.type == PERF_TYPE_SOFTWARE && event->unit == UNIT_NS &&
			!event->off_cpu;

	if (event->mode != EVENT_OVERFLOWS)
		return PMB_SKID_NONE;
	if (!event->has_addr)
		return is_clock || counts_accesses(&event->attr) ? PMB_SKID_SOME : PMB_SKID_NONE;
	switch (event->attr.type) {
	case PERF_TYPE_SOFTWARE:
		return PMB_SKID_EXACT;
	case PERF_TYPE_BREAKPOINT:
		return breakpoint_skid(&event->attr);
	default:
		return event->attr.precise_ip >= 2 ? PMB_SKID_EXACT :
		       event->attr.precise_ip      ? PMB_SKID_AFTER :
						     PMB_SKID_SOME;
	}
}

bool event_is_page_fault(const struct event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_PAGE_FAULTS ||
						    attr->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
						    attr->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

bool event_pc_is_exact(const struct event *event)
{
	if (event->mode != EVENT_OVERFLOWS)
		return false;
	switch (event->attr.type) {
	case PERF_TYPE_SOFTWARE: /* a fault is taken at the instruction that makes it */
		return event->has_addr;
	case PERF_TYPE_BREAKPOINT:
		return breakpoint_skid(&event->attr) != PMB_SKID_AFTER;
	case PERF_TYPE_TRACEPOINT:
		return false;
	default:
		return event->attr.precise_ip >= 2;
	}
}
