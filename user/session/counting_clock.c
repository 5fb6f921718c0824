// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How much CPU time targets have had, with what they start: while probes are in place, and while
 * they aren't. Not of CPUs and cgroups, where others that met none are in it.
 */
#include <linux/perf_event.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "opener/opener.h"
#include "session/counting_internal.h"
#include "sys/perf.h"

static int open_one(const struct counting *c, pid_t tid)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.read_format = PERF_COUNT_READ_FORMAT,
		.inherit = c->opts->whom.inherit,
	};

	return opener__counter(c->opts->opener, &attr, tid, -1, -1);
}

void counting_clock__open(struct counting_clock *clock, const struct counting *c)
{
	pid_t before = -1;

	for (size_t i = 0; i < c->n_targets; i++) {
		const struct count_target *t = &c->targets[i];
		int fd;

		if (t->tid < 0)
			break;
		if (t->tid == before)
			continue;
		before = t->tid;
		fd = open_one(c, t->tid);
		if (fd < 0)
			continue;
		GROW(clock->fds, clock->n, clock->cap);
		clock->fds[clock->n++] = fd;
	}
}

uint64_t counting_clock__read(const struct counting_clock *clock)
{
	struct perf_count count;
	uint64_t sum = 0;

	for (size_t i = 0; i < clock->n; i++)
		sum += perf_read(clock->fds[i], &count) == 0 ? count.value : 0;
	return sum;
}

void counting_clock__close(struct counting_clock *clock)
{
	while (clock->n)
		cleanup_close(&clock->fds[--clock->n]);
	free(clock->fds);
	*clock = (struct counting_clock){0};
}
