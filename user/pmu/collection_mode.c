// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is what may be read in an interrupt. A counter of the CPU itself is a register.
 * That of a device may need a lock which the interrupted code holds, and nothing but the driver's
 * source tells. So only the CPU's own are read at a clock's overflows.
 */
#include "pmu/collection_mode.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmu/explain.h"
#include "sys/cpus.h"
#include "sys/pmus.h"

#ifndef ENOTSUPP
#define ENOTSUPP 524 /* the kernel's own; some PMU drivers let it out */
#endif

const char *const collection_mode_keys[] = {
	[EVENT_OVERFLOWS] = "overflows",
	[EVENT_READ] = "read",
	[EVENT_SYSTEM] = "system",
};

const char *const collection_way_keys[] = {
	[EVENT_OVERFLOWS] = "overflows",
	[EVENT_READ] = "read",
	[EVENT_SYSTEM] = "place",
};

static int try_open(const struct perf_event_attr *attr, pid_t tid, int cpu)
{
	_cleanup_close_ int fd = attr__try_open(attr, tid, cpu, -1);

	return fd < 0 ? fd : 0;
}

int event__try_count(const struct event *event)
{
	struct perf_event_attr attr = event->attr;

	attr.disabled = 1;
	attr.freq = 0;
	attr.sample_period = 0;
	if (event->mode != EVENT_SYSTEM && try_open(&attr, 0, -1) == 0)
		return 0;
	return try_open(&attr, -1, cpus_first(event->cpus));
}

static bool refuses_samples(const struct event *event)
{
	struct perf_event_attr attr = event->attr;
	int r;

	attr.disabled = 1;
	attr.freq = 0;
	attr.sample_period = event->period ? event->period : 1;
	r = try_open(&attr, 0, -1);
	return r == -EINVAL || r == -EOPNOTSUPP || r == -ENOTSUPP;
}

static bool is_register(const struct event *event)
{
	_cleanup_(pmus__done) struct pmus pmus = {0};
	const struct pmu *pmu;

	if (strcmp(event->pmu, "msr") == 0 || strcmp(event->pmu, "cpu") == 0)
		return true;
	if (pmus__read(&pmus, NULL) < 0)
		return false;
	pmu = pmus__find(&pmus, event->pmu);
	return pmu && pmu__is_core(pmu);
}

enum collection_mode event__find_mode(const struct event *event)
{
	if (event->mode != EVENT_OVERFLOWS)
		return event->mode;
	if (event->is_breakpoint || event->precise_max || event->attr.precise_ip)
		return EVENT_OVERFLOWS;
	if ((!event->at_clock && !refuses_samples(event)) || !is_register(event) ||
	    event__try_count(event) < 0)
		return EVENT_OVERFLOWS;
	return EVENT_READ;
}

void event_list__find_modes(struct event_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		list->events[i].mode = event__find_mode(&list->events[i]);
}

bool event__is_clock(const struct event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_CPU_CLOCK &&
	       !attr->exclude_user && !attr->exclude_kernel && !attr->exclude_idle;
}

int event_list__add_clock(struct event_list *list, struct err *err)
{
	int r = event_list__parse(list, "cpu-clock", NULL, err);

	if (r == 0)
		list->events[list->n - 1].added = true;
	return r;
}
