// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/slices.h"

#include <math.h>

static const double SECOND_NS = 1e9;
/* What is spent is what a child of our own took for each hit, give or take so much of it. */
static const double SPENT_ERROR = 1.0 / 3;
/* The first is that of the program's beginning, as a rule. */
enum { RATED_LEAST = 3 };
/* The most may be so many times the likely; else neither is known. */
static const double SPREAD_MAX = 3;

double slices__full(const struct slices *s)
{
	const double second = s->share * SECOND_NS, changes = s->in_ns + s->out_ns;

	return changes + (changes > second ? changes : second);
}

void slices__init(struct slices *s, double share, uint64_t settling_ns, uint64_t in_ns)
{
	*s = (struct slices){
		.share = share,
		.settling_ns = settling_ns,
		.in_ns = (double)in_ns,
		.out_ns = (double)in_ns,
		.n = 1,
		.on = true,
	};
	s->credit_ns = slices__full(s) - s->in_ns;
}

void slices__changed(struct slices *s, uint64_t cost_ns)
{
	if (s->on)
		s->in_ns = (double)cost_ns;
	else
		s->out_ns = (double)cost_ns;
	s->credit_ns -= (double)cost_ns;
}

bool slices__pass(struct slices *s, uint64_t span_ns, uint64_t spent_ns)
{
	const double most = slices__full(s);
	bool was = s->on;

	s->age_ns += span_ns;
	s->on_ns += was ? span_ns : 0;
	if (s->share <= 0 || s->age_ns < s->settling_ns)
		return false;
	s->credit_ns += s->share * (double)span_ns - (double)spent_ns;
	if (s->credit_ns > most)
		s->credit_ns = most;
	s->on = s->credit_ns >= (was ? s->out_ns : most);
	s->n += !was && s->on;
	return s->on != was;
}

uint64_t probe_hits__spent_ns(const struct probe_hits *now, const struct probe_hits *before,
			      const struct probe_costs *each)
{
	uint64_t emulated = now->emulated - before->emulated;
	uint64_t stepped = now->stepped - before->stepped;
	uint64_t program_ns = now->timed ? now->timed_ns / now->timed : 0;

	return emulated * each->emulated_ns + stepped * each->stepped_ns +
	       (emulated + stepped) * program_ns;
}

/* sign: 1 or -1, of numbers that wrap. */
static void add(struct probed *to, const struct probed *from, int sign)
{
	const uint64_t times = (uint64_t)sign;

	to->slices += times * from->slices;
	to->span_ns += times * from->span_ns;
	to->on_ns += times * from->on_ns;
	to->spent_ns += times * from->spent_ns;
	to->changes_ns += times * from->changes_ns;
	to->hits += times * from->hits;
	to->spent_on_ns += times * from->spent_on_ns;
	to->cpu_ns += times * from->cpu_ns;
	to->cpu_on_ns += times * from->cpu_on_ns;
	to->rated += times * from->rated;
	to->rated_hits += times * from->rated_hits;
	to->rated_ns += times * from->rated_ns;
	to->rated_squares += sign * from->rated_squares;
}

void probed__add(struct probed *to, const struct probed *from)
{
	add(to, from, 1);
}

void probed__take(struct probed *from, const struct probed *before)
{
	add(from, before, -1);
}

void probed__rate(struct probed *p, uint64_t hits, uint64_t cpu_ns, uint64_t spent_ns)
{
	if (cpu_ns <= spent_ns)
		return;
	p->rated++;
	p->rated_hits += hits;
	p->rated_ns += cpu_ns - spent_ns;
	p->rated_squares += (double)hits * (double)hits / (double)(cpu_ns - spent_ns);
}

/* Two standard errors of the hits for the time that was left, as a part of them; NAN: there were
 * too few slices to tell. */
static double error_of_slices(const struct probed *p)
{
	const double hits = (double)p->rated_hits;
	double spread;

	if (p->rated < RATED_LEAST || !p->rated_hits)
		return NAN;
	spread = p->rated_squares * (double)p->rated_ns / (hits * hits) - 1;
	return 2 * sqrt(fmax(spread, 0) / (double)(p->rated - 1));
}

/*
 * Programs get on by the CPU time that probes leave them: where these take most of it, calls while
 * they are in place are a fraction of those at other times, and what is left is the small
 * difference of two large numbers, of which one is an estimate.
 */
static double by_cpu_time(const struct probed *p, double n, double spent, double error)
{
	const double on = (double)p->cpu_on_ns - spent * (double)p->spent_on_ns * (1 + error);
	const double off =
		(double)(p->cpu_ns - p->cpu_on_ns) - spent * (double)(p->spent_ns - p->spent_on_ns);

	return on > 0 ? n + n * (off > 0 ? off : 0) / on : (double)INFINITY;
}

struct probed_estimate probed__estimate(const struct probed *p, uint64_t n, uint64_t hits)
{
	const double share = p->hits > hits ? (double)hits / (double)p->hits : 1;
	const double differ = error_of_slices(p);
	struct probed_estimate e = {NAN, NAN, NAN};
	double least;

	if (!p->on_ns)
		return e;
	e.least = (double)n * (double)p->span_ns / (double)p->on_ns;
	if (!p->cpu_on_ns)
		return e;
	e.likely = by_cpu_time(p, (double)n, share, 0);
	e.most = by_cpu_time(p, (double)n, share, SPENT_ERROR) * (1 + differ);
	least = by_cpu_time(p, (double)n, share, -SPENT_ERROR) * (1 - differ);
	if (isnan(differ) || isinf(e.likely) || e.most > SPREAD_MAX * e.likely) {
		e.likely = e.most = NAN;
		return e;
	}
	e.least = fmin(fmax(e.least, least), e.likely);
	return e;
}
