/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Between probe.c and explain.c; others include pmu/probe.h. */
#ifndef PMUBPF_PMU_EXPLAIN_H
#define PMUBPF_PMU_EXPLAIN_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

#include "pmu/event.h"

/* Why an event could not be opened. */
struct refusal {
	bool cannot;    /* the machine or the user can't; else the request was wrong or untimely */
	char brief[48]; /* "no PMU here" */
	char why[256];  /* "this machine has no PMU…" */
	char next[256]; /* what to do about it, may be empty */
};

/* errnum is positive. May open the event in other ways to tell causes apart. */
void refusal__find(struct refusal *ret, const struct event *event, pid_t tid, int cpu, int errnum);

/* perf_event_open: a descriptor or a negative errno. */
int attr__try_open(const struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd);

/* A whole number of /proc/sys, or fallback. */
int sysctl__read(const char *path, int fallback);

/* Why an event (its name) that can be had can't be counted in its group. */
#define GROUP_REFUSED                                                                             \
	"'%.60s' can't count at the same time as those before it in its group: it is of another " \
	"PMU, or there are not so many counters"
#define GROUP_REFUSED_NEXT "make the group smaller, or list the events without braces"

#endif
