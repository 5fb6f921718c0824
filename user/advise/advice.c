// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Each rule beside the figures, and in which order what holds is said. */
#include "advise/advice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advise/look.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "render/report.h"
#include "render/report_head.h"

#define EXACT_COUNT 1e9   /* of what is no sample */
#define LEAST_WAIT_S 0.05 /* less isn't worth a sentence */

static struct weighing of_clock(const struct advice *a, uint32_t traits)
{
	return (struct weighing){a->clock, a->clock->time, traits, TRAIT_RUNS};
}

/* ---- what the recording says of itself */

static const struct prof_event *event_called(const struct advice *a, const char *name)
{
	for (size_t i = 0; i < a->n_events; i++) {
		if (starts_with(a->events[i].name, name))
			return &a->events[i];
	}
	return NULL;
}

/* Samples of it are where the CPU time goes. */
static const struct prof_event *find_clock(const struct advice *a)
{
	const struct prof_event *e = event_called(a, "cpu-clock");

	if (!e)
		e = event_called(a, "task-clock");
	for (size_t i = 0; !e && i < a->n_events; i++) {
		const struct prof_event *other = &a->events[i];

		if (other != a->off_cpu && other->time != PROF_NO_TYPE)
			e = other;
	}
	return e && e->time != PROF_NO_TYPE && e->samples != PROF_NO_TYPE ? e : NULL;
}

static void add_rate(const struct advice *a, struct finding *f)
{
	const struct prof_event *e = f->rule->rate_of ? event_called(a, f->rule->rate_of) : NULL;

	if (!e || !(a->clock_seconds > 0))
		return;
	f->events = advice__sum(a, &(struct weighing){e, report_event__type(e), 0, 0}).value;
	f->rate = f->events / a->clock_seconds;
}

/* ---- by kind of rule */

static void look_at_cpu(struct advice *a, struct finding *f)
{
	const struct rule *rule = f->rule;
	struct weighing w;
	struct sum part;
	double rest;

	if (!a->clock)
		return;
	w = of_clock(a, rule->traits);
	part = advice__sum(a, &w);
	rest = a->clock_seconds * 1e9 - part.value;
	f->samples = (int64_t)part.samples;
	f->of_samples = a->clock_samples;
	f->seconds = part.value / 1e9;
	f->of_seconds = a->clock_seconds;
	finding__share(part.samples, (double)a->clock_samples - part.samples, part.value, rest, f);
	f->stake = f->high;
	add_rate(a, f);
	finding__judge(f, a->clock_samples >= RULE_FEW_SAMPLES);
	if (f->verdict == RULE_HOLDS && rule->also) {
		struct finding also = {0};

		w = of_clock(a, rule->also);
		part = advice__sum(a, &w);
		finding__share(part.samples, (double)a->clock_samples - part.samples, part.value,
			       a->clock_seconds * 1e9 - part.value, &also);
		if (also.low < rule->also_least)
			f->verdict = RULE_BELOW;
	}
	if (f->verdict == RULE_HOLDS && f->rate < rule->rate_least)
		f->verdict = f->events > 0 ? RULE_BELOW : RULE_NOT_ASKED;
}

static bool each_is_recorded(const struct advice *a, const struct prof_event *e)
{
	_cleanup_free_ char *period = report__event_remark(a->prof, e->name, " period=");

	return period && strcmp(period, "1") == 0;
}

static void look_at_threads(struct advice *a, struct finding *f)
{
	enum { FEW_WAITS = 20 };
	struct weighing w = {a->off_cpu, a->off_cpu ? a->off_cpu->time : PROF_NO_TYPE,
			     f->rule->traits, TRAIT_WAITS};
	struct sum part;
	double n;

	if (!a->clock || w.type == PROF_NO_TYPE)
		return;
	part = advice__sum(a, &w);
	/* times differ: that of one in N stands for N times an unlike one */
	n = each_is_recorded(a, a->off_cpu) ? EXACT_COUNT : part.samples / 2;
	f->samples = (int64_t)part.samples;
	f->of_samples = a->clock_samples;
	f->seconds = part.value / 1e9;
	f->of_seconds = f->seconds + a->clock_seconds;
	if (part.value > 0)
		finding__share(n, (double)a->clock_samples, part.value, a->clock_seconds * 1e9, f);
	f->stake = f->high;
	finding__judge(f, a->clock_samples > 0);
	if (f->verdict == RULE_HOLDS && (part.samples < FEW_WAITS || f->seconds < LEAST_WAIT_S))
		f->verdict = RULE_FEW;
}

/* Whose samples are all that say it at all. */
static uint32_t base_trait(const struct rule *rule)
{
	return rule->kind == RULE_OF_SOURCES ? TRAIT_SOURCE : TRAIT_ADDRESS;
}

static void look_at_accesses(struct advice *a, struct finding *f)
{
	double part = 0, all = 0;

	for (size_t i = 0; i < a->n_events; i++) {
		struct weighing w = {&a->events[i], a->events[i].samples, 0, base_trait(f->rule)};

		all += advice__sum(a, &w).samples;
		w.traits = f->rule->traits;
		part += advice__sum(a, &w).samples;
	}
	if (!(all > 0))
		return;
	f->samples = (int64_t)part;
	f->of_samples = (int64_t)all;
	finding__share(part, all - part, part, all - part, f);
	f->stake = 0;
	finding__judge(f, all >= RULE_FEW_SAMPLES);
}

/* ---- all of them */

static void look(struct advice *a, struct finding *f)
{
	switch (f->rule->kind) {
	case RULE_OF_CPU:
		look_at_cpu(a, f);
		break;
	case RULE_OF_THREADS:
		look_at_threads(a, f);
		break;
	case RULE_OF_ACCESSES:
	case RULE_OF_SOURCES:
		look_at_accesses(a, f);
		break;
	case RULE_MISSES:
	case RULE_STALLS:
		misses__look(a, f);
		break;
	case RULE_SLOTS:
		topdown__look(a, f);
		break;
	case RULE_OF_STACKS:
	case RULE_STOLEN:
	case RULE_HEAT:
	case RULE_QUOTA:
	case RULE_PRESSURE:
		accounts__look(a, f);
		break;
	}
}

static bool is_of_accesses(const struct rule *rule)
{
	return rule->kind == RULE_OF_ACCESSES || rule->kind == RULE_OF_SOURCES;
}

static void find_places(struct advice *a, struct finding *f)
{
	struct weighing w = {0};

	if (f->rule->place == PLACE_NONE || f->n_places)
		return;
	if (f->rule->kind == RULE_OF_CPU)
		w = of_clock(a, f->rule->traits);
	else if (f->rule->kind == RULE_OF_THREADS)
		w = (struct weighing){a->off_cpu, a->off_cpu->time, f->rule->traits, TRAIT_WAITS};
	for (size_t i = 0; is_of_accesses(f->rule) && i < a->n_events; i++) {
		struct weighing of = {&a->events[i], a->events[i].samples, f->rule->traits,
				      base_trait(f->rule)};

		if (!w.event || advice__sum(a, &of).samples > advice__sum(a, &w).samples)
			w = of;
	}
	if (w.event && w.type != PROF_NO_TYPE)
		spots__find(a, &w, f);
}

/* Of the threads' time and of CPU time the seconds compare; a percentage of what has none is taken
 * for one of the CPU time. */
static double seconds_at_stake(const struct advice *a, const struct finding *f)
{
	if (f->seconds > 0)
		return f->seconds;
	if (f->rule->kind == RULE_HEAT)
		return 0;
	return (f->stake > 0 ? f->stake : f->value) / 100 *
	       (a->clock_seconds > 0 ? a->clock_seconds : 1);
}

/* What limits the profile itself comes last: it says nothing about the program. */
static bool is_about_profile(const struct rule *rule)
{
	return rule == &rules[RULE_NO_NAMES] || rule->kind == RULE_OF_STACKS;
}

/* The first of those that hold from which it follows. */
static const struct finding *cause_of(const struct advice *a, const struct finding *f)
{
	for (size_t i = 0; i < N_RULES; i++) {
		const struct finding *cause = &a->findings[i];

		if (cause->verdict == RULE_HOLDS && cause != f &&
		    cause->rule->leads_to & RULE_BIT(f->rule - rules))
			return cause;
	}
	return NULL;
}

static const struct finding *root_of(const struct finding *f)
{
	for (int i = 0; f->because && i < N_RULES; i++)
		f = f->because;
	return f;
}

static int depth_of(const struct finding *f)
{
	int depth = 0;

	for (; f->because && depth < N_RULES; depth++)
		f = f->because;
	return depth;
}

/* A chain is worth what the most telling of its findings is. */
static double chain_seconds(const struct advice *a, const struct finding *root)
{
	double most = 0;

	for (size_t i = 0; i < a->n; i++) {
		if (root_of(a->order[i]) == root)
			most = fmax(most, seconds_at_stake(a, a->order[i]));
	}
	return most;
}

/* Chains that have most at stake first; within one what causes the others. */
static int compare_findings(const void *pa, const void *pb, void *advice)
{
	const struct finding *a = *(const struct finding *const *)pa;
	const struct finding *b = *(const struct finding *const *)pb;
	const struct finding *root_a = root_of(a), *root_b = root_of(b);
	double of_a = seconds_at_stake(advice, a), of_b = seconds_at_stake(advice, b);
	double chain_a = chain_seconds(advice, root_a), chain_b = chain_seconds(advice, root_b);

	if (is_about_profile(a->rule) != is_about_profile(b->rule))
		return is_about_profile(a->rule) ? 1 : -1;
	if (root_a != root_b)
		return chain_a != chain_b ? -CMP3(chain_a, chain_b) : CMP3(root_a, root_b);
	if (depth_of(a) != depth_of(b))
		return CMP3(depth_of(a), depth_of(b));
	return of_a != of_b ? -CMP3(of_a, of_b) : CMP3(a->rule, b->rule);
}

static void settle(struct advice *a)
{
	uint64_t covered = 0;

	for (size_t i = 0; i < N_RULES; i++) {
		if (a->findings[i].verdict == RULE_HOLDS)
			covered |= a->findings[i].rule->covers;
	}
	for (size_t i = 0; i < N_RULES; i++) {
		struct finding *f = &a->findings[i];

		if (f->verdict == RULE_HOLDS && covered & RULE_BIT(i))
			f->verdict = RULE_COVERED;
		if (f->verdict != RULE_HOLDS)
			continue;
		find_places(a, f);
		a->order[a->n++] = f;
	}
	for (size_t i = 0; i < a->n; i++)
		a->findings[a->order[i]->rule - rules].because = cause_of(a, a->order[i]);
	if (a->n)
		qsort_r(a->order, a->n, sizeof(*a->order), compare_findings, a);
}

void advice__find(struct advice *a, const struct prof *p)
{
	struct sum clock = {0};

	*a = (struct advice){.prof = p, .traits = {.prof = p}};
	a->n_events = prof__events(p, &a->events);
	a->off_cpu = event_called(a, "off-cpu");
	a->clock = find_clock(a);
	a->of_samples = xcalloc(p->n_samples + 1, sizeof(*a->of_samples));
	for (size_t i = 0; i < p->n_samples; i++)
		a->of_samples[i] = traits__of(&a->traits, &p->samples[i]);
	if (a->clock) {
		struct weighing w = of_clock(a, 0);

		clock = advice__sum(a, &w);
	}
	a->clock_samples = (int64_t)clock.samples;
	a->clock_seconds = clock.value / 1e9;
	for (size_t i = 0; i < N_RULES; i++) {
		a->findings[i].rule = &rules[i];
		look(a, &a->findings[i]);
	}
	settle(a);
}

void advice__done(struct advice *a)
{
	for (size_t i = 0; i < N_RULES; i++) {
		for (size_t k = 0; k < a->findings[i].n_places; k++) {
			free(a->findings[i].places[k].text);
			free(a->findings[i].places[k].function);
		}
	}
	traits__done(&a->traits);
	free(a->of_samples);
	prof_events__free(a->events, a->n_events);
}
