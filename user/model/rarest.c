// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/rarest.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"

/* By event, then the heaviest first. */
static int compare(const void *a, const void *b, void *ctx)
{
	const struct profile_row *rows = ctx;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	if (rows[i].key.event != rows[k].key.event)
		return CMP3(rows[i].key.event, rows[k].key.event);
	if (rows[i].weight != rows[k].weight)
		return CMP3(rows[k].weight, rows[i].weight);
	return CMP3(k, i);
}

/* The rows of one event in the sorted order. */
struct group {
	size_t start, n;
	size_t room;
};

static int compare_sizes(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->n != y->n ? CMP3(x->n, y->n) : CMP3(x->start, y->start);
}

/* The smallest first: what one doesn't need is for the others. */
static void share_out(struct group *groups, size_t n, size_t room)
{
	if (n)
		qsort(groups, n, sizeof(*groups), compare_sizes);
	for (size_t i = 0; i < n; i++) {
		size_t share = room / (n - i);

		groups[i].room = groups[i].n < share ? groups[i].n : share;
		room -= groups[i].room;
	}
}

void rarest(const struct profile_row *rows, const bool *candidate, size_t n, size_t room,
	    bool *give_up)
{
	_cleanup_free_ uint32_t *order = xcalloc(n + 1, sizeof(*order));
	_cleanup_free_ struct group *groups = NULL;
	size_t n_groups = 0, cap_groups = 0, sorted = 0;

	for (size_t i = 0; i < n; i++) {
		if (candidate[i])
			order[sorted++] = (uint32_t)i;
	}
	qsort_r(order, sorted, sizeof(*order), compare, (void *)rows);
	for (size_t i = 0; i < sorted; i++) {
		if (!i || rows[order[i]].key.event != rows[order[i - 1]].key.event) {
			GROW(groups, n_groups, cap_groups);
			groups[n_groups++] = (struct group){.start = i};
		}
		groups[n_groups - 1].n++;
	}
	share_out(groups, n_groups, room);
	for (size_t g = 0; g < n_groups; g++) {
		for (size_t i = groups[g].room; i < groups[g].n; i++)
			give_up[order[groups[g].start + i]] = true;
	}
}
