// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "assemble/slices.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static size_t slice_size(const struct slice *s)
{
	return offsetof(struct slice, rec) + s->rec.rec.size;
}

void slices__add(struct slices *slices, const struct pmb_slice *rec)
{
	size_t size = offsetof(struct slice, rec) + rec->rec.size;
	struct slice *s;

	slices->hurry = true;
	if (slices->limit && slices->bytes + size > slices->limit) {
		slices->refused++;
		return;
	}
	s = xcalloc(1, size);
	s->id = rec->id;
	memcpy(&s->rec, rec, rec->rec.size);
	slices->bytes += size;
	HASH_ADD(hh, slices->by_id, id, sizeof(s->id), s);
}

struct slice *slices__take(struct slices *slices, uint64_t id)
{
	struct slice *s;

	HASH_FIND(hh, slices->by_id, &id, sizeof(id), s);
	if (s)
		HASH_DEL(slices->by_id, s);
	return s;
}

void slices__free(struct slices *slices, struct slice *slice)
{
	slices->bytes -= slice_size(slice);
	free(slice);
}

void slices__sweep(struct slices *slices, uint64_t before)
{
	struct slice *s, *next;

	HASH_ITER(hh, slices->by_id, s, next) {
		if (s->rec.rec.time >= before)
			continue;
		HASH_DEL(slices->by_id, s);
		slices__free(slices, s);
	}
}

void slices__done(struct slices *slices)
{
	slices__sweep(slices, UINT64_MAX);
}
