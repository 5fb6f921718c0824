// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Asks the kernel what runs together. Each event is opened pinned: one that finds no counter is
 * then put into an error state and reads as end of file, at once, where an unpinned one would take
 * turns with others. Pinned one by one and not as a group, because a group is of one hardware PMU.
 */
#include "pmu/capacity.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmu/explain.h"
#include "sys/clock.h"
#include "sys/cpus.h"
#include "sys/limits.h"
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
static struct perf_event_attr trial_attr(const struct perf_event_attr *wanted, bool samples)
{
	struct perf_event_attr attr = *wanted;

	attr.size = sizeof(attr);
	attr.freq = 0;
	attr.sample_period = samples ? TRIAL_PERIOD : 0;
	attr.sample_type = 0;
	attr.inherit = 0;
	attr.enable_on_exec = 0;
	attr.read_format = PERF_COUNT_READ_FORMAT;
	attr.disabled = 1;
	attr.pinned = 1;
	return attr;
}

/* On the calling task if cpu is -1. */
static int trial__open(struct trial *trial, const struct perf_event_attr *attr, int cpu)
{
	int fd;

	raise_fd_limit(); /* or its end would look like that of the counters */
	fd = attr__try_open(attr, cpu < 0 ? 0 : -1, cpu, -1);
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

/* The calling task runs all the while: events on it need that. */
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
static bool ran(int fd)
{
	struct perf_count count;

	return perf_read(fd, &count) == 0 && count.running_ns > 0 &&
	       count.running_ns >= count.enabled_ns / 2;
}

static bool trial__ran(const struct trial *trial)
{
	for (size_t i = 0; i < trial->n; i++) {
		if (!ran(trial->fds[i]))
			return false;
	}
	return true;
}

static int trial__add(struct trial *trial, const struct event *event, int cpu)
{
	struct perf_event_attr attr = trial_attr(&event->attr, event->mode == EVENT_OVERFLOWS);

	return trial__open(trial, &attr, event->is_breakpoint ? -1 : cpu);
}

/* Counters that are given out at open (breakpoints) are refused there when there are no more. */
static bool is_full(int error)
{
	return error == -ENOSPC || error == -EBUSY;
}

static bool needs_counter(const struct event *event)
{
	return event->attr.type != PERF_TYPE_SOFTWARE && !event->is_breakpoint;
}

/* The kernel does not know which events spoil the others' counts; the database does. */
static bool spoil_each_other(const struct event *const *events, size_t n)
{
	size_t n_counters = 0;
	bool alone = false;

	for (size_t i = 0; i < n; i++) {
		n_counters += needs_counter(events[i]);
		alone |= events[i]->taken_alone;
	}
	return alone && n_counters > 1;
}

int events__fit(const struct event *const *events, size_t n, int cpu)
{
	_cleanup_(trial__done) struct trial trial = {0};
	int r;

	if (spoil_each_other(events, n))
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (events[i]->attr.type == PERF_TYPE_SOFTWARE)
			continue;
		r = trial__add(&trial, events[i], cpu);
		if (is_full(r))
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

/*
 * Adds copies of an event to what runs already, until one finds no counter. Returns how many were
 * added, or why not even the first could be opened.
 */
static int trial__fill(struct trial *trial, const struct perf_event_attr *attr, int cpu)
{
	int added = 0, r = 0, last;

	while (trial->n < CAPACITY_MAX) {
		r = trial__open(trial, attr, cpu);
		if (r < 0)
			break;
		last = trial->fds[trial->n - 1];
		r = ioctl(last, PERF_EVENT_IOC_ENABLE, 0) < 0 ? -errno : 0;
		spin(TRIAL_NS / 10);
		if (r < 0 || !ran(last)) {
			close(last);
			trial->n--;
			break;
		}
		added++;
	}
	return added || is_full(r) ? added : r;
}

static int copies_on(const struct perf_event_attr *attr, int cpu)
{
	_cleanup_(trial__done) struct trial trial = {0};

	return trial__fill(&trial, attr, cpu);
}

int event__copies(const struct event *event)
{
	struct perf_event_attr attr = trial_attr(&event->attr, event->mode == EVENT_OVERFLOWS);
	int r;

	if (event->is_breakpoint)
		return copies_on(&attr, -1);
	r = copies_on(&attr, cpus_first(event->cpus));
	return r < 0 && event->mode != EVENT_SYSTEM ? copies_on(&attr, -1) : r;
}

/* Generic events, most common first; between them they reach every kind of counter. */
static const struct {
	const char *name;
	uint64_t config;
} generic[] = {
	{"cycles", PERF_COUNT_HW_CPU_CYCLES},
	{"instructions", PERF_COUNT_HW_INSTRUCTIONS},
	{"branch-misses", PERF_COUNT_HW_BRANCH_MISSES},
	{"branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"cache-misses", PERF_COUNT_HW_CACHE_MISSES},
	{"cache-references", PERF_COUNT_HW_CACHE_REFERENCES},
	{"ref-cycles", PERF_COUNT_HW_REF_CPU_CYCLES},
};

/*
 * A generic event of one of several core PMUs: since 5.13 the PMU's type can stand beside it;
 * before, the CPU decides, if the event is opened on one.
 */
static struct perf_event_attr generic_attr(const struct pmu *pmu, size_t i, int cpu)
{
	struct perf_event_attr plain = {.type = PERF_TYPE_HARDWARE, .config = generic[i].config};
	struct perf_event_attr attr;
	int fd;

	plain.exclude_kernel = plain.exclude_hv = 1;
	plain = attr = trial_attr(&plain, false);
	attr.config |= (uint64_t)pmu->type << 32;
	fd = pmu->cpus ? attr__try_open(&attr, cpu < 0 ? 0 : -1, cpu, -1) : -ENOENT;
	if (fd < 0)
		return plain;
	close(fd);
	return attr;
}

/* One event after the other, while no other holds counters; attrs[i].size is 0 where the i-th is
 * not here. */
static void core__alone(const struct pmu *pmu, int cpu, struct pmu_capacity *ret,
			struct perf_event_attr *attrs)
{
	for (size_t i = 0; i < ARRAY_SIZE(generic); i++) {
		struct perf_event_attr attr = generic_attr(pmu, i, cpu);
		int n = copies_on(&attr, cpu);

		if (n < 0 && !ret->error)
			ret->error = n;
		if (n <= 0)
			continue;
		attrs[i] = attr;
		if (ret->n_alone == ARRAY_SIZE(ret->alone))
			continue;
		ret->alone[ret->n_alone].name = generic[i].name;
		ret->alone[ret->n_alone++].copies = n;
	}
}

static void core__capacity(const struct pmu *pmu, int cpu, struct pmu_capacity *ret)
{
	struct perf_event_attr attrs[ARRAY_SIZE(generic)] = {0};
	_cleanup_(trial__done) struct trial all = {0};

	core__alone(pmu, cpu, ret, attrs);
	for (size_t i = 0; i < ARRAY_SIZE(generic); i++) {
		if (attrs[i].size)
			(void)trial__fill(&all, &attrs[i], cpu);
	}
	ret->at_once = (int)all.n;
}

/* Other PMUs have only the events that they name. */
static void other__capacity(const struct pmus *pmus, const struct pmu *pmu,
			    struct pmu_capacity *ret)
{
	_cleanup_(trial__done) struct trial all = {0};
	int cpu = cpus_first(pmu->cpumask);

	for (size_t i = 0; i < pmu->n_events; i++) {
		_cleanup_(event_list__done) struct event_list list = {0};
		_cleanup_free_ char *text = xasprintf("%s/%s/", pmu->name, pmu->events[i].name);
		struct perf_event_attr attr;
		int r;

		if (event_list__parse_with(&list, text, pmus, NULL) < 0)
			continue;
		attr = trial_attr(&list.events[0].attr, false);
		r = trial__fill(&all, &attr, cpu);
		if (r < 0 && !ret->error)
			ret->error = r;
	}
	ret->at_once = (int)all.n;
}

static void breakpoint__capacity(struct pmu_capacity *ret)
{
	static long word;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uintptr_t)&word,
		.bp_len = sizeof(word),
		.exclude_kernel = 1,
	};
	int n;

	attr = trial_attr(&attr, false);
	n = copies_on(&attr, -1);
	ret->at_once = n < 0 ? 0 : n;
	ret->error = n < 0 ? n : 0;
}

void pmu__capacity(const struct pmus *pmus, const struct pmu *pmu, struct pmu_capacity *ret)
{
	*ret = (struct pmu_capacity){0};
	if (pmu->type == PERF_TYPE_BREAKPOINT)
		breakpoint__capacity(ret);
	else if (!pmu__is_core(pmu))
		other__capacity(pmus, pmu, ret);
	else
		core__capacity(pmu, cpus_first(pmu->cpus), ret);
	/* unprivileged: what a task may have, if it runs where the PMU is */
	if (!ret->at_once && pmu__is_core(pmu))
		core__capacity(pmu, -1, ret);
	if (ret->at_once)
		ret->error = 0;
}

bool nmi_watchdog_is_on(void)
{
	return sysctl__read("/proc/sys/kernel/nmi_watchdog", 0) == 1;
}
