// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unwind/waiting.h"

#include <linux/types.h>
#include <stdlib.h>

#include "base/mem.h"
#include "pmubpf/unwind.h"

static const uint64_t FIRST_NS = 1000ULL * 1000 * 1000;
enum { DOUBLINGS = 5 };

struct entry {
	struct claim claim;
	uint64_t until_ns;
	uint8_t times;
	bool waits;
};

struct waiting {
	struct entry *of; /* by number */
	uint32_t *list;   /* the numbers of those that wait */
	size_t n, cap;
};

struct waiting *waiting__new(void)
{
	struct waiting *w = xcalloc(1, sizeof(*w));

	w->of = xcalloc(PMB_FILES_MAX, sizeof(*w->of));
	return w;
}

struct waiting *waiting__free(struct waiting *w)
{
	if (!w)
		return NULL;
	free(w->of);
	free(w->list);
	free(w);
	return NULL;
}

void waiting__add(struct waiting *w, const struct claim *claim, uint64_t now_ns)
{
	struct entry *e = &w->of[claim->number];

	if (!e->waits) {
		GROW(w->list, w->n, w->cap);
		w->list[w->n++] = claim->number;
	}
	e->waits = true;
	e->claim = *claim;
	e->until_ns = now_ns + (FIRST_NS << e->times);
	e->times += e->times < DOUBLINGS;
}

const struct claim *waiting__due(const struct waiting *w, const struct shares *shares,
				 uint64_t now_ns)
{
	const struct claim *best = NULL;

	for (size_t i = 0; i < w->n; i++) {
		const struct entry *e = &w->of[w->list[i]];

		if (now_ns >= e->until_ns &&
		    (!best || shares__credit_of(shares, e->claim.number) >
				      shares__credit_of(shares, best->number)))
			best = &e->claim;
	}
	return best;
}

void waiting__end(struct waiting *w, uint32_t number)
{
	if (!w->of[number].waits)
		return;
	w->of[number].waits = false;
	for (size_t i = 0; i < w->n; i++) {
		if (w->list[i] == number)
			w->list[i--] = w->list[--w->n];
	}
}

void waiting__forget(struct waiting *w, uint32_t number)
{
	waiting__end(w, number);
	w->of[number].times = 0;
}

bool waiting__met(const struct waiting *w, uint32_t number)
{
	return w->of[number].times;
}
