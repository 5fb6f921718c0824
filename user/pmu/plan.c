// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "pmu/plan.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmu/capacity.h"
#include "pmu/cores.h"
#include "sys/cpus.h"

struct planner {
	struct plan *plan;
	const struct event_list *list;
	plan_fits_fn fits;
	void *ctx;
};

static bool same_group(const struct planner *p, size_t a, size_t b)
{
	return a == b ||
	       (p->list->events[a].group && p->list->events[a].group == p->list->events[b].group);
}

/* Whether an event and those of its group run together with the members of a set and with those
 * that are counted in every set; an event may be among them twice, sampled and counted. */
static int joins(const struct planner *p, size_t set, size_t event)
{
	_cleanup_free_ const struct event **events = xcalloc(3 * p->list->n + 1, sizeof(*events));
	size_t n = 0;

	for (size_t i = 0; i < p->list->n; i++) {
		if (same_group(p, i, event))
			events[n++] = &p->list->events[i];
	}
	for (size_t i = 0; i < p->list->n; i++) {
		if (p->plan->set[i] == set)
			events[n++] = &p->list->events[i];
		if (p->plan->everywhere[i])
			events[n++] = &p->list->events[i];
	}
	return p->fits(p->ctx, events, n);
}

/* Events that are not placed yet. */
#define NO_SET SIZE_MAX

static void place(const struct planner *p, size_t event)
{
	size_t set = 0;

	/* alone it must fit, else its opening will tell why it doesn't */
	if (joins(p, NO_SET - 1, event) > 0) {
		while (set < p->plan->n_sets && joins(p, set, event) == 0)
			set++;
	}
	for (size_t i = event; i < p->list->n; i++) {
		if (same_group(p, i, event))
			p->plan->set[i] = set;
	}
	if (set == p->plan->n_sets)
		p->plan->n_sets++;
}

static bool fits_everywhere(const struct planner *p, size_t event)
{
	for (size_t set = 0; set < p->plan->n_sets; set++) {
		if (joins(p, set, event) <= 0)
			return false;
	}
	return true;
}

void plan__make(struct plan *plan, const struct event_list *list, plan_fits_fn fits, void *ctx)
{
	const struct planner p = {plan, list, fits, ctx};
	_cleanup_free_ const struct event **all = xcalloc(list->n, sizeof(*all));

	*plan = (struct plan){
		.n_events = list->n,
		.set = xcalloc(list->n, sizeof(*plan->set)),
		.everywhere = xcalloc(list->n, sizeof(*plan->everywhere)),
		.n_sets = 1,
	};
	for (size_t i = 0; i < list->n; i++) {
		all[i] = &list->events[i];
		plan->n_contending += list->events[i].attr.type != PERF_TYPE_SOFTWARE;
	}
	if (fits(ctx, all, list->n) > 0)
		return;
	for (size_t i = 0; i < list->n; i++)
		plan->set[i] = NO_SET;
	for (size_t i = 0; i < list->n; i++) {
		if (plan->set[i] == NO_SET)
			place(&p, i);
	}
	for (size_t i = 0; i < list->n; i++)
		plan->everywhere[i] = fits_everywhere(&p, i);
}

/* Cores with different PMUs have counters of their own: events meet only where both can run. */
static int fits_on_its_cores(const struct event *const *events, size_t n, const struct event *one)
{
	_cleanup_free_ const struct event **meet = xcalloc(n, sizeof(*meet));
	size_t n_meet = 0;
	int r;

	for (size_t i = 0; i < n; i++) {
		if (!events[i]->cpus || event__same_cpus(events[i], one))
			meet[n_meet++] = events[i];
	}
	r = events__fit(meet, n_meet, cpus_first(one->cpus));
	return r == -EACCES || r == -EPERM ? events__fit(meet, n_meet, -1) : r;
}

static int kernel_fits(void *ctx, const struct event *const *events, size_t n)
{
	int r;

	(void)ctx;
	for (size_t i = 0; i < n; i++) {
		bool asked = false;

		for (size_t k = 0; k < i && !asked; k++)
			asked = event__same_cpus(events[i], events[k]);
		r = asked ? 1 : fits_on_its_cores(events, n, events[i]);
		if (r <= 0)
			return r;
	}
	return 1;
}

void plan__ask(struct plan *plan, const struct event_list *list)
{
	plan__make(plan, list, kernel_fits, NULL);
}

void plan__done(struct plan *plan)
{
	free(plan->set);
	free(plan->everywhere);
	*plan = (struct plan){0};
}
