// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is to leave a figure out: a ratio of numbers that don't belong together looks as
 * good as any other.
 */
#include "model/derive.h"

#include <math.h>

enum {
	SAME_TIME_NS = 1000000, /* events are enabled one after the other */
	ZERO_AFTER_NS = 100000, /* what runs that long has executed something */
};

const char *const derive_role_keys[N_ROLES] = {
#define X(id, key) key,
	DERIVE_ROLES(X)
#undef X
};

const char *const derived_keys[N_DERIVED] = {
#define X(name, key, ...) key,
	DERIVED(X)
#undef X
};

const char *const derived_texts[N_DERIVED] = {
#define X(name, key, text, ...) text,
	DERIVED(X)
#undef X
};

const char *const derived_titles[N_DERIVED] = {
#define X(name, key, text, title, factor) title,
	DERIVED(X)
#undef X
};

static const double derived_factors[N_DERIVED] = {
#define X(name, key, text, title, factor) factor,
	DERIVED(X)
#undef X
};

bool derived__more_is_better(enum derived_kind kind)
{
	return kind == DERIVED_IPC || kind == DERIVED_GHZ || kind == DERIVED_GHZ_IDLE ||
	       kind == DERIVED_GHZ_RUNNING;
}

bool derived__is_ratio(const struct derived *derived)
{
	return derived->other != DERIVE_ELAPSED && derived->kind != DERIVED_GHZ &&
	       derived->kind != DERIVED_GHZ_IDLE;
}

double count__scaled(const struct perf_count *count)
{
	if (!count->running_ns)
		return 0;
	return (double)count->value * (double)count->enabled_ns / (double)count->running_ns;
}

double count__share(const struct perf_count *count)
{
	if (!count->enabled_ns)
		return 100;
	return 100 * (double)count->running_ns / (double)count->enabled_ns;
}

struct derivation {
	const struct derive_event *events;
	const struct perf_count *counts;
	size_t n_events;
	uint64_t elapsed_ns;
	bool idle;
	struct derived *ret;
	size_t n;
};

static bool shares_counter(const struct perf_count *count)
{
	return count->running_ns < count->enabled_ns;
}

static bool same_time(const struct perf_count *a, const struct perf_count *b)
{
	double x = (double)a->enabled_ns, y = (double)b->enabled_ns;

	return fabs(x - y) <= SAME_TIME_NS + 0.01 * fmax(x, y);
}

static void add(struct derivation *d, size_t event, size_t other, enum derived_kind kind,
		double quotient)
{
	struct derived *derived = &d->ret[d->n++];
	const struct perf_count *a = &d->counts[event];

	*derived = (struct derived){.event = event, .other = other, .kind = kind};
	derived->factor = derived_factors[kind];
	if (kind == DERIVED_GHZ_RUNNING)
		derived->factor *= d->events[other].khz / 1e6;
	derived->value = derived->factor * quotient;
	if (other == DERIVE_ELAPSED)
		return;
	derived->apart = shares_counter(a) || shares_counter(&d->counts[other]) ||
			 !same_time(a, &d->counts[other]);
}

/* The counted event of that role whose count can be divided by; SIZE_MAX if there is none. */
static size_t find(const struct derivation *d, size_t beside, enum derive_role role)
{
	const struct derive_event *event = &d->events[beside];

	for (size_t i = 0; i < d->n_events; i++) {
		const struct derive_event *e = &d->events[i];

		if (e->role != role || !(count__scaled(&d->counts[i]) > 0))
			continue;
		/* a clock belongs to no PMU and leaves no code out */
		if (role != ROLE_TASK_CLOCK && e->set != event->set)
			continue;
		if (role == ROLE_ACCESSES && e->cache != event->cache)
			continue;
		return i;
	}
	return SIZE_MAX;
}

static void ratio(struct derivation *d, size_t event, enum derive_role role, enum derived_kind kind)
{
	size_t other = find(d, event, role);

	if (other != SIZE_MAX)
		add(d, event, other, kind,
		    count__scaled(&d->counts[event]) / count__scaled(&d->counts[other]));
}

static void per_elapsed(struct derivation *d, size_t event, enum derived_kind kind)
{
	if (d->elapsed_ns)
		add(d, event, DERIVE_ELAPSED, kind,
		    count__scaled(&d->counts[event]) / (double)d->elapsed_ns);
}

static void instructions(struct derivation *d, size_t event)
{
	size_t cycles = find(d, event, ROLE_CYCLES);
	double n = count__scaled(&d->counts[event]);

	if (cycles == SIZE_MAX)
		return;
	ratio(d, event, ROLE_CYCLES, DERIVED_IPC);
	if (n > 0)
		add(d, event, cycles, DERIVED_CPI, count__scaled(&d->counts[cycles]) / n);
}

static void running(struct derivation *d, size_t event)
{
	size_t base = find(d, event, ROLE_BASE_CLOCK);

	if (base != SIZE_MAX && d->events[base].khz)
		ratio(d, event, ROLE_BASE_CLOCK, DERIVED_GHZ_RUNNING);
}

static void derive_event(struct derivation *d, size_t i)
{
	switch (d->events[i].role) {
	case ROLE_TASK_CLOCK:
		if (!d->idle)
			per_elapsed(d, i, DERIVED_CPUS_USED);
		break;
	case ROLE_CYCLES: /* per ns: GHz */
		if (d->events[i].all_code)
			ratio(d, i, ROLE_TASK_CLOCK, d->idle ? DERIVED_GHZ_IDLE : DERIVED_GHZ);
		break;
	case ROLE_INSTRUCTIONS:
		instructions(d, i);
		break;
	case ROLE_BRANCH_MISSES:
		ratio(d, i, ROLE_BRANCHES, DERIVED_MISPREDICTED);
		ratio(d, i, ROLE_INSTRUCTIONS, DERIVED_MPKI);
		break;
	case ROLE_MISSES:
		ratio(d, i, ROLE_ACCESSES, DERIVED_MISS_RATIO);
		ratio(d, i, ROLE_INSTRUCTIONS, DERIVED_MPKI);
		break;
	case ROLE_OTHER_MISSES:
		ratio(d, i, ROLE_INSTRUCTIONS, DERIVED_MPKI);
		break;
	case ROLE_STALLS:
		ratio(d, i, ROLE_CYCLES, DERIVED_STALLED);
		break;
	case ROLE_CORE_CLOCK:
		running(d, i);
		break;
	case ROLE_OCCURRENCES:
		per_elapsed(d, i, DERIVED_PER_SECOND);
		break;
	case ROLE_BASE_CLOCK:
	case ROLE_BRANCHES:
	case ROLE_ACCESSES:
	case ROLE_OTHER:
		break;
	}
}

size_t derive(const struct derive_event *events, const struct perf_count *counts, size_t n,
	      uint64_t elapsed_ns, bool idle, struct derived *ret)
{
	struct derivation d = {
		.events = events,
		.counts = counts,
		.n_events = n,
		.elapsed_ns = elapsed_ns,
		.idle = idle,
		.ret = ret,
	};

	for (size_t i = 0; i < n; i++) {
		if (counts[i].running_ns)
			derive_event(&d, i);
	}
	return d.n;
}

bool derive__zero_is_false(const struct derive_event *event, const struct perf_count *count)
{
	if (!event->all_code || count->value || count->running_ns < ZERO_AFTER_NS)
		return false;
	return event->role == ROLE_CYCLES || event->role == ROLE_INSTRUCTIONS ||
	       event->role == ROLE_BRANCHES;
}

void spread__add(struct spread *s, double value)
{
	double delta = value - s->mean;

	s->n++;
	s->mean += delta / (double)s->n;
	s->m2 += delta * (value - s->mean);
}

double spread__percent(const struct spread *s)
{
	double n = (double)s->n;

	if (s->n < 2 || !(s->mean > 0))
		return 0;
	return 100 * sqrt(s->m2 / (n - 1) / n) / s->mean;
}
