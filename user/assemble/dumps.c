// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "assemble/dumps.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static size_t dump_size(const struct dump *s)
{
	return offsetof(struct dump, rec) + s->rec.rec.size;
}

void dumps__add(struct dumps *dumps, const struct pmb_stack_dump *rec)
{
	size_t size = offsetof(struct dump, rec) + rec->rec.size;
	struct dump *s;

	dumps->hurry = true;
	if (dumps->limit && dumps->bytes + size > dumps->limit) {
		dumps->refused++;
		return;
	}
	s = xcalloc(1, size);
	s->id = rec->id;
	memcpy(&s->rec, rec, rec->rec.size);
	dumps->bytes += size;
	HASH_ADD(hh, dumps->by_id, id, sizeof(s->id), s);
}

struct dump *dumps__take(struct dumps *dumps, uint64_t id)
{
	struct dump *s;

	HASH_FIND(hh, dumps->by_id, &id, sizeof(id), s);
	if (s)
		HASH_DEL(dumps->by_id, s);
	return s;
}

void dumps__free(struct dumps *dumps, struct dump *dump)
{
	dumps->bytes -= dump_size(dump);
	free(dump);
}

void dumps__sweep(struct dumps *dumps, uint64_t before)
{
	struct dump *s, *next;

	HASH_ITER(hh, dumps->by_id, s, next) {
		if (s->rec.rec.time >= before)
			continue;
		HASH_DEL(dumps->by_id, s);
		dumps__free(dumps, s);
	}
}

void dumps__done(struct dumps *dumps)
{
	dumps__sweep(dumps, UINT64_MAX);
}
