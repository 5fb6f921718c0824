/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What Intel's tables (pmu/event_db.h) say that follows from events: of top-down analysis the
 * shares of a core's slots for instructions, level 1 and 2.
 *
 *	mapfile.csv
 *		GenuineIntel-6-55-[01234],V1.0,/SKX/metrics/skylakex_metrics.json,metrics,,,
 *	SKX/metrics/…
 *		{"Metrics": [{"MetricName": "Frontend_Bound", "Level": 1, "Events":
 *		[{"Name": "IDQ_UOPS_NOT_DELIVERED.CORE", "Alias": "a"}, …], "Constants": [],
 *		"Formula": "100 * a / (4 * b)", "Category": "TMA", "MetricGroup": "TmaL1"}]}
 *
 * Not of CPUs with several kinds of cores. As trusted as the tables of events: a metric that can't
 * be understood, or takes what no event counts, is left out.
 */
#ifndef PMUBPF_PMU_TOPDOWN_TABLE_H
#define PMUBPF_PMU_TOPDOWN_TABLE_H

#include <stddef.h>

#include "base/err.h"

struct event_db;

struct topdown_metric {
	char *name;    /* "Frontend_Bound" */
	int level;     /* 1: of all slots; 2: what one of these consists of */
	char *formula; /* percent, of counts of events that the tables name; base/formula.h */
	char *located; /* an event that counts where it is lost; NULL: none is named */
};

struct topdown_table {
	struct topdown_metric *list;
	size_t n, cap;
};

/* threads: how many run on one core. -ENOENT without a sentence: the tables tell of none for this
 * CPU. */
int topdown_table__read(struct topdown_table *ret, const struct event_db *db, int threads,
			struct err *err);
void topdown_table__done(struct topdown_table *table);

#endif
