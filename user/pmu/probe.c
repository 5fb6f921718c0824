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
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "pmu/explain.h"

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
		attr.sample_period = event->interval ? event->interval : 1;
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

unsigned event__detect_precise(const struct event *event)
{
	struct event copy = *event;

	/* these take any precise_ip and heed none */
	if (event->attr.type == PERF_TYPE_SOFTWARE || event->attr.type == PERF_TYPE_BREAKPOINT)
		return 0;
	return precise__highest(try_precise, &copy);
}

void event_list__settle_precise(struct event_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->events[i].precise_max)
			list->events[i].attr.precise_ip = event__detect_precise(&list->events[i]) &
							  3;
	}
}

/* Switches and migrations happen inside the kernel: with it excluded, they open and never count. */
static bool has_user_side(const struct event *event)
{
	if (event->attr.type != PERF_TYPE_SOFTWARE)
		return true;
	return event->attr.config != PERF_COUNT_SW_CONTEXT_SWITCHES &&
	       event->attr.config != PERF_COUNT_SW_CPU_MIGRATIONS &&
	       event->attr.config != 11 /* PERF_COUNT_SW_CGROUP_SWITCHES */;
}

void event__probe(const struct event *event, struct probe_result *ret)
{
	struct perf_event_attr attr = sampling_attr(event);
	struct refusal refusal;
	int r = attr__try(&attr);

	*ret = (struct probe_result){.ok = r == 0};
	if ((r == -EACCES || r == -EPERM) && !attr.exclude_kernel && has_user_side(event)) {
		attr.exclude_kernel = attr.exclude_hv = 1;
		ret->ok = ret->user_only = attr__try(&attr) == 0;
	}
	if (ret->ok)
		return;
	refusal__find(&refusal, event, 0, -1, -r);
	snprintf(ret->brief, sizeof(ret->brief), "%s", refusal.brief);
	snprintf(ret->reason, sizeof(ret->reason), "%s", refusal.why);
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

#define MAX_COUNTERS 64

struct group {
	int fds[MAX_COUNTERS];
	int n;
};

static void group__done(struct group *group)
{
	while (group->n > 0)
		close(group->fds[--group->n]);
}

/*
 * Whether n such events really count together: the kernel lets a group that can't be scheduled open
 * (a counter may be held by the NMI watchdog), but a pinned one then reads as end of file.
 */
static bool group_counts(const struct perf_event_attr *event_attr, int n)
{
	_cleanup_(group__done) struct group group = {.n = 0};
	struct perf_event_attr attr = *event_attr;
	uint64_t values[3];
	int fd;

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	while (group.n < n) {
		attr.disabled = attr.pinned = group.n == 0;
		fd = attr__try_open(&attr, 0, -1, group.n ? group.fds[0] : -1);
		if (fd < 0)
			return false;
		group.fds[group.n++] = fd;
	}
	if (ioctl(group.fds[0], PERF_EVENT_IOC_ENABLE, 0) < 0)
		return false;
	for (volatile int spin = 0; spin < 10000; spin++)
		;
	return read(group.fds[0], values, sizeof(values)) == (ssize_t)sizeof(values) &&
	       values[2] > 0;
}

/* The PMU's event of which it has one in every counter: cycles. */
static int find_cycles(const char *pmu, struct event_list *ret)
{
	static const char *const names[] = {"cpu-cycles", "cycles", "cpu_cycles"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_free_ char *text = xasprintf("%s/%s/", pmu, names[i]);

		if (event_list__parse(ret, text, NULL, NULL) == 0)
			return 0;
	}
	return strcmp(pmu, "cpu") == 0 ? event_list__parse(ret, "cycles", NULL, NULL) : -ENOENT;
}

int pmu_count_counters(const char *pmu)
{
	_cleanup_(event_list__done) struct event_list list = {0};
	struct perf_event_attr attr;
	int n = 0;

	if (find_cycles(pmu, &list) < 0)
		return 0;
	attr = list.events[0].attr;
	attr.exclude_kernel = attr.exclude_hv = 1;
	while (n < MAX_COUNTERS && group_counts(&attr, n + 1))
		n++;
	return n;
}
