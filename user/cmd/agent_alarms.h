/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The relations that an agent watches beside its recording: options (an argp parser, a child of the
 * agent's own, whose input is a struct agent_alarm_args), and what becomes of alarms. */
#ifndef PMUBPF_CMD_AGENT_ALARMS_H
#define PMUBPF_CMD_AGENT_ALARMS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "cmd/alarms.h"
#include "cmd/sampling_args.h"
#include "cmd/watched.h"
#include "model/detail.h"
#include "prof/prof.h"
#include "render/metrics.h"

enum { AGENT_ALARMS_MAX = 8 };

struct agent_alarm_args {
	struct alarms alarms;
	struct event_list watched;   /* of the relations */
	bool when[AGENT_ALARMS_MAX]; /* of each: what is around its alarms is in detail */
	bool any_when, any_alarm;
	unsigned times; /* as many samples in detail; 0: the default */
	bool detail_given;
	struct detail_opts detail;
	struct err *err;
};
extern const struct argp agent_alarm_argp;

void agent_alarm_args__init(struct agent_alarm_args *args, struct err *err);
int agent_alarm_args__check(struct agent_alarm_args *args);
/* Events at their rates: those in detail. */
int agent_alarm_args__settle(struct agent_alarm_args *args, struct event_list *events);
void agent_alarm_args__done(struct agent_alarm_args *args);

struct agent_alarms {
	struct agent_alarm_args *args; /* NULL: nothing is watched */
	struct watched watched;
	struct agent_alarm *list;
	size_t n, cap;
	uint64_t unlisted; /* of this window: there were very many */
	struct detail detail;
	struct detail_span { /* that no window has said yet; the last may go on: to_ns is 0 */
		uint64_t from_ns, to_ns;
	} * spans;
	size_t n_spans, cap_spans;
	uint64_t raised[AGENT_ALARMS_MAX]; /* of each relation: how often */
	bool active[AGENT_ALARMS_MAX];
	char *names[AGENT_ALARMS_MAX]; /* relations, as they are written */
};

/* Before the recording is opened: what is counted is opened with it. */
int agent_alarms__start(struct agent_alarms *a, struct agent_alarm_args *args,
			struct sampling_args *sampling, struct err *err);
/* Looks once a second; says what is new, and has it recorded in detail or no more. Whether the
 * metrics are others. */
bool agent_alarms__step(struct agent_alarms *a, struct session *s, uint64_t now);
/* Those until its end as comments of the window (all, in the last), and what of it is in detail;
 * they are forgotten. */
void agent_alarms__put(struct agent_alarms *a, struct prof *window, uint64_t end_ns, bool last);
/* Of each relation, in the list, which is borrowed. */
void agent_alarms__metrics(const struct agent_alarms *a,
			   struct metrics_alarm list[static AGENT_ALARMS_MAX],
			   struct metrics_now *now);
void agent_alarms__done(struct agent_alarms *a);

#endif
