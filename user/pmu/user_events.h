/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names that a user gives to events of one's own, in files like this:
 *
 *	# what the prefetcher misses
 *	[l2-demand]
 *	event = cpu/event=0x24,umask=0x27/
 *	title = L2 demand misses		optional, as are the others
 *	counts = misses				what one count is, for people
 *	unit = events				or cycles, ns
 *	period = 100003
 *
 * The text of a definition is of perf's grammar and this tool's own names; it can't use another
 * definition, so that none can go in circles. A name of the user's goes before ours.
 */
#ifndef PMUBPF_PMU_USER_EVENTS_H
#define PMUBPF_PMU_USER_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "pmu/event.h"

struct user_event {
	char *name;
	char *text;   /* one event */
	char *title;  /* NULL: that of the text; so are the following where they aren't given */
	char *counts; /* or NULL */
	bool unit_given;
	enum event_unit unit;
	uint64_t period; /* 0: not given */
	char *where;     /* "/etc/pmubpf/events:12", the line of its name */
};

struct user_events {
	struct user_event *events; /* in their order; of equal names the first counts */
	size_t n, cap;
};

/*
 * Reads the file that the user named, or, with NULL, the standard ones that can be read: the user's
 * ($XDG_CONFIG_HOME/pmubpf/events, else ~/.config/pmubpf/events; under sudo those of whoever called
 * it), then /etc/pmubpf/events. An error names file and line, and leaves `ret` empty.
 */
int user_events__read(struct user_events *ret, const char *file, struct err *err);
/* Appends what the text of one file says; `file` is its name in messages. */
int user_events__parse(struct user_events *events, const char *text, const char *file,
		       struct err *err);
void user_events__done(struct user_events *events);

/* NULL if there is none. */
const struct user_event *user_events__find(const struct user_events *events, const char *name);

#endif
