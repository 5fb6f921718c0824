// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "prof/ids.h"

#include <stdlib.h>

#include "base/mem.h"

void ids__add(struct ids *ids, uint64_t id, uint32_t number)
{
	GROW(ids->entries, ids->n, ids->cap);
	ids->entries[ids->n++] = (struct id_entry){id, number};
}

static int compare(const void *pa, const void *pb)
{
	const struct id_entry *a = pa, *b = pb;

	return CMP3(a->id, b->id);
}

bool ids__settle(struct ids *ids, uint64_t *ret_id)
{
	if (ids->n)
		qsort(ids->entries, ids->n, sizeof(*ids->entries), compare);
	for (size_t i = 1; i < ids->n; i++) {
		if (ids->entries[i].id == ids->entries[i - 1].id) {
			*ret_id = ids->entries[i].id;
			return false;
		}
	}
	return true;
}

bool ids__find(const struct ids *ids, uint64_t id, uint32_t *ret_number)
{
	const struct id_entry key = {.id = id}, *found = NULL;

	if (id && id <= ids->n && ids->entries[id - 1].id == id)
		found = &ids->entries[id - 1];
	else if (ids->n)
		found = bsearch(&key, ids->entries, ids->n, sizeof(key), compare);
	if (!found)
		return false;
	*ret_number = found->number;
	return true;
}

void ids__done(struct ids *ids)
{
	free(ids->entries);
	*ids = (struct ids){0};
}
