// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Asks the kernel what runs together. Each event is opened pinned: one that finds no counter is
 * then put into an error state and reads as end of file, at once, where an unpinned one would take
 * turns with others. Pinned one by one and not as a group, because a group is of one hardware PMU.
 */
#include "pmu/capacity.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmu/explain.h"
#include "sys/clock.h"
#include "sys/perf.h"

/* Long enough for the scheduling of all of them to be a small part of it. */
#define TRIAL_NS 100000
/* No counter is as wide as to count this within a trial, so nothing interrupts. */
#define TRIAL_PERIOD (1ULL << 40)

/* Events that are open together. */
struct trial {
	int *fds;
	size_t n, cap;
};

static void trial__done(struct trial *trial)
{
	while (trial->n > 0)
		close(trial->fds[--trial->n]);
	free(trial->fds);
	*trial = (struct trial){0};
}

/*
 * As it would be opened: a precise event is one only if it samples, and has fewer counters to
 * choose from than the same event unprecise.
 */
static struct perf_event_attr trial_attr(const struct event *event)
{
	struct perf_event_attr attr = event->attr;

	attr.size = sizeof(attr);
	attr.freq = 0;
	attr.sample_period = event->way == EVENT_OVERFLOWS ? TRIAL_PERIOD : 0;
	attr.sample_type = 0;
	attr.inherit = 0;
	attr.enable_on_exec = 0;
	attr.read_format = PERF_COUNT_READ_FORMAT;
	attr.disabled = 1;
	attr.pinned = 1;
	return attr;
}

static int trial__open(struct trial *trial, const struct event *event, int cpu)
{
	struct perf_event_attr attr = trial_attr(event);
	int on = event->is_breakpoint ? -1 : cpu;
	int fd = attr__try_open(&attr, on < 0 ? 0 : -1, on, -1);

	if (fd < 0)
		return fd;
	GROW(trial->fds, trial->n, trial->cap);
	trial->fds[trial->n++] = fd;
	return 0;
}

static int trial__enable(const struct trial *trial)
{
	for (size_t i = 0; i < trial->n; i++) {
		if (ioctl(trial->fds[i], PERF_EVENT_IOC_ENABLE, 0) < 0)
			return -errno;
	}
	return 0;
}

/* The calling task runs all the while: its own counters need that. */
static void spin(uint64_t ns)
{
	uint64_t end = now_ns() + ns;

	while (now_ns() < end)
		;
}

/*
 * Pinned events take no turns: one either has its counter or reads as end of file. Times tell the
 * rest apart: an event of a PMU that this CPU does not have stays open and never runs.
 */
static bool trial__ran(const struct trial *trial)
{
	struct perf_count count;

	for (size_t i = 0; i < trial->n; i++) {
		if (perf_read(trial->fds[i], &count) < 0 || !count.running_ns ||
		    count.running_ns < count.enabled_ns / 2)
			return false;
	}
	return true;
}

int events__fit(const struct event *const *events, size_t n, int cpu)
{
	_cleanup_(trial__done) struct trial trial = {0};
	int r;

	for (size_t i = 0; i < n; i++) {
		if (events[i]->attr.type == PERF_TYPE_SOFTWARE)
			continue;
		r = trial__open(&trial, events[i], cpu);
		/* breakpoints are given out at open */
		if (r == -ENOSPC || r == -EBUSY)
			return 0;
		if (r < 0)
			return r;
	}
	r = trial__enable(&trial);
	if (r < 0)
		return r;
	if (trial.n)
		spin(TRIAL_NS);
	return trial__ran(&trial);
}
