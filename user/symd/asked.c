// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: a hostile file in which each of millions of symbols covers all addresses. So a
 * symbol is put down at the few nodes of a tree that stand for what it covers, and comes down to
 * the addresses in the end.
 */
#include "symd/asked.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"

static int by_value(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;

	return CMP3(*a, *b);
}

void asked__init(struct asked *a, const uint64_t *addrs, size_t n)
{
	size_t kept = 0;

	if (n > ASKED_MAX)
		n = ASKED_MAX;
	*a = (struct asked){.addrs = xcalloc(n + 1, sizeof(*a->addrs))};
	memcpy(a->addrs, addrs, n * sizeof(*addrs));
	qsort(a->addrs, n, sizeof(*addrs), by_value);
	for (size_t i = 0; i < n; i++) {
		if (!i || a->addrs[i] != a->addrs[kept - 1])
			a->addrs[kept++] = a->addrs[i];
	}
	a->n = kept;
	a->best = xcalloc(2 * kept + 1, sizeof(*a->best));
}

void asked__done(struct asked *a)
{
	free(a->addrs);
	free(a->best);
	*a = (struct asked){0};
}

size_t asked__from(const struct asked *a, uint64_t addr)
{
	return FIRST_INDEX(i, a->n, a->addrs[i] >= addr);
}

/* Is a better than b? Of two that start at the same place, both names are known. */
static bool is_better(const struct asked *asked, const struct candidate *a,
		      const struct candidate *b)
{
	if (!b->is_set)
		return true;
	if (a->prio != b->prio)
		return a->prio > b->prio;
	if (a->start != b->start)
		return a->start > b->start;
	if (a->rank != b->rank)
		return a->rank > b->rank;
	if (a->len != b->len)
		return a->len < b->len;
	return asked->compare(asked->ctx, a, b) < 0;
}

static bool is_behind(const struct candidate *a, const struct candidate *b)
{
	return b->is_set && (a->prio != b->prio ? a->prio < b->prio : a->start < b->start);
}

/* Names are read only of what wins something by its place. False: it isn't to be offered any
 * further. */
static bool offer_to(struct asked *a, struct candidate *node, struct candidate *c)
{
	if (is_behind(c, node))
		return true;
	if (!c->is_set) {
		c->is_set = a->name(a->ctx, c);
		if (!c->is_set)
			return false;
	}
	if (is_better(a, c, node))
		*node = *c;
	return true;
}

/* As asked__from(); symbols that follow one another are near one another. */
static size_t find_start(struct asked *a, uint64_t addr)
{
	bool above = a->hint < a->n && a->addrs[a->hint] < addr;
	bool below = a->hint && a->addrs[a->hint - 1] >= addr;

	if (above || below)
		a->hint = asked__from(a, addr);
	return a->hint;
}

void asked__offer(struct asked *a, struct candidate c, uint64_t end)
{
	size_t from = find_start(a, c.start), to;
	bool more = true;

	if (from == a->n || a->addrs[from] >= end)
		return;
	to = from + 1 < a->n && a->addrs[from + 1] < end ? asked__from(a, end) : from + 1;
	for (from += a->n, to += a->n; more && from < to; from /= 2, to /= 2) {
		if (from % 2)
			more = offer_to(a, &a->best[from++], &c);
		if (more && to % 2)
			more = offer_to(a, &a->best[--to], &c);
	}
}

void asked__offer_one(struct asked *a, size_t i, struct candidate c)
{
	offer_to(a, &a->best[a->n + i], &c);
}

void asked__settle(struct asked *a)
{
	for (size_t i = 2; i < 2 * a->n; i++) {
		const struct candidate *above = &a->best[i / 2];

		if (above->is_set && is_better(a, above, &a->best[i]))
			a->best[i] = *above;
	}
}

const struct candidate *asked__best(const struct asked *a, size_t i)
{
	return &a->best[a->n + i];
}
