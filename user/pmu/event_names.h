/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Everything that an event can be called on this machine: what its PMUs list and what the user's
 * files define, read once for all -e of a command line.
 */
#ifndef PMUBPF_PMU_EVENT_NAMES_H
#define PMUBPF_PMU_EVENT_NAMES_H

#include "pmu/event.h"
#include "pmu/event_db.h"
#include "pmu/user_events.h"
#include "sys/pmus.h"

struct event_names {
	struct pmus pmus;
	struct event_db *db; /* NULL: none */
	struct err
		/* what is wrong with the one that stands where it is looked for; its text is empty:
		 * nothing */
		db_trouble;
	struct user_events user;
	/* set after reading: events need not interrupt, tracepoints are among them */
	bool counting;
};

/*
 * file: the user's event file, NULL for the standard ones (user_events.h); db: the folder of the
 * event database, or NULL (event_db.h). Without sysfs there are still the generic events; fails
 * only over an event file, and over a database that was named.
 */
int event_names__read(struct event_names *names, const char *file, const char *db, struct err *err);
void event_names__done(struct event_names *names);

/* As event_list__parse. Of what the database knows of an event the event has a pointer: names go
 * after events. */
int event_names__parse(const struct event_names *names, struct event_list *list, const char *text,
		       struct err *err);
/* The same without the user's definitions: names of our own choice. */
int event_names__parse_ours(const struct event_names *names, struct event_list *list,
			    const char *text, struct err *err);

#endif
