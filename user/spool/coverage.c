// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "spool/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Windows of one recording lie side by side; what is shorter is no gap worth a line. */
#define LEAST_GAP_NS 10000000LL
#define SECOND_NS 1000000000LL

static int by_time(const void *pa, const void *pb)
{
	const struct window_span *a = pa, *b = pb;
	int r = CMP3(a->time_ns, b->time_ns);

	if (r == 0)
		r = strcmp(a->id.boot, b->id.boot);
	return r ? r : CMP3(a->id.seq, b->id.seq);
}

void window_spans__sort(struct window_span *spans, size_t n)
{
	if (n)
		qsort(spans, n, sizeof(*spans), by_time);
}

static int64_t end_of(const struct window_span *s)
{
	int64_t end;

	return __builtin_add_overflow(s->time_ns, s->duration_ns, &end) ? INT64_MAX : end;
}

bool window_span__overlaps(const struct window_span *s, const struct time_range *range)
{
	return s->time_ns < range->until_ns && end_of(s) > range->since_ns;
}

static void add(struct coverage *c, int64_t from, int64_t to, uint64_t span_ns, bool reboot)
{
	GROW(c->gaps, c->n, c->cap);
	c->gaps[c->n++] = (struct gap){from, to, span_ns, reboot};
}

static void add_by_date(struct coverage *c, int64_t from, int64_t to, bool reboot)
{
	if (to > from && to - from >= LEAST_GAP_NS)
		add(c, from, to, (uint64_t)(to - from), reboot);
	else if (reboot)
		add(c, from, to, 0, true);
}

static void look_between(struct coverage *c, const struct window_span *a,
			 const struct window_span *b)
{
	bool same = strcmp(a->id.boot, b->id.boot) == 0;

	if (!same || !a->end_ns || !b->end_ns) {
		add_by_date(c, end_of(a), b->time_ns, !same);
		return;
	}
	if (b->begin_ns > a->end_ns && b->begin_ns - a->end_ns >= LEAST_GAP_NS)
		add(c, end_of(a), b->time_ns, b->begin_ns - a->end_ns, false);
}

void coverage__find(struct coverage *c, const struct window_span *spans, size_t n,
		    const struct time_range *range)
{
	int64_t longest = 0;

	if (!n)
		return;
	if (range->since_ns > INT64_MIN)
		add_by_date(c, range->since_ns, spans[0].time_ns, false);
	for (size_t i = 0; i < n; i++) {
		if (i)
			look_between(c, &spans[i - 1], &spans[i]);
		if (spans[i].duration_ns > longest)
			longest = spans[i].duration_ns;
	}
	if (range->until_ns < INT64_MAX && range->until_ns > end_of(&spans[n - 1]) &&
	    range->until_ns - end_of(&spans[n - 1]) > longest + SECOND_NS)
		add_by_date(c, end_of(&spans[n - 1]), range->until_ns, false);
}

void coverage__done(struct coverage *c)
{
	free(c->gaps);
	*c = (struct coverage){0};
}
