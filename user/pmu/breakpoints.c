// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "pmu/breakpoints.h"

#include <linux/hw_breakpoint.h>
#include <stdint.h>
#include <unistd.h>

#include "sys/perf.h"

enum { TIMES = 8 };

static volatile long word;

static uint64_t met(int fd)
{
	struct perf_count count;

	for (int i = 0; i < TIMES; i++)
		word = i;
	return perf_read(fd, &count) < 0 ? TIMES : count.value;
}

bool breakpoints_are_met(void)
{
	static enum { NOT_TRIED, MET, NEVER_MET } found;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.read_format = PERF_COUNT_READ_FORMAT,
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uintptr_t)&word,
		.bp_len = sizeof(word),
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd;

	if (found == NOT_TRIED) {
		fd = perf_open(&attr, 0, -1);
		found = fd < 0 || met(fd) ? MET : NEVER_MET;
		if (fd >= 0)
			close(fd);
	}
	return found == MET;
}

int event_list__check_breakpoints(const struct event_list *list, struct err *err)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->events[i].is_breakpoint && !breakpoints_are_met())
			return err__cannot(err, "event '%s': %s; %s", list->events[i].name,
					   BREAKPOINTS_NEVER_MET, BREAKPOINTS_NEXT);
	}
	return 0;
}
