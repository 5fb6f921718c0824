/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The alarms of `pmubpf stat`: 'Y ~ X', asked for by option, fed by intervals, told in words. */
#ifndef PMUBPF_CMD_STAT_ALARMS_H
#define PMUBPF_CMD_STAT_ALARMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "cmd/alarm_run.h"
#include "cmd/alarm_terms.h"
#include "model/alarm.h"
#include "pmu/event_names.h"
#include "render/stat.h"
#include "session/counting.h"

struct stat_alarms {
	const char **texts; /* of --alarm; borrowed */
	size_t n_texts, cap_texts;
	struct stat_alarm {
		const char *text;
		struct alarm_term y, x;
		/* By --baseline, where that was narrowed to user code. */
		bool expects, y_user_only, x_user_only;
		struct alarm alarm;
		double raised_s;
	} * list;
	size_t n;
	struct stat_alarm_news *news; /* of each, for the report */
	struct alarm_targets targets; /* of terms that name one */
	struct alarm_run run;
	const char *baseline; /* NULL: what is usual is learnt; borrowed */
};

/* Finds the events of the texts in the list, and adds those that aren't there. */
int stat_alarms__settle(struct stat_alarms *alarms, const struct event_names *names,
			struct event_list *events, bool units, struct err *err);
/* After that, what --baseline says is usual, if it is given; notes: a line of that. */
int stat_alarms__expect(struct stat_alarms *alarms, const struct event_list *events,
			uint64_t interval_ns, struct buf *notes, struct err *err);
/* An interval; talk: lines of what is new. How many were raised. */
unsigned stat_alarms__add(struct stat_alarms *alarms, const struct counting_result *result,
			  struct buf *talk);
void stat_alarms__done(struct stat_alarms *alarms);

#endif
