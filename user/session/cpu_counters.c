// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "session/cpu_counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "session/counting_internal.h"

static int refuse(struct probe_result *tried, const char *brief, const char *reason)
{
	snprintf(tried->brief, sizeof(tried->brief), "%s", brief);
	snprintf(tried->reason, sizeof(tried->reason), "%s", reason);
	return 0;
}

static void close_from(struct cpu_counters *counters, size_t first)
{
	while (counters->n_fds > first)
		close(counters->fds[--counters->n_fds].fd);
}

static int open_on(struct cpu_counters *counters, const struct event *event, int cpu)
{
	struct perf_event_attr attr = event__count_attr(event);
	int fd;

	attr.read_format = PERF_COUNT_READ_FORMAT;
	fd = perf_open(&attr, -1, cpu);
	if (fd < 0)
		return fd;
	GROW(counters->fds, counters->n_fds, counters->cap_fds);
	counters->fds[counters->n_fds++] =
		(struct cpu_counter){.fd = fd, .cpu = cpu, .counter = counters->n};
	return 0;
}

/* On all CPUs that have it, or on none: then tried says why. Negative only for what ends
 * everything. */
static int open_counter(struct cpu_counters *counters, const struct counting *c, size_t index,
			struct probe_result *tried, struct err *err)
{
	_cleanup_(cpus__done) struct cpus only = {0};
	const struct event *event = &c->result->events.events[index];
	const struct cpus *cpus = c->opts->whom.cpus ? c->opts->whom.cpus : &c->online;
	size_t first = counters->n_fds;
	bool limited = counting__event_cpus(c, event, &only);

	if (event->is_breakpoint)
		return refuse(tried, "not by programs", "breakpoints count in tasks, not on CPUs");
	if (limited && !event->cpus)
		return refuse(tried, "not by programs",
			      "its PMU counts for a part of the machine, not for a thread");
	for (int i = 0; i < cpus->n; i++) {
		int cpu = cpus->cpu[i], r;

		if (limited && !cpus__has(&only, cpu))
			continue;
		r = open_on(counters, event, cpu);
		if (r == 0)
			continue;
		close_from(counters, first);
		if (r == -EMFILE || r == -ENFILE)
			return event__explain_open(event, -1, cpu, -r, err);
		event__refusal(event, -1, cpu, -r, tried);
		return 0;
	}
	tried->ok = true;
	counters->event[counters->n++] = index;
	return 0;
}

int cpu_counters__open(struct cpu_counters *counters, const struct counting *c,
		       struct probe_result *tried, struct err *err)
{
	const struct event_list *events = &c->result->events;
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; i < events->n; i++)
		n += c->result->tried[i].ok;
	if (n > PMB_MAX_READS)
		return err__usage(err, "%s: at most %d events can be counted so, and these are %zu",
				  counters->option, PMB_MAX_READS, n);
	for (size_t i = 0; r == 0 && i < events->n; i++) {
		if (c->result->tried[i].ok)
			r = open_counter(counters, c, i, &tried[i], err);
		else
			tried[i] = c->result->tried[i];
	}
	return r;
}

int cpu_counters__hand_over(const struct cpu_counters *counters, const struct counting *c,
			    int (*set)(void *programs, size_t counter, int cpu, int fd),
			    void *programs, struct err *err)
{
	for (size_t i = 0; i < counters->n_fds; i++) {
		const struct cpu_counter *fd = &counters->fds[i];
		int r = set(programs, fd->counter, fd->cpu, fd->fd);

		if (r < 0)
			return err__cannot(err, "%s: event '%s' can't be read by programs: %s",
					   counters->option,
					   c->result->events.events[counters->event[fd->counter]]
						   .name,
					   strerror(-r));
	}
	return 0;
}

int cpu_counters__enable(const struct cpu_counters *counters, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < counters->n_fds; i++)
		r = perf_enable(counters->fds[i].fd, err);
	return r;
}

void cpu_counters__disable(const struct cpu_counters *counters)
{
	for (size_t i = 0; i < counters->n_fds; i++)
		ioctl(counters->fds[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

void cpu_counters__done(struct cpu_counters *counters)
{
	close_from(counters, 0);
	free(counters->fds);
	*counters = (struct cpu_counters){0};
}
