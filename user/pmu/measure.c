// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "pmu/measure.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmu/explain.h"
#include "pmu/probe.h"
#include "sys/cpus.h"
#include "sys/perf.h"

struct counters {
	int *fds;
	int n;
};

static void counters__done(struct counters *counters)
{
	while (counters->n > 0)
		close(counters->fds[--counters->n]);
	free(counters->fds);
}

static int counters__open(struct counters *counters, const struct event *event,
			  const struct cpus *cpus)
{
	struct perf_event_attr attr = event__count_attr(event);

	attr.disabled = 0;
	attr.read_format = PERF_COUNT_READ_FORMAT;
	counters->fds = xcalloc((size_t)cpus->n, sizeof(*counters->fds));
	for (int i = 0; i < cpus->n; i++) {
		int fd = attr__try_open(&attr, -1, cpus->cpu[i], -1);

		if (fd < 0)
			return fd;
		counters->fds[counters->n++] = fd;
	}
	return 0;
}

static double counters__per_second(const struct counters *counters)
{
	struct perf_count count;
	double sum = 0;

	for (int i = 0; i < counters->n; i++) {
		if (perf_read(counters->fds[i], &count) == 0 && count.running_ns)
			sum += (double)count.value * 1e9 / (double)count.running_ns;
	}
	return sum;
}

int event__measure(const struct event *event, uint64_t ns, double *ret_per_s)
{
	const struct timespec pause = {.tv_sec = (time_t)(ns / 1000000000),
				       .tv_nsec = (long)(ns % 1000000000)};
	_cleanup_(counters__done) struct counters counters = {0};
	_cleanup_(cpus__done) struct cpus cpus = {0};
	int r;

	if (event->is_breakpoint)
		return -EOPNOTSUPP;
	r = event->cpus ? cpus__parse(event->cpus, &cpus) : cpus__online(&cpus, NULL);
	if (r == 0)
		r = counters__open(&counters, event, &cpus);
	if (r < 0)
		return r;
	nanosleep(&pause, NULL);
	*ret_per_s = counters__per_second(&counters);
	return 0;
}
