// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/room.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"

static int compare(const void *a, const void *b, void *ctx)
{
	const struct room_item *items = ctx;
	size_t i = *(const size_t *)a, k = *(const size_t *)b;

	if (items[i].weight != items[k].weight)
		return CMP3(items[k].weight, items[i].weight);
	return CMP3(i, k);
}

size_t *room__order(const struct room_item *items, size_t n)
{
	size_t *order = xcalloc(n, sizeof(*order));

	for (size_t i = 0; i < n; i++)
		order[i] = i;
	if (n)
		qsort_r(order, n, sizeof(*order), compare, (void *)items);
	return order;
}

void room_cut__add(struct room_cut *cut, const struct room_item *item)
{
	if (!cut)
		return;
	cut->lines++;
	cut->weight += item->weight;
}

bool room__share(const struct room_item *items, size_t n, uint64_t max_bytes, bool *give_up,
		 struct room_cut *cut)
{
	_cleanup_free_ size_t *order = NULL;
	uint64_t bytes = 0;
	bool any = false;

	for (size_t i = 0; i < n; i++)
		bytes += items[i].bytes;
	if (!max_bytes || bytes <= max_bytes)
		return false;
	order = room__order(items, n);
	bytes = 0;
	for (size_t i = 0; i < n; i++) {
		const struct room_item *item = &items[order[i]];

		if (bytes + item->bytes <= max_bytes) {
			bytes += item->bytes;
			continue;
		}
		give_up[order[i]] = true;
		any = true;
		room_cut__add(cut, item);
	}
	return any;
}
