/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Everything that an event can be called on this machine: what its PMUs list and what the user's
 * files define, read once for all -e of a command line.
 */
#ifndef PMUBPF_PMU_EVENT_NAMES_H
#define PMUBPF_PMU_EVENT_NAMES_H

#include "pmu/event.h"
#include "pmu/user_events.h"
#include "sys/pmus.h"

struct event_names {
	struct pmus pmus;
	struct user_events user;
	bool counting; /* set after reading: events need not interrupt, tracepoints are among them */
};

/*
 * file: the user's event file, NULL for the standard ones (user_events.h). Without sysfs there are
 * still the generic events; fails only over an event file.
 */
int event_names__read(struct event_names *names, const char *file, struct err *err);
void event_names__done(struct event_names *names);

/* As event_list__parse. */
int event_names__parse(const struct event_names *names, struct event_list *list, const char *text,
		       struct err *err);

#endif
