// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * From targets to open counters. An event that can't be had must not take the others with it,
 * unlike in a recording: it is left out, and the reason kept.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "opener/opener.h"
#include "pmu/explain.h"
#include "session/counting_internal.h"
#include "sys/limits.h"
#include "sys/procfs.h"

enum { OPEN_TRIES = 5 };

static void add_target(struct counting *c, int cgroup, pid_t tid, int cpu)
{
	const struct counting_opts *o = c->opts;
	struct counts *counts = &c->result->counts;
	struct count_target target = {.tid = tid, .cpu = cpu, .cgroup = cgroup};
	size_t rows = counts->n_rows;

	target.row = counts__row(counts, cgroup < 0 ? NULL : cgroup__path(&o->whom.cgroups[cgroup]),
				 o->per_cpu ? cpu : -1, o->per_thread ? tid : -1);
	if (counts->n_rows > rows && o->per_thread) {
		_cleanup_free_ char *path = xasprintf("/proc/%d/comm", tid);
		_cleanup_free_ char *comm = file_read_line(path);

		if (comm)
			snprintf(counts->rows[rows].comm, sizeof(counts->rows[rows].comm), "%s",
				 comm);
	}
	GROW(c->targets, c->n_targets, c->cap_targets);
	c->targets[c->n_targets++] = target;
}

static void lay_cpus(struct counting *c)
{
	const struct cpus *cpus = c->opts->whom.cpus ? c->opts->whom.cpus : &c->online;

	for (size_t g = 0; g < c->opts->whom.n_cgroups; g++) {
		for (int i = 0; i < cpus->n; i++)
			add_target(c, (int)g, -1, cpus->cpu[i]);
	}
	for (int i = 0; !c->opts->whom.n_cgroups && i < cpus->n; i++)
		add_target(c, -1, -1, cpus->cpu[i]);
}

static void lay_tasks(struct counting *c, const pid_t *tids, size_t n)
{
	const struct cpus *cpus = c->opts->whom.cpus ? c->opts->whom.cpus : &c->online;
	bool each_cpu = c->opts->whom.cpus || c->opts->per_cpu;

	for (size_t i = 0; i < n; i++) {
		if (!each_cpu)
			add_target(c, -1, tids[i], -1);
		for (int k = 0; each_cpu && k < cpus->n; k++)
			add_target(c, -1, tids[i], cpus->cpu[k]);
	}
}

bool counting__event_cpus(const struct counting *c, const struct event *event, struct cpus *ret)
{
	const struct pmu *pmu = pmus__find(&c->pmus, event->pmu);
	const char *text = event->cpus;

	if (!text && pmu && event->attr.type >= PERF_TYPE_MAX)
		text = pmu->cpumask;
	return text && cpus__parse(text, ret) == 0;
}

static struct perf_event_attr count_attr(const struct counting *c, const struct event *event,
					 bool per_task)
{
	struct perf_event_attr attr = event__count_attr(event);

	attr.read_format = PERF_COUNT_READ_FORMAT;
	attr.inherit = per_task && c->opts->whom.inherit;
	attr.enable_on_exec = per_task && target__is_command(&c->opts->whom);
	return attr;
}

static struct presence *presence_on(struct counting *c, pid_t tid, int cpu)
{
	struct presence_key key = {tid, cpu};
	struct presence *p;
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
		.exclude_kernel = 1, /* it counts nothing anyhow, and so needs no privilege */
		.exclude_hv = 1,
		.read_format = PERF_COUNT_READ_FORMAT,
		.inherit = c->opts->whom.inherit,
		.enable_on_exec = target__is_command(&c->opts->whom),
	};

	HASH_FIND(hh, c->presences, &key, sizeof(key), p);
	if (p)
		return p;
	p = xcalloc(1, sizeof(*p));
	p->key = key;
	p->fd = opener__counter(c->opts->opener, &attr, tid, cpu, -1);
	HASH_ADD(hh, c->presences, key, sizeof(p->key), p);
	return p;
}

static void forget_presences(struct counting *c)
{
	struct presence *p, *next;

	HASH_ITER(hh, c->presences, p, next) {
		HASH_DEL(c->presences, p);
		cleanup_close(&p->fd);
		free(p);
	}
}

static bool same_target(const struct count_target *a, const struct count_target *b)
{
	return a->tid == b->tid && a->cpu == b->cpu && a->cgroup == b->cgroup;
}

/*
 * The first that was opened there of an event's group, -1: none, or it is in none. Events are
 * opened one after the other at targets in the same order, so the next one of the leader's is at
 * hand.
 */
static int leader_at(struct counting *c, size_t index, const struct count_target *target)
{
	const struct event *events = c->result->events.events;
	size_t group = events[index].group;
	bool first = !group || !index || events[index - 1].group != group;

	for (size_t tried = 0; !first && tried < c->n_fds; tried++) {
		size_t i = (c->leader_hint + tried) % c->n_fds;
		const struct counting_fd *fd = &c->fds[i];

		if (!fd->leads || events[fd->event].group != group ||
		    !same_target(&fd->target, target))
			continue;
		c->leader_hint = i + 1;
		return fd->fd;
	}
	return -1;
}

static int try_open(const struct counting *c, const struct event *event,
		    const struct count_target *target, int leader_fd)
{
	struct perf_event_attr attr = count_attr(c, event, target->tid >= 0);

	if (leader_fd >= 0)
		attr.disabled = attr.enable_on_exec = 0; /* as its leader is */
	if (target->cgroup >= 0)
		return perf_open_cgroup(&attr, c->cgroup_fds[target->cgroup], target->cpu,
					leader_fd);
	if (target->tid >= 0)
		return opener__counter(c->opts->opener, &attr, target->tid, target->cpu, leader_fd);
	return perf_open_in(&attr, target->tid, target->cpu, leader_fd);
}

static int open_at(struct counting *c, size_t index, const struct count_target *target)
{
	const struct event *event = &c->result->events.events[index];
	int leader_fd = leader_at(c, index, target);
	int fd = try_open(c, event, target, leader_fd);

	if (fd < 0)
		return fd;
	GROW(c->fds, c->n_fds, c->cap_fds);
	c->fds[c->n_fds] = (struct counting_fd){.fd = fd,
						.event = index,
						.target = *target,
						.leads = event->group && leader_fd < 0};
	if (target->tid >= 0 && target->cpu >= 0)
		c->fds[c->n_fds].presence = presence_on(c, target->tid, target->cpu);
	c->n_fds++;
	c->result->counts.placed[target->row * c->result->events.n + index] = true;
	return 0;
}

static int open_on_each(struct counting *c, size_t index, const struct count_target *target,
			const struct cpus *cpus)
{
	int r = 0;

	for (int i = 0; r == 0 && i < cpus->n; i++) {
		struct count_target here = *target;

		here.cpu = cpus->cpu[i];
		if (cpus__has(&c->online, here.cpu))
			r = open_at(c, index, &here);
	}
	return r;
}

/* `only` are the CPUs that have its PMU, NULL for all. A task that wanders is counted on each of
 * them then; so it is if the kernel refuses inherited events that aren't bound to a CPU. */
static int open_target(struct counting *c, size_t index, const struct count_target *target,
		       const struct cpus *only)
{
	int r;

	if (target->cpu >= 0 && only && !cpus__has(only, target->cpu))
		return 0;
	if (target->cpu < 0 && only)
		return open_on_each(c, index, target, only);
	r = open_at(c, index, target);
	if (r == -EINVAL && target->tid >= 0 && target->cpu < 0 && c->opts->whom.inherit)
		r = open_on_each(c, index, target, &c->online);
	return r;
}

static void close_from(struct counting *c, size_t first)
{
	while (c->n_fds > first) {
		const struct counting_fd *fd = &c->fds[--c->n_fds];

		c->result->counts.placed[fd->target.row * c->result->events.n + fd->event] = false;
		close(fd->fd);
	}
}

/* Without privilege user code may still be counted, if the event has to do with it. */
static bool narrow(struct counting *c, struct event *event)
{
	if (target__any_process(&c->opts->whom) || event->attr.exclude_kernel ||
	    event->attr.exclude_user || !event__has_user_side(event))
		return false;
	if (event__counts_all_code(event))
		event->attr.exclude_kernel = event->attr.exclude_hv =
			1; /* asks for less, gets all */
	else
		event__exclude_kernel(event);
	return true;
}

static void nowhere(const struct counting *c, size_t index, const struct cpus *only)
{
	struct probe_result *tried = &c->result->tried[index];

	snprintf(tried->brief, sizeof(tried->brief), "not on these CPUs");
	snprintf(tried->reason, sizeof(tried->reason),
		 "its PMU %s counts on other CPUs than those asked for (CPU %d, for one)",
		 c->result->events.events[index].pmu, only->n ? only->cpu[0] : 0);
}

/* ENOENT is said of the event and of the cgroup: it is the cgroup if the event can be had
 * without. */
static bool refused_cgroup(struct counting *c, size_t index, const struct count_target *target,
			   int r)
{
	struct probe_result *tried = &c->result->tried[index];
	struct perf_event_attr attr = count_attr(c, &c->result->events.events[index], false);
	_cleanup_close_ int fd = -1;

	if (target->cgroup < 0 || (r != -ENOENT && r != -EBADF))
		return false;
	fd = perf_open(&attr, -1, target->cpu);
	if (fd < 0)
		return false;
	snprintf(tried->brief, sizeof(tried->brief), "not by this cgroup");
	snprintf(tried->reason, sizeof(tried->reason),
		 "the kernel does not count by cgroup %s: it does in v1's perf_event hierarchy, "
		 "which exists and is not mounted here",
		 cgroup__path(&c->opts->whom.cgroups[target->cgroup]));
	snprintf(tried->next, sizeof(tried->next),
		 "mount it (mount -t cgroup -o perf_event none DIR)");
	return true;
}

/* It can be had, but not together with those of its group that were opened before. */
static bool refused_group(struct counting *c, size_t index, const struct count_target *target)
{
	const struct event *event = &c->result->events.events[index];
	struct probe_result *tried = &c->result->tried[index];
	_cleanup_close_ int fd = -1;

	if (!event->group || leader_at(c, index, target) < 0)
		return false;
	fd = try_open(c, event, target, -1);
	if (fd < 0)
		return false;
	snprintf(tried->brief, sizeof(tried->brief), "not in this group");
	snprintf(tried->reason, sizeof(tried->reason), GROUP_REFUSED, event->name);
	snprintf(tried->next, sizeof(tried->next), "%s", GROUP_REFUSED_NEXT);
	return true;
}

/* In all its targets, or in none: then the result says why. Negative only for what ends
 * everything. */
static int open_event(struct counting *c, size_t index, struct err *err)
{
	_cleanup_(cpus__done) struct cpus only = {0};
	struct event *event = &c->result->events.events[index];
	struct probe_result *tried = &c->result->tried[index];
	bool limited = counting__event_cpus(c, event, &only);
	size_t first = c->n_fds, gone = 0;

	*tried = (struct probe_result){0};
	for (size_t i = 0; i < c->n_targets; i++) {
		const struct count_target *p = &c->targets[i];
		int r = open_target(c, index, p, limited ? &only : NULL);

		if (r == -ESRCH && p->tid >= 0) {
			gone++;
			continue;
		}
		if (r == 0)
			continue;
		close_from(c, first);
		if (r == -EMFILE || r == -ENFILE)
			return event__explain_open(event, p->tid, p->cpu, -r, err);
		if ((r == -EACCES || r == -EPERM) && narrow(c, event)) {
			r = open_event(c, index, err);
			tried->user_only = tried->ok && !event__counts_all_code(event);
			return r;
		}
		if (!refused_cgroup(c, index, p, r) && !refused_group(c, index, p))
			event__refusal(event, p->tid, p->cpu, -r, tried);
		return 0;
	}
	if (gone && gone == c->n_targets)
		return err__set(err, -ESRCH, "the tasks to count have ended");
	tried->ok = c->n_fds > first;
	if (!tried->ok)
		nowhere(c, index, &only);
	return 0;
}

static int open_events(struct counting *c, struct err *err)
{
	size_t n = c->result->events.n;
	int r = 0;

	counts__lay(&c->result->counts, n);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = open_event(c, i, err);
	return r;
}

static void start_over(struct counting *c)
{
	close_from(c, 0);
	forget_presences(c);
	c->n_targets = 0;
	counts__done(&c->result->counts);
}

/* A thread that appears meanwhile may have inherited some events from its creator and others not,
 * so when one did, everything is closed and opened again. */
static int open_tasks(struct counting *c, struct err *err)
{
	for (int try = 1;; try++) {
		_cleanup_free_ pid_t *before = NULL, *after = NULL;
		size_t n_before, n_after;
		bool ours = target__is_command(&c->opts->whom);
		pid_t command = ours ? c->result->command.pid : 0;
		int r = tasks__list(&c->tasks, command, &before, &n_before, err);

		if (r < 0)
			return r;
		lay_tasks(c, before, n_before);
		r = open_events(c, err);
		if (r == 0)
			r = tasks__list(&c->tasks, command, &after, &n_after, err);
		if (r < 0 || !tids_any_new(after, n_after, before, n_before))
			return r;
		if (try == OPEN_TRIES) {
			buf__puts(&c->result->notes,
				  "threads kept appearing while counters were opened; some may not "
				  "be counted\n");
			return 0;
		}
		start_over(c);
	}
}

static int open_cgroups(struct counting *c, struct err *err)
{
	size_t n = c->opts->whom.n_cgroups;

	c->cgroup_fds = xcalloc(n + 1, sizeof(*c->cgroup_fds));
	for (size_t i = 0; i < n; i++)
		c->cgroup_fds[i] = -1;
	for (size_t i = 0; i < n; i++) {
		c->cgroup_fds[i] = cgroup__open(&c->opts->whom.cgroups[i], err);
		if (c->cgroup_fds[i] < 0)
			return c->cgroup_fds[i];
	}
	return 0;
}

static int none_left(const struct counting *c, struct err *err)
{
	const struct probe_result *tried = &c->result->tried[0];

	return err__cannot(err, "%s '%s': %s%s%s",
			   c->result->events.n > 1 ? "none of the events can be counted here;" :
						     "can't count",
			   c->result->events.events[0].name, tried->reason,
			   *tried->next ? "; " : "", tried->next);
}

/* The idle task runs in the root cgroup, and in no other. */
static bool counts_idle(const struct counting_opts *o)
{
	bool idle = !o->whom.n_cgroups;

	for (size_t i = 0; i < o->whom.n_cgroups; i++)
		idle |= !o->whom.cgroups[i].level;
	return idle;
}

int counting__open(struct counting *c, struct err *err)
{
	int r;

	raise_fd_limit();
	(void)pmus__read(&c->pmus, NULL); /* without sysfs no PMU has a cpumask */
	r = open_cgroups(c, err);
	if (r < 0)
		return r;
	if (target__any_process(&c->opts->whom)) {
		c->result->counts.idle = counts_idle(c->opts);
		lay_cpus(c);
		r = open_events(c, err);
	} else {
		r = open_tasks(c, err);
	}
	if (r == 0 && !c->n_fds)
		r = none_left(c, err);
	return r;
}

void counting__close(struct counting *c)
{
	for (size_t i = 0; i < c->n_fds; i++)
		close(c->fds[i].fd);
	for (size_t i = 0; c->cgroup_fds && i < c->opts->whom.n_cgroups; i++)
		cleanup_close(&c->cgroup_fds[i]);
	forget_presences(c);
	free(c->fds);
	free(c->cgroup_fds);
	free(c->targets);
	pmus__done(&c->pmus);
}
