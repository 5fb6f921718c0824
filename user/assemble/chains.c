// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "assemble/chains.h"

#include <stdlib.h>

#include "base/hash.h"

struct chain {
	uint64_t id;
	UT_hash_handle hh;
	uint32_t n;
	bool placed;          /* its frames have positions, */
	bool frames_of_stack; /* which are those of the native stack (pmubpf/v8.h) */
	uint64_t frames[];
};

struct chain_object {
	uint64_t id;
	uint32_t number;
	UT_hash_handle hh;
};

/* Texts and table. */
static size_t object_bytes(const struct pmb_object *rec)
{
	size_t n = rec->name.n_bytes + rec->file.n_bytes;
	const struct pmb_py_table *table = PMB_PY_TABLE(rec);

	return rec->rec.parts ? PMB_PY_TABLE_AT(rec) + sizeof(*table) + table->n_bytes : n;
}

void chains__object(struct chains *c, const struct pmb_object *rec)
{
	const char *from = (const char *)&rec->line;
	size_t size = (size_t)((const char *)rec->bytes - from) + object_bytes(rec);
	struct chain_object *o;
	uint64_t id = rec->id;

	HASH_FIND(hh, c->objects_by_id, &id, sizeof(id), o);
	if (o || !c->objects)
		return; /* the kernel side had forgotten that it sent it */
	o = xcalloc(1, sizeof(*o));
	o->id = id;
	o->number = objects__add(c->objects, from, size);
	c->bytes += sizeof(*o);
	HASH_ADD(hh, c->objects_by_id, id, sizeof(o->id), o);
}

void chains__add(struct chains *c, const struct pmb_stack *rec)
{
	size_t size = sizeof(struct chain) + rec->n * sizeof(rec->frames[0]);
	struct chain *chain;
	uint64_t id = rec->id;

	HASH_FIND(hh, c->by_id, &id, sizeof(id), chain);
	if (chain || !id)
		return;
	chain = xcalloc(1, size);
	chain->id = id;
	chain->n = rec->n;
	chain->frames_of_stack = rec->rec.type == PMB_REC_FRAMES_CHAIN;
	chain->placed = rec->rec.type == PMB_REC_PLACED_CHAIN || chain->frames_of_stack;
	memcpy(chain->frames, rec->frames, rec->n * sizeof(rec->frames[0]));
	c->bytes += size;
	HASH_ADD(hh, c->by_id, id, sizeof(chain->id), chain);
}

/* Where nothing is known of an object, positions are of no use. */
static uint64_t place_of(const struct chains *c, const struct chain *chain, uint64_t word)
{
	uint64_t id = word & ~(PMB_PY_LAST | (chain->placed ? PMB_PY_POSITIONS : 0));
	uint32_t position = (uint32_t)PMB_PY_POSITION(word);
	struct chain_object *o;

	HASH_FIND(hh, c->objects_by_id, &id, sizeof(id), o);
	if (!o && chain->frames_of_stack) {
		id ^= PMB_V8_NO_LINES;
		HASH_FIND(hh, c->objects_by_id, &id, sizeof(id), o);
	}
	if (!o)
		return placed_object(OBJECT_UNKNOWN, chain->frames_of_stack ? position : 0);
	return placed_object(o->number, chain->frames_of_stack || (chain->placed &&
								   o->number != OBJECT_NO_ROOM) ?
						position :
						0);
}

size_t chains__find(const struct chains *c, uint64_t id, uint64_t *ret)
{
	struct chain *chain;
	size_t n = 0;

	HASH_FIND(hh, c->by_id, &id, sizeof(id), chain);
	if (chain && chain->frames_of_stack)
		ret[n++] = placed_object(OBJECT_IN_STACK, 0);
	for (uint32_t i = 0; chain && i < chain->n; i++) {
		ret[n++] = place_of(c, chain, chain->frames[i]);
		if (chain->frames[i] & PMB_PY_LAST)
			ret[n++] = placed_object(OBJECT_BOUNDARY, 0);
	}
	return n;
}

bool chains__full(const struct chains *c)
{
	return c->limit && c->bytes > c->limit;
}

static void drop(struct chains *c, void (*forget)(void *ctx, uint64_t id), void *ctx)
{
	struct chain *chain, *next;
	struct chain_object *o, *next_object;

	HASH_ITER(hh, c->by_id, chain, next) {
		if (forget)
			forget(ctx, chain->id);
		HASH_DEL(c->by_id, chain);
		free(chain);
	}
	HASH_ITER(hh, c->objects_by_id, o, next_object) {
		if (forget)
			forget(ctx, o->id);
		HASH_DEL(c->objects_by_id, o);
		free(o);
	}
	c->bytes = 0;
}

void chains__forget(struct chains *c, void (*forget)(void *ctx, uint64_t id), void *ctx)
{
	drop(c, forget, ctx);
}

void chains__done(struct chains *c)
{
	drop(c, NULL, NULL);
}
