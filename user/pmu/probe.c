// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tries events, by opening them disabled and closing them again. Why one was refused is explained
 * in explain.c.
 */
#include "pmu/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "pmu/breakpoints.h"
#include "pmu/cores.h"
#include "pmu/explain.h"
#include "pmu/collection_mode.h"

int attr__try_open(const struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd)
{
	struct perf_event_attr copy = *attr;
	long fd = syscall(SYS_perf_event_open, &copy, tid, cpu, group_fd, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static int attr__try(const struct perf_event_attr *attr)
{
	_cleanup_close_ int fd = attr__try_open(attr, 0, -1, -1);

	return fd < 0 ? fd : 0;
}

static struct perf_event_attr sampling_attr(const struct event *event)
{
	struct perf_event_attr attr = event->attr;

	attr.size = sizeof(attr);
	attr.disabled = 1;
	/* sample_freq is the same word */
	if (!attr.sample_period)
		attr.sample_period = event->period ? event->period : 1;
	return attr;
}

unsigned precise__highest(precise_try_fn try, void *ctx)
{
	for (unsigned precise = 3; precise > 0; precise--) {
		if (try(ctx, precise) == 0)
			return precise;
	}
	return 0;
}

/* Per CPU where no task may have it: AMD's instruction sampling before Linux 6.2. */
static int try_precise(void *ctx, unsigned precise)
{
	struct perf_event_attr attr = sampling_attr(ctx);
	int fd;

	attr.precise_ip = precise & 3;
	if (attr__try(&attr) == 0)
		return 0;
	fd = attr__try_open(&attr, -1, 0, -1);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

bool event__heeds_precise(const struct event *event)
{
#if defined(__x86_64__)
	return event->attr.type != PERF_TYPE_SOFTWARE && event->attr.type != PERF_TYPE_BREAKPOINT;
#else
	(void)event;
	return false;
#endif
}

bool event__takes_precise(const struct event *event, unsigned precise)
{
	struct event copy = *event;

	return event__heeds_precise(event) && try_precise(&copy, precise) == 0;
}

unsigned event__detect_precise(const struct event *event)
{
	struct event copy = *event;

	return event__heeds_precise(event) ? precise__highest(try_precise, &copy) : 0;
}

void event_list__settle_precise(struct event_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->events[i].precise_max)
			list->events[i].attr.precise_ip = event__detect_precise(&list->events[i]) &
							  3;
	}
}

bool event__has_user_side(const struct event *event)
{
	if (event->attr.type != PERF_TYPE_SOFTWARE)
		return event->attr.type != PERF_TYPE_TRACEPOINT;
	return event->attr.config != PERF_COUNT_SW_CONTEXT_SWITCHES &&
	       event->attr.config != PERF_COUNT_SW_CPU_MIGRATIONS &&
	       event->attr.config != 11 /* PERF_COUNT_SW_CGROUP_SWITCHES */;
}

void event__refusal(const struct event *event, pid_t tid, int cpu, int errnum,
		    struct probe_result *ret)
{
	struct refusal refusal;

	refusal__find(&refusal, event, tid, cpu, errnum);
	*ret = (struct probe_result){0};
	snprintf(ret->brief, sizeof(ret->brief), "%s", refusal.brief);
	snprintf(ret->reason, sizeof(ret->reason), "%s", refusal.why);
	snprintf(ret->next, sizeof(ret->next), "%s", refusal.next);
}

static void probe(const struct event *event, struct perf_event_attr attr, struct probe_result *ret)
{
	bool system = event->mode == EVENT_SYSTEM;
	int r = system ? event__try_count(event) : attr__try(&attr);

	*ret = (struct probe_result){.ok = r == 0, .mode = event->mode};
	if (!ret->ok && event__find_mode(event) == EVENT_READ) {
		ret->ok = true;
		ret->mode = EVENT_READ;
		snprintf(ret->reason, sizeof(ret->reason),
			 "PMU %s counts it but has no overflow interrupt", event->pmu);
	}
	if (!system && (r == -EACCES || r == -EPERM) && !attr.exclude_kernel &&
	    event__has_user_side(event)) {
		attr.exclude_kernel = attr.exclude_hv = 1;
		ret->ok = ret->user_only = attr__try(&attr) == 0;
	}
	if (ret->ok && event->is_breakpoint && !breakpoints_are_met()) {
		*ret = (struct probe_result){.brief = "never met in this VM",
					     .reason = BREAKPOINTS_NEVER_MET,
					     .next = BREAKPOINTS_NEXT};
		return;
	}
	if (ret->ok)
		return;
	event__refusal(event, system ? -1 : 0, system ? 0 : -1, -r, ret);
}

void event__probe(const struct event *event, struct probe_result *ret)
{
	probe(event, sampling_attr(event), ret);
}

size_t event__overflowing(const struct event_names *names, const char *name, char *reason,
			  size_t size)
{
	_cleanup_(event_list__done) struct event_list list = {0};
	struct probe_result probe = {0};
	struct err err = {0};
	int r = event_names__parse_ours(names, &list, name, &err);

	if (r == 0 && list.n)
		event__probe(&list.events[0], &probe);
	if (probe.ok && probe.mode == EVENT_OVERFLOWS)
		return list.n;
	snprintf(reason, size, "%.*s", (int)size - 1, r < 0 ? err.text : probe.reason);
	return 0;
}

struct perf_event_attr event__count_attr(const struct event *event)
{
	struct perf_event_attr attr = event->attr;

	attr.size = sizeof(attr);
	attr.disabled = 1;
	attr.freq = 0;
	attr.sample_period = 0;
	attr.precise_ip = 0; /* of an instruction pointer, and there is none */
	return attr;
}

void event__probe_count(const struct event *event, struct probe_result *ret)
{
	probe(event, event__count_attr(event), ret);
}

const char *probe__words(const struct probe_result *probe)
{
	if (probe->mode == EVENT_READ)
		return "read at clock overflows";
	if (probe->mode == EVENT_SYSTEM)
		return "counts a part of the machine, not programs";
	return probe->user_only ? "user code only" : "yes";
}

static void remove_event(struct event_list *list, size_t index)
{
	event__done(&list->events[index]);
	memmove(&list->events[index], &list->events[index + 1],
		(list->n - index - 1) * sizeof(*list->events));
	list->n--;
	for (size_t i = index; i < list->n; i++) {
		/* the first of a text leads: if it was removed, the next one takes its place */
		if (list->events[i].lead > index)
			list->events[i].lead--;
	}
}

/* Those of [lead, end) that can't be had; all of them stay if none can: opening says why. */
static void drop_of_text(struct event_list *list, size_t lead, size_t end, struct buf *notes)
{
	struct probe_result *probes = xcalloc(end - lead, sizeof(*probes));
	bool any = false;

	for (size_t i = lead; i < end; i++) {
		event__probe(&list->events[i], &probes[i - lead]);
		any |= probes[i - lead].ok;
	}
	for (size_t i = end; any && i-- > lead;) {
		const struct event *event = &list->events[i];

		if (probes[i - lead].ok)
			continue;
		buf__printf(notes, "%s is not in this profile (CPUs %s): %s\n", event__label(event),
			    event->cpus, probes[i - lead].reason);
		remove_event(list, i);
	}
	free(probes);
}

void event_list__drop_missing(struct event_list *list, struct buf *notes)
{
	for (size_t lead = 0; lead < list->n; lead++) {
		size_t end = event_list__family_end(list, lead);

		if (end - lead > 1)
			drop_of_text(list, lead, end, notes);
		lead = event_list__family_end(list, lead) - 1;
	}
}

int event__explain_open(const struct event *event, pid_t tid, int cpu, int errnum, struct err *err)
{
	struct refusal refusal;
	char whom[48];

	refusal__find(&refusal, event, tid, cpu, errnum);
	if (tid < 0)
		snprintf(whom, sizeof(whom), "on CPU %d", cpu);
	else if (tid == 0)
		snprintf(whom, sizeof(whom), "on this task");
	else
		snprintf(whom, sizeof(whom), "on task %d", tid);
	err__set(err, -errnum, "can't open event '%s' %s: %s%s%s", event->name, whom, refusal.why,
		 *refusal.next ? "; " : "", refusal.next);
	if (err && refusal.cannot)
		err->exit_code = EXIT_CANNOT;
	return -errnum;
}

int sysctl__read(const char *path, int fallback)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[32];
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	bool negative;
	int value;

	if (len <= 0)
		return fallback;
	if (text[len - 1] == '\n')
		len--;
	text[len] = '\0';
	negative = text[0] == '-';
	if (num__parse_int(text + negative, 0, INT_MAX, &value) < 0)
		return fallback;
	return negative ? -value : value;
}

int perf_paranoid(void)
{
	return sysctl__read("/proc/sys/kernel/perf_event_paranoid", INT_MIN);
}
