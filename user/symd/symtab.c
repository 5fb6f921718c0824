// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing here is overlap. The ranges are sorted by start and swept once; a heap holds those
 * that cover the sweep's position, best first, and each stretch between two events goes to the best
 * one. Ranges that have ended leave the heap when they reach its top. O(n log n), at most two
 * segments for each symbol, whatever the input.
 */
#include "symd/symtab.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"

bool symtab__add(struct symtab *t, const struct symbol *s)
{
	if (t->n_symbols >= SYMTAB_MAX)
		return false;
	if (s->start >= s->end || !s->len)
		return true;
	GROW(t->symbols, t->n_symbols, t->cap_symbols);
	t->symbols[t->n_symbols++] = *s;
	return true;
}

static int by_name(const struct symbol *a, const struct symbol *b)
{
	if (a->len != b->len)
		return CMP3(a->len, b->len);
	return a->name == b->name ? 0 : memcmp(a->name, b->name, a->len);
}

/* Negative: a is the better answer. */
static int by_merit(const struct symbol *a, const struct symbol *b)
{
	if (a->prio != b->prio)
		return CMP3(b->prio, a->prio);
	if (a->start != b->start)
		return CMP3(b->start, a->start);
	return by_name(a, b);
}

static int by_start(const void *pa, const void *pb)
{
	const struct symbol *a = pa, *b = pb;

	if (a->start != b->start)
		return CMP3(a->start, b->start);
	/* Most files have no two symbols that differ in nothing but this, so it's cheap. */
	return by_merit(a, b);
}

struct heap {
	const struct symbol **items;
	size_t n;
};

static void heap__push(struct heap *h, const struct symbol *s)
{
	size_t i = h->n++;

	while (i && by_merit(s, h->items[(i - 1) / 2]) < 0) {
		h->items[i] = h->items[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	h->items[i] = s;
}

static void heap__pop(struct heap *h)
{
	const struct symbol *last = h->items[--h->n];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < h->n) {
		if (child + 1 < h->n && by_merit(h->items[child + 1], h->items[child]) < 0)
			child++;
		if (by_merit(last, h->items[child]) <= 0)
			break;
		h->items[i] = h->items[child];
		i = child;
	}
	h->items[i] = last;
}

static void emit(struct symtab *t, uint64_t start, uint64_t end, const struct symbol *s)
{
	struct segment *last = t->n_segments ? &t->segments[t->n_segments - 1] : NULL;

	if (last && last->end == start && last->name == s->name) {
		last->end = end;
		return;
	}
	GROW(t->segments, t->n_segments, t->cap_segments);
	t->segments[t->n_segments++] = (struct segment){
		.start = start,
		.end = end,
		.name = s->name,
		.len = s->len,
	};
}

static void sweep(struct symtab *t)
{
	struct heap h = {.items = xcalloc(t->n_symbols, sizeof(*h.items))};
	uint64_t pos = 0, end;
	size_t i = 0;

	while (i < t->n_symbols || h.n) {
		if (!h.n && t->symbols[i].start > pos)
			pos = t->symbols[i].start;
		for (; i < t->n_symbols && t->symbols[i].start <= pos; i++) {
			if (t->symbols[i].end > pos)
				heap__push(&h, &t->symbols[i]);
		}
		while (h.n && h.items[0]->end <= pos)
			heap__pop(&h);
		if (!h.n)
			continue;
		end = h.items[0]->end;
		if (i < t->n_symbols && t->symbols[i].start < end)
			end = t->symbols[i].start;
		emit(t, pos, end, h.items[0]);
		pos = end;
	}
	free(h.items);
}

void symtab__finish(struct symtab *t)
{
	if (t->n_symbols) {
		qsort(t->symbols, t->n_symbols, sizeof(*t->symbols), by_start);
		sweep(t);
	}
	free(t->symbols);
	t->symbols = NULL;
	t->n_symbols = t->cap_symbols = 0;
}

const struct segment *symtab__find(const struct symtab *t, uint64_t addr)
{
	size_t at = FIRST_INDEX(i, t->n_segments, t->segments[i].end > addr);

	return at < t->n_segments && t->segments[at].start <= addr ? &t->segments[at] : NULL;
}

void symtab__done(struct symtab *t)
{
	free(t->symbols);
	free(t->segments);
	*t = (struct symtab){0};
}
