/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The collection mode of events, how their counts reach the profile: by their own overflows; by
 * being read at those of a clock; or, for what counts for a part of the machine and not for a
 * program, by being read now and then. Found by trying to open them.
 */
#ifndef PMUBPF_PMU_COLLECTION_MODE_H
#define PMUBPF_PMU_COLLECTION_MODE_H

#include "pmu/event.h"

extern const char *const collection_mode_keys[]; /* for JSON: "overflows", "read", "system" */
/* The same as the key "way" has them, which is what it was called before; for a release. */
extern const char *const collection_way_keys[]; /* "overflows", "read", "place" */

/* The mode of one event. EVENT_OVERFLOWS also where it can't be had at all: opening it then fails
 * with a reason. */
enum collection_mode event__find_mode(const struct event *event);
void event_list__find_modes(struct event_list *list);

/* Opens it for counting, on its first CPU if not on this task; 0 or -errno. */
int event__try_count(const struct event *event);

/* Whether counters may be read at its overflows: a cpu-clock that leaves nothing out. */
bool event__is_clock(const struct event *event);
/* Appends a cpu-clock of our own to read counters at. */
int event_list__add_clock(struct event_list *list, struct err *err);

#endif
