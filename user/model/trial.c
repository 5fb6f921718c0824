// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: who looks slows the program down, so what is met all the time is met as often as
 * that allows, whatever else it is: a lock of each turn of a loop has as many hits in a stretch of
 * time as one of each hundredth, where each is looked at alone. So places are looked at beside one
 * that all are compared with, which slows them down alike. And a program may work in bursts: which
 * that one is, is looked for among all of them, over and over.
 */
#include "model/trial.h"

#include <string.h>

enum { ENOUGH = 100 /* hits, to compare with */ };

struct group {
	size_t which[TRIAL_TOGETHER], n;
	uint64_t hits[TRIAL_TOGETHER];
};

static int look(const struct trial *t, struct group *g)
{
	uint64_t hits[TRIAL_TOGETHER] = {0};
	int r = t->look(t->ctx, g->which, g->n, hits);

	for (size_t i = 0; i < g->n; i++)
		g->hits[i] += hits[i];
	return r < 0 ? r : 0;
}

/* `none`: no one was. */
static size_t met_most(const struct group *g, size_t none)
{
	size_t most = 0;

	for (size_t i = 1; i < g->n; i++)
		most = g->hits[i] > g->hits[most] ? i : most;
	return g->hits[most] ? g->which[most] : none;
}

/* Each pass begins with another group, for bursts may come as often as passes. */
static int find_reference(const struct trial *t, size_t n, size_t *ret)
{
	const size_t n_groups = (n + TRIAL_TOGETHER - 1) / TRIAL_TOGETHER;
	int r = 0;

	*ret = n;
	for (size_t i = 0; r == 0 && *ret == n && i < TRIAL_TIMES * n_groups; i++) {
		const size_t pass = i / n_groups;
		size_t place = (i + pass) % n_groups * TRIAL_TOGETHER;
		struct group g = {0};

		while (g.n < TRIAL_TOGETHER && place < n)
			g.which[g.n++] = place++;
		r = look(t, &g);
		*ret = met_most(&g, n);
	}
	return r;
}

/* The first one is what the others are compared with. */
static int compare(const struct trial *t, struct group *g, double *rates)
{
	int r = 0;

	for (int i = 0; r == 0 && i < TRIAL_TIMES && g->hits[0] < ENOUGH; i++)
		r = look(t, g);
	for (size_t i = 1; i < g->n; i++) /* it may be met so rarely that it never was */
		rates[g->which[i]] = rates[g->which[0]] * (double)g->hits[i] /
				     (double)(g->hits[0] ? g->hits[0] : 1);
	return r;
}

int trial__run(const struct trial *t, double *rates, size_t n)
{
	size_t first, reference, next = 0;
	int r = find_reference(t, n, &first);

	memset(rates, 0, n * sizeof(*rates));
	if (r < 0 || first == n)
		return r;
	reference = first;
	rates[first] = 1;
	while (r == 0 && next < n) {
		struct group g = {.which = {reference}, .n = 1};

		for (; g.n < TRIAL_TOGETHER && next < n; next++) {
			if (next != first)
				g.which[g.n++] = next;
		}
		if (g.n > 1)
			r = compare(t, &g, rates);
		for (size_t i = 1; i < g.n; i++) {
			if (rates[g.which[i]] > rates[reference])
				reference = g.which[i];
		}
	}
	return r;
}
