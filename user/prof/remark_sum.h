/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What several profiles say of themselves (cmd/remarks.h), as what one would say that is all of
 * them: counts are added up, what all say is said once, what hypervisors took is the mean by the
 * length of the windows that say it, and what is true of each alone (windows, times) is left out.
 * Comments of others are passed over. Pure.
 */
#ifndef PMUBPF_PROF_REMARK_SUM_H
#define PMUBPF_PROF_REMARK_SUM_H

#include "prof/alarm_sum.h"
#include "prof/held_sum.h"
#include "prof/prof.h"

struct remark_sum {
	struct remark_event *events;
	size_t n_events, cap_events;
	struct remark_status *statuses;
	size_t n_statuses, cap_statuses;
	char **others; /* each once, in the order in which they came */
	size_t n_others, cap_others;
	uint64_t profiles, balanced;
	char *imbalance;          /* the first */
	double stolen, stolen_of; /* percent × seconds of windows, seconds */
	uint64_t slowed;          /* times, by heat */
	bool knows_heat;
	struct held_sum held;
	struct alarm_sum_lines alarms;
};

/* host: whose profile it is; NULL: all are of one. */
void remark_sum__add(struct remark_sum *s, const struct prof *from, const char *host);
/* As comments of `to`. */
void remark_sum__put(const struct remark_sum *s, struct prof *to);
void remark_sum__done(struct remark_sum *s);

#endif
