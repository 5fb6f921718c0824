/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How the counts of events reach the profile: by their own overflows; by being read at those of a
 * clock; or, for what counts for a place and not for a program, by being read now and then. Found
 * by trying to open them.
 */
#ifndef PMUBPF_PMU_WAY_H
#define PMUBPF_PMU_WAY_H

#include "pmu/event.h"

extern const char *const event_way_keys[]; /* for JSON: "overflows", "read", "place" */

/* The way of one event. EVENT_OVERFLOWS also where it can't be had at all: opening it then fails
 * with a reason. */
enum event_way event__find_way(const struct event *event);
void event_list__find_ways(struct event_list *list);

/* Opens it for counting, on its first CPU if not on this task; 0 or -errno. */
int event__try_count(const struct event *event);

/* Whether counters may be read at its overflows: a cpu-clock that leaves nothing out. */
bool event__is_clock(const struct event *event);
/* Appends a cpu-clock of our own to read counters at. */
int event_list__add_clock(struct event_list *list, struct err *err);

#endif
