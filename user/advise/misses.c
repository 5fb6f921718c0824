// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Ratios of a PMU's events: misses by instructions, stalled cycles by cycles. Only events of one
 * PMU that leave the same code out compare.
 */
#include <linux/perf_event.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advise/look.h"
#include "base/cleanup.h"
#include "model/poisson.h"
#include "render/escape.h"
#include "render/report.h"
#include "render/roles.h"

struct role_event {
	const struct prof_event *event;
	struct derive_event role;
};

static bool role_of(const struct advice *a, const struct prof_event *e, struct derive_event *ret)
{
	_cleanup_(buf__done) struct buf key = {0};
	const char *text;

	buf__puts(&key, "role ");
	escape_name(&key, e->name);
	text = prof__remark(a->prof, key.data);
	return text && role__parse(text, ret);
}

/* Whose misses it counts. */
static enum rule_misses misses_of(const struct derive_event *role)
{
	enum { GENERIC_CACHE = UINT16_MAX };

	if (role->role == ROLE_BRANCH_MISSES)
		return MISSES_OF_BRANCHES;
	if (role->cache == GENERIC_CACHE)
		return MISSES_OF_CACHE;
	switch (role->cache & 0xff) {
	case PERF_COUNT_HW_CACHE_DTLB:
		return MISSES_OF_TLB;
	case PERF_COUNT_HW_CACHE_L1I:
		return MISSES_OF_CODE;
	case PERF_COUNT_HW_CACHE_ITLB:
		return MISSES_OF_CODE_TLB;
	default:
		return MISSES_OF_CACHE;
	}
}

/* The first of that role whose set is that of the others. */
static bool find_role(const struct advice *a, enum derive_role role, const enum rule_misses *misses,
		      uint32_t set, struct role_event *ret)
{
	for (size_t i = 0; i < a->n_events; i++) {
		struct role_event e = {.event = &a->events[i]};

		if (!role_of(a, e.event, &e.role) || e.role.role != role ||
		    (role != ROLE_CYCLES && e.role.set != set) ||
		    (misses && misses_of(&e.role) != *misses))
			continue;
		*ret = e;
		return true;
	}
	return false;
}

static struct sum sum_of_role(const struct advice *a, const struct role_event *e)
{
	struct weighing w = {e->event, e->event->events, 0, TRAIT_RUNS};

	return advice__sum(a, &w);
}

/* Cycles of the function that has the most misses. */
static double cycles_of_place(struct advice *a, const struct role_event *cycles,
			      const struct finding *f)
{
	struct finding all = {.rule = f->rule};
	struct weighing w = {cycles->event, cycles->event->events, 0, TRAIT_RUNS};
	double ret = 0;

	spots__find(a, &w, &all);
	for (size_t i = 0; i < all.n_places; i++) {
		if (f->n_places && strcmp(all.places[i].function, f->places[0].function) == 0)
			ret = all.places[i].percent;
		free(all.places[i].text);
		free(all.places[i].function);
	}
	return ret;
}

static void look_at_misses(struct advice *a, struct finding *f)
{
	enum rule_misses which = f->rule->misses;
	enum derive_role role = which == MISSES_OF_BRANCHES ? ROLE_BRANCH_MISSES : ROLE_MISSES;
	struct role_event cycles, insns, misses;
	struct sum c, n, m;
	double low, high;
	struct weighing w;

	if (!find_role(a, ROLE_CYCLES, NULL, 0, &cycles) ||
	    !find_role(a, ROLE_INSTRUCTIONS, NULL, cycles.role.set, &insns) ||
	    !find_role(a, role, &which, cycles.role.set, &misses))
		return;
	c = sum_of_role(a, &cycles);
	n = sum_of_role(a, &insns);
	m = sum_of_role(a, &misses);
	f->samples = (int64_t)m.samples;
	f->of_samples = (int64_t)n.samples;
	if (m.samples < RATIO_FEW || n.samples < RULE_FEW_SAMPLES || c.samples < RULE_FEW_SAMPLES) {
		f->verdict = RULE_FEW;
		return;
	}
	poisson_ratio_interval(n.samples, c.samples, &low, &high);
	f->ipc = n.value / c.value;
	f->ipc_high = f->ipc * high / (n.samples / c.samples);
	poisson_ratio_interval(m.samples, n.samples, &low, &high);
	f->value = 1000 * m.value / n.value;
	f->low = f->value * low / (m.samples / n.samples);
	f->high = f->value * high / (m.samples / n.samples);
	finding__judge(f, true);
	if (f->verdict == RULE_HOLDS && f->ipc_high > RULE_LOW_IPC)
		f->verdict = RULE_BELOW;
	if (f->verdict != RULE_HOLDS)
		return;
	w = (struct weighing){misses.event, misses.event->events, 0, TRAIT_RUNS};
	spots__find(a, &w, f);
	f->stake = cycles_of_place(a, &cycles, f);
}

/* Stalled cycles by all cycles: two counts of samples. */
static void look_at_stalls(struct advice *a, struct finding *f)
{
	struct role_event cycles, stalls = {0};
	struct sum all, part;
	struct weighing w;
	double low, high;

	if (!find_role(a, ROLE_CYCLES, NULL, 0, &cycles))
		return;
	for (size_t i = 0; i < a->n_events && !stalls.event; i++) {
		struct role_event e = {.event = &a->events[i]};

		if (role_of(a, e.event, &e.role) && e.role.role == ROLE_STALLS &&
		    e.role.set == cycles.role.set && strstr(e.event->name, f->rule->account))
			stalls = e;
	}
	if (!stalls.event)
		return;
	all = sum_of_role(a, &cycles);
	part = sum_of_role(a, &stalls);
	f->samples = (int64_t)part.samples;
	f->of_samples = (int64_t)all.samples;
	if (part.samples < RATIO_FEW || all.samples < RULE_FEW_SAMPLES) {
		f->verdict = RULE_FEW;
		return;
	}
	poisson_ratio_interval(part.samples, all.samples, &low, &high);
	f->value = 100 * part.value / all.value;
	f->low = f->value * low / (part.samples / all.samples);
	f->high = f->value * high / (part.samples / all.samples);
	finding__judge(f, true);
	if (f->verdict != RULE_HOLDS)
		return;
	w = (struct weighing){stalls.event, stalls.event->events, 0, TRAIT_RUNS};
	spots__find(a, &w, f);
	f->stake = fmin(f->high, 100);
}

void misses__look(struct advice *a, struct finding *f)
{
	if (f->rule->kind == RULE_STALLS)
		look_at_stalls(a, f);
	else
		look_at_misses(a, f);
}
