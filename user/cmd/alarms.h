/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The alarms of `pmubpf stat` and `record`: 'Y ~ X', asked for by option, fed by intervals, told in
 * words. */
#ifndef PMUBPF_CMD_ALARMS_H
#define PMUBPF_CMD_ALARMS_H

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

struct alarms {
	const char *option; /* that asks for one: "--alarm" */
	const char **texts; /* of it; borrowed */
	size_t n_texts, cap_texts;
	struct watched_relation {
		const char *text;
		struct alarm_term y, x;
		/* By --baseline, where that was narrowed to user code. */
		bool expects, y_user_only, x_user_only;
		struct alarm alarm;
		double raised_s;
		enum alarm_news news;       /* of the last interval, */
		struct alarm_change change; /* and what they are about */
		bool guessed;               /* intervals were left out, and that was said */
	} * list;
	size_t n;
	struct stat_alarm_news *news; /* of each, for the report */
	struct alarm_targets targets; /* of terms that name one */
	struct alarm_run run;
	const char *baseline; /* NULL: what is usual is learnt; borrowed */
	bool exit;            /* the exit status tells of one */
};

/* Whether the options that say something of alarms go with one, and relations are two terms. */
int alarms__check(const struct alarms *alarms, struct err *err);
/* Finds the events of the texts in the list, and adds those that aren't there. units: what windows
 * or units are called, which may be a term; NULL: there are none. */
int alarms__settle(struct alarms *alarms, const struct event_names *names,
		   struct event_list *events, const char *units, struct err *err);
/* After that, what --baseline says is usual, if it is given; notes: a line of that. */
int alarms__expect(struct alarms *alarms, const struct event_list *events, uint64_t interval_ns,
		   struct buf *notes, struct err *err);
/* Whether there is a relation of which both terms are counted. */
bool alarms__any_watched(const struct alarms *alarms, const struct counting_result *result);
/* An interval; talk: lines of what is new. How many were raised. */
unsigned alarms__add(struct alarms *alarms, const struct counting_result *result, struct buf *talk);
/* Lines of talk, to standard error. */
void alarms__say(const struct buf *talk);
/* Waits for the program of --alarm-run that is on, and says how its runs went. */
void alarms__end(struct alarms *alarms);
void alarms__done(struct alarms *alarms);

#endif
