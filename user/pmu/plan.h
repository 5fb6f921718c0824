/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which events can count at the same time. Those that can't share the counters are split into sets:
 * one pass of a command each, or taking turns when the kernel multiplexes them.
 */
#ifndef PMUBPF_PMU_PLAN_H
#define PMUBPF_PMU_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "pmu/event.h"

struct plan {
	size_t n_events;
	size_t *set; /* per event: the number of its set */
	size_t n_sets;
	size_t n_contending; /* events that need a counter: not software */
	/* Per event, if there are several sets: it can also be counted beside each of them,
	 * together with the others of which that is true. */
	bool *everywhere;
};

/* Whether these n events run together: 1, 0, or a negative errno if one can't be opened at all. */
typedef int (*plan_fits_fn)(void *ctx, const struct event *const *events, size_t n);

/*
 * Each event, with those of its group, joins the first set in which it fits, in their order. An
 * event that can't be opened joins the first: opening it for good will explain why.
 */
void plan__make(struct plan *plan, const struct event_list *list, plan_fits_fn fits, void *ctx);
/* The same, asking the kernel on the CPUs that have the events' PMUs. */
void plan__ask(struct plan *plan, const struct event_list *list);
void plan__done(struct plan *plan);

#endif
