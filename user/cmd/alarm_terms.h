/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The two terms of 'Y ~ X': an event, perhaps of a target of its own, or units of work. */
#ifndef PMUBPF_CMD_ALARM_TERMS_H
#define PMUBPF_CMD_ALARM_TERMS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "cmd/target_args.h"
#include "pmu/event_names.h"
#include "session/counting.h"

struct alarm_term {
	enum alarm_term_of {
		TERM_EVENT, /* of the target that is counted */
		TERM_APART, /* of another one */
		TERM_UNITS, /* that ended */
	} of;
	size_t index; /* in the list of events, or of targets */
};

/* NAME{KEY=VALUE} */
struct alarm_target {
	char *text; /* "KEY=VALUE", cut in two; ours */
	struct target_args args;
	struct event_list events; /* one */
};

struct alarm_targets {
	const char *option; /* for sentences: "--alarm" */
	struct alarm_target *list;
	size_t n, cap;
	struct counting_beside *beside; /* the same for the counting, once it was asked for */
};

/* relation: for sentences. Adds the event to the list where it isn't there, or a target. */
int alarm_term__parse(struct alarm_term *ret, struct alarm_targets *targets,
		      const struct event_names *names, struct event_list *events,
		      const char *relation, const char *term, struct err *err);
/* Once cgroups are known. */
const struct counting_beside *alarm_targets__beside(struct alarm_targets *targets);
void alarm_targets__done(struct alarm_targets *targets);

/* What was counted last, all rows together. */
double alarm_term__value(const struct alarm_term *term, const struct counting_result *result);
/* NULL: of units. */
const struct probe_result *alarm_term__tried(const struct alarm_term *term,
					     const struct counting_result *result);

#endif
