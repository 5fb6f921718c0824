// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "pmu/skid.h"

#include <linux/hw_breakpoint.h>

/* x86's watchpoints trap after the access, those of others before it; all break before they
 * execute. */
static enum pmb_skid breakpoint_skid(const struct perf_event_attr *attr)
{
#ifdef __x86_64__
	if (attr->bp_type != HW_BREAKPOINT_X)
		return PMB_SKID_AFTER;
#endif
	(void)attr;
	return PMB_SKID_EXACT;
}

enum pmb_skid event_skid(const struct event *event)
{
	bool is_clock = event->attr.type == PERF_TYPE_SOFTWARE && event->unit == UNIT_NS;

	if (event->mode != EVENT_OVERFLOWS)
		return PMB_SKID_NONE;
	if (!event->has_addr)
		return is_clock && PMB_HAS_OPERANDS ? PMB_SKID_SOME : PMB_SKID_NONE;
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

bool event_pc_is_exact(const struct event *event)
{
	if (event->mode != EVENT_OVERFLOWS)
		return false;
	switch (event->attr.type) {
	case PERF_TYPE_SOFTWARE: /* a fault is taken at the instruction that makes it */
		return event->has_addr;
	case PERF_TYPE_BREAKPOINT:
		return breakpoint_skid(&event->attr) == PMB_SKID_EXACT;
	case PERF_TYPE_TRACEPOINT:
		return false;
	default:
		return event->attr.precise_ip >= 2;
	}
}
