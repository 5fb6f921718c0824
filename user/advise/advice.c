// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Shares of CPU time are of samples, so chance is in them: their interval is that of two Poisson
 * counts, the samples with and those without. Time without a CPU is measured, where each switch was
 * recorded: there only the CPU time beside it is a matter of chance.
 */
#include "advise/advice.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "model/poisson.h"
#include "render/escape.h"
#include "render/report.h"
#include "render/report_head.h"
#include "render/roles.h"

#define EXACT_COUNT 1e9   /* of what is no sample */
#define LEAST_WAIT_S 0.05 /* less isn't worth a sentence */

/* ---- sums */

struct sum {
	double value, samples;
};

static struct sum weigh(const struct advice *a, const struct weighing *w)
{
	struct sum sum = {0};

	for (size_t i = 0; w->type != PROF_NO_TYPE && i < a->prof->n_samples; i++) {
		const int64_t *values = prof__values(a->prof, i);

		if (!advice__weighs(a, w, i))
			continue;
		sum.value += (double)values[w->type];
		if (w->event->samples != PROF_NO_TYPE)
			sum.samples += (double)values[w->event->samples];
	}
	return sum;
}

static struct weighing of_clock(const struct advice *a, uint32_t traits)
{
	return (struct weighing){a->clock, a->clock->time, traits, TRAIT_RUNS};
}

/* Percentages of the sum of two of which one is n, the other n_rest times something. */
static void share_interval(double n, double n_rest, double value, double rest, struct finding *f)
{
	double low, high, factor = n > 0 && n_rest > 0 ? value / rest / (n / n_rest) : 1;

	f->value = value > 0 ? 100 * value / (value + rest) : 0;
	f->low = f->high = f->value;
	if (!(n > 0))
		return;
	poisson_ratio_interval(n, n_rest, &low, &high);
	low *= factor;
	high *= factor;
	f->low = 100 * low / (1 + low);
	f->high = isfinite(high) ? 100 * high / (1 + high) : 100;
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

static void judge(struct finding *f, bool enough)
{
	f->verdict = !enough ? RULE_FEW : f->low >= f->rule->least ? RULE_HOLDS : RULE_BELOW;
}

static void add_rate(const struct advice *a, struct finding *f)
{
	const struct prof_event *e = f->rule->rate_of ? event_called(a, f->rule->rate_of) : NULL;

	if (!e || !(a->clock_seconds > 0))
		return;
	f->events = weigh(a, &(struct weighing){e, report_event__type(e), 0, 0}).value;
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
	part = weigh(a, &w);
	rest = a->clock_seconds * 1e9 - part.value;
	f->samples = (int64_t)part.samples;
	f->of_samples = a->clock_samples;
	f->seconds = part.value / 1e9;
	f->of_seconds = a->clock_seconds;
	share_interval(part.samples, (double)a->clock_samples - part.samples, part.value, rest, f);
	f->stake = f->high;
	add_rate(a, f);
	judge(f, a->clock_samples >= RULE_FEW_SAMPLES);
	if (f->verdict == RULE_HOLDS && rule->also) {
		struct finding also = {0};

		w = of_clock(a, rule->also);
		part = weigh(a, &w);
		share_interval(part.samples, (double)a->clock_samples - part.samples, part.value,
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
	part = weigh(a, &w);
	/* times differ: that of one in N stands for N times an unlike one */
	n = each_is_recorded(a, a->off_cpu) ? EXACT_COUNT : part.samples / 2;
	f->samples = (int64_t)part.samples;
	f->of_samples = a->clock_samples;
	f->seconds = part.value / 1e9;
	f->of_seconds = f->seconds + a->clock_seconds;
	if (part.value > 0)
		share_interval(n, (double)a->clock_samples, part.value, a->clock_seconds * 1e9, f);
	f->stake = f->high;
	judge(f, a->clock_samples > 0);
	if (f->verdict == RULE_HOLDS && (part.samples < FEW_WAITS || f->seconds < LEAST_WAIT_S))
		f->verdict = RULE_FEW;
}

static void look_at_accesses(struct advice *a, struct finding *f)
{
	double part = 0, all = 0;

	for (size_t i = 0; i < a->n_events; i++) {
		struct weighing w = {&a->events[i], a->events[i].samples, 0, TRAIT_ADDRESS};

		all += weigh(a, &w).samples;
		w.traits = f->rule->traits;
		part += weigh(a, &w).samples;
	}
	if (!(all > 0))
		return;
	f->samples = (int64_t)part;
	f->of_samples = (int64_t)all;
	share_interval(part, all - part, part, all - part, f);
	f->stake = 0;
	judge(f, all >= RULE_FEW_SAMPLES);
}

/* "user stacks: 1990 complete, 10 truncated" */
static void look_at_stacks(struct advice *a, struct finding *f)
{
	static const char *const whole[] = {" complete", " complete_by_fp", " execing", " outside"};
	const char *text = prof__remark(a->prof, "user stacks");
	double good = 0, all = 0;

	if (!text)
		return;
	for (const char *p = text; *p;) {
		uint64_t number;
		size_t len;

		p += strspn(p, " ,");
		if (!num__take_u64(&p, &number))
			break;
		len = strcspn(p, ",");
		all += (double)number;
		for (size_t i = 0; i < ARRAY_SIZE(whole); i++) {
			if (strlen(whole[i]) == len && strncmp(p, whole[i], len) == 0)
				good += (double)number;
		}
		p += len;
	}
	f->samples = (int64_t)(all - good);
	f->of_samples = (int64_t)all;
	share_interval(all - good, good, all - good, good, f);
	judge(f, all >= RULE_FEW_SAMPLES);
}

/* "processor: 6.1 % of the CPUs' time taken by the hypervisor, slowed down 3 times by heat" */
static void look_at_processor(struct advice *a, struct finding *f)
{
	const char *text = prof__remark(a->prof, "processor");
	const char *slowed = text ? strstr(text, "slowed down ") : NULL;
	uint64_t times;

	if (f->rule->kind == RULE_STOLEN) {
		_cleanup_free_ char *percent = text ? xstrndup(text, strcspn(text, " ")) : NULL;

		if (!percent || num__parse_f64(percent, &f->value) < 0)
			return;
	} else {
		slowed = slowed ? slowed + strlen("slowed down ") : NULL;
		if (!slowed || !num__take_u64(&slowed, &times))
			return;
		f->value = (double)times;
	}
	f->low = f->high = f->value;
	f->stake = f->rule->kind == RULE_STOLEN ? f->value : 0;
	judge(f, true);
}

/* ---- misses */

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

static bool is_tlb(const struct derive_event *role)
{
	enum { GENERIC_CACHE = UINT16_MAX };

	return role->cache != GENERIC_CACHE && (role->cache & 0xff) == PERF_COUNT_HW_CACHE_DTLB;
}

/* The first of that role whose set is that of the others. */
static bool find_role(const struct advice *a, enum derive_role role, const bool *tlb, uint32_t set,
		      struct role_event *ret)
{
	for (size_t i = 0; i < a->n_events; i++) {
		struct role_event e = {.event = &a->events[i]};

		if (!role_of(a, e.event, &e.role) || e.role.role != role ||
		    (role != ROLE_CYCLES && e.role.set != set) || (tlb && is_tlb(&e.role) != *tlb))
			continue;
		*ret = e;
		return true;
	}
	return false;
}

static struct sum sum_of_role(const struct advice *a, const struct role_event *e)
{
	struct weighing w = {e->event, e->event->events, 0, TRAIT_RUNS};

	return weigh(a, &w);
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
	bool tlb = f->rule->kind == RULE_TLB;
	struct role_event cycles, insns, misses;
	struct sum c, n, m;
	double low, high;
	struct weighing w;

	if (!find_role(a, ROLE_CYCLES, NULL, 0, &cycles) ||
	    !find_role(a, ROLE_INSTRUCTIONS, NULL, cycles.role.set, &insns) ||
	    !find_role(a, ROLE_MISSES, &tlb, cycles.role.set, &misses))
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
	judge(f, true);
	if (f->verdict == RULE_HOLDS && f->ipc_high > RULE_LOW_IPC)
		f->verdict = RULE_BELOW;
	if (f->verdict != RULE_HOLDS)
		return;
	w = (struct weighing){misses.event, misses.event->events, 0, TRAIT_RUNS};
	spots__find(a, &w, f);
	f->stake = cycles_of_place(a, &cycles, f);
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
		look_at_accesses(a, f);
		break;
	case RULE_OF_STACKS:
		look_at_stacks(a, f);
		break;
	case RULE_STOLEN:
	case RULE_HEAT:
		look_at_processor(a, f);
		break;
	case RULE_CACHE:
	case RULE_TLB:
		look_at_misses(a, f);
		break;
	}
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
	for (size_t i = 0; f->rule->kind == RULE_OF_ACCESSES && i < a->n_events; i++) {
		struct weighing of = {&a->events[i], a->events[i].samples, f->rule->traits,
				      TRAIT_ADDRESS};

		if (!w.event || weigh(a, &of).samples > weigh(a, &w).samples)
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

static int compare_findings(const void *pa, const void *pb, void *advice)
{
	const struct finding *a = *(const struct finding *const *)pa;
	const struct finding *b = *(const struct finding *const *)pb;
	double seconds_a = seconds_at_stake(advice, a), seconds_b = seconds_at_stake(advice, b);

	if (is_about_profile(a->rule) != is_about_profile(b->rule))
		return is_about_profile(a->rule) ? 1 : -1;
	return seconds_a != seconds_b ? -CMP3(seconds_a, seconds_b) : CMP3(a->rule, b->rule);
}

static void settle(struct advice *a)
{
	uint32_t covered = 0;

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

		clock = weigh(a, &w);
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
