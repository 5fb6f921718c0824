// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What units of work cost: the same events once more, on every CPU, for programs that read them
 * where a unit begins and ends.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "collect/work.h"
#include "session/counting_internal.h"
#include "session/gate_events.h"
#include "session/gate_sites.h"
#include "sys/procfs.h"

struct counting_work {
	struct gates gates; /* with whose */
	struct work_programs *programs;
	struct work_counter {
		int fd, cpu;
		size_t counter;
	} * fds;
	size_t n_fds, cap_fds;
	struct counters events;    /* that begin and end units */
	struct work_counts before; /* at the end of the previous interval */
};

static int refuse(struct probe_result *tried, const char *brief, const char *reason)
{
	snprintf(tried->brief, sizeof(tried->brief), "%s", brief);
	snprintf(tried->reason, sizeof(tried->reason), "%s", reason);
	return 0;
}

static void close_from(struct counting_work *w, size_t first)
{
	while (w->n_fds > first)
		close(w->fds[--w->n_fds].fd);
}

static int open_on(struct counting_work *w, const struct event *event, size_t counter, int cpu)
{
	struct perf_event_attr attr = event__count_attr(event);
	int fd;

	attr.read_format = PERF_COUNT_READ_FORMAT;
	attr.disabled = 0;
	fd = perf_open(&attr, -1, cpu);
	if (fd < 0)
		return fd;
	GROW(w->fds, w->n_fds, w->cap_fds);
	w->fds[w->n_fds++] = (struct work_counter){.fd = fd, .cpu = cpu, .counter = counter};
	return 0;
}

/* On all CPUs that have it, or on none: then tried says why. Negative only for what ends
 * everything. */
static int open_counter(struct counting *c, size_t index, struct probe_result *tried,
			struct err *err)
{
	_cleanup_(cpus__done) struct cpus only = {0};
	const struct event *event = &c->result->events.events[index];
	struct work_counts *counts = &c->result->work;
	size_t first = c->work->n_fds;
	bool limited = counting__event_cpus(c, event, &only);

	if (event->is_breakpoint)
		return refuse(tried, "not in windows", "breakpoints count in tasks, not on CPUs");
	if (limited && !event->cpus)
		return refuse(tried, "not in windows",
			      "its PMU counts for a part of the machine, not for a thread");
	for (int i = 0; i < c->online.n; i++) {
		int cpu = c->online.cpu[i], r;

		if (limited && !cpus__has(&only, cpu))
			continue;
		r = open_on(c->work, event, counts->n_counters, cpu);
		if (r == 0)
			continue;
		close_from(c->work, first);
		if (r == -EMFILE || r == -ENFILE)
			return event__explain_open(event, -1, cpu, -r, err);
		event__refusal(event, -1, cpu, -r, tried);
		return 0;
	}
	tried->ok = true;
	counts->event[counts->n_counters++] = index;
	return 0;
}

static int open_counters(struct counting *c, struct err *err)
{
	const struct event_list *events = &c->result->events;
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; i < events->n; i++)
		n += c->result->tried[i].ok;
	if (n > PMB_MAX_READS)
		return err__usage(err,
				  "%s: at most %d events can be counted by windows, and these are "
				  "%zu",
				  c->opts->per->option, PMB_MAX_READS, n);
	c->result->work_tried = xcalloc(events->n, sizeof(*c->result->work_tried));
	for (size_t i = 0; r == 0 && i < events->n; i++) {
		struct probe_result *tried = &c->result->work_tried[i];

		if (c->result->tried[i].ok)
			r = open_counter(c, i, tried, err);
		else
			*tried = c->result->tried[i];
	}
	return r;
}

static int hand_over(struct counting *c, struct err *err)
{
	for (size_t i = 0; i < c->work->n_fds; i++) {
		const struct work_counter *fd = &c->work->fds[i];
		int r = work_programs__set_counter(c->work->programs, fd->counter, fd->cpu, fd->fd);

		if (r < 0)
			return err__cannot(
				err, "%s: event '%s' can't be read by programs: %s",
				c->opts->per->option,
				c->result->events.events[c->result->work.event[fd->counter]].name,
				strerror(-r));
	}
	return 0;
}

static pid_t command_pid(const struct counting *c)
{
	return target__is_command(&c->opts->whom) ? c->result->command.pid : 0;
}

static void mark_target(void *ctx, pid_t tid)
{
	struct counting *c = ctx;

	work_programs__mark(c->work->programs, tid,
			    command_pid(c) ? PMB_MARK_ARMED : PMB_MARK_TARGET);
}

/* Whose windows. */
static int set_gates(const struct counting *c, struct gates *gates, struct err *err)
{
	const struct target *whom = &c->opts->whom;
	int r;

	*gates = *c->opts->per;
	gates->whose = (struct pmb_config){
		.filter = target__filter(whom),
		.pidns = procfs_nested_pid_namespace(),
	};
	r = target__set_cgroup(whom->n_cgroups ? whom->cgroups : NULL, NULL, &gates->whose, err);
	return r < 0 ? r : gate_sites__find(gates, whom, c->opts->opener, &c->result->notes, err);
}

static int load(struct counting *c, struct err *err)
{
	struct work_opts opts = {
		.gates = &c->work->gates,
		.n_counters = c->result->work.n_counters,
		.inherit = c->opts->whom.inherit,
	};
	int r = set_gates(c, &c->work->gates, err);

	if (r == 0)
		r = work_programs__load(&c->work->programs, &opts, err);
	return r < 0 ? r : hand_over(c, err);
}

static int open_events(struct counting *c, struct err *err)
{
	const struct gate_events_opts opts = {
		.gates = &c->work->gates,
		.fds = work_programs__gate_fds(c->work->programs),
		.whom = &c->opts->whom,
		.tasks = &c->tasks,
		.command = command_pid(c),
		.cpus = &c->online,
		.opener = c->opts->opener,
	};

	return gate_events__open(&c->work->events, &opts, err);
}

int counting_work__open(struct counting *c, struct err *err)
{
	int r;

	c->work = xcalloc(1, sizeof(*c->work));
	r = open_counters(c, err);
	if (r == 0)
		r = load(c, err);
	if (r == 0 && target__filter(&c->opts->whom) == PMB_FILTER_TASKS)
		r = tasks__each(&c->tasks, command_pid(c), mark_target, c, err);
	if (r == 0)
		r = open_events(c, err);
	if (r < 0)
		return r;
	work_counts__init(&c->result->work);
	work_counts__init_like(&c->work->before, &c->result->work);
	work_programs__calibrate(c->work->programs);
	return 0;
}

int counting_work__start(struct counting *c, struct err *err)
{
	int r = work_programs__attach(c->work->programs, err);

	return r < 0 ? r : gate_events__start(&c->work->events, &c->opts->whom, err);
}

void counting_work__read(struct counting *c)
{
	struct work_counts *counts = &c->result->work;
	struct work_counts now;

	work_counts__init_like(&now, counts);
	work_programs__read(c->work->programs, &now);
	work_counts__set(counts, &now, &c->work->before);
	work_counts__done(&c->work->before);
	c->work->before = now;
}

void counting_work__close(struct counting *c)
{
	if (!c->work)
		return;
	counters__close(&c->work->events);
	gate_sites__close(&c->work->gates);
	work_programs__free(c->work->programs);
	close_from(c->work, 0);
	free(c->work->fds);
	work_counts__done(&c->work->before);
	free(c->work);
}
