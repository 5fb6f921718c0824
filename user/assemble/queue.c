// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "assemble/queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Of a life record that maps nothing only what comes before its mapping: forks are many. */
enum { LIFE_HEAD = offsetof(struct life, start) };
/* Blocks that have room for more than so many times what was in them, and a few, are too large. */
enum { LARGE_FOR = 4, FEW = 1024, FEW_BYTES = 65536 };

/* A life record with its path behind it; a sample is the record as it came, whatever parts it
 * has. */
struct queued_life {
	struct life life;
	char path[];
};

static void *queue__push(struct queue *q, enum queued_kind kind, uint64_t time, size_t size)
{
	size_t padded = (size + 7) & ~(size_t)7;

	if (q->n_bytes + padded > q->cap_bytes) {
		q->cap_bytes = 2 * q->cap_bytes + padded + FEW_BYTES;
		q->bytes = xrealloc(q->bytes, q->cap_bytes, 1);
	}
	GROW(q->items, q->n, q->cap);
	q->items[q->n++] = (struct queued){time, q->arrivals++, q->n_bytes, kind};
	q->n_bytes += padded;
	return q->bytes + q->n_bytes - padded;
}

/* path: NULL is "". */
static size_t life_size(const struct life *life, const char *path)
{
	if (life->kind != LIFE_MMAP)
		return LIFE_HEAD;
	return sizeof(struct queued_life) + (path ? strlen(path) : 0) + 1;
}

size_t queue_life_bytes(const struct life *life)
{
	return sizeof(struct queued) + life_size(life, life->path);
}

void queue__life(struct queue *q, const struct life *life)
{
	size_t size = life_size(life, life->path);
	struct queued_life *copy = queue__push(q, QUEUED_LIFE, life->time, size);

	if (life->kind != LIFE_MMAP) {
		memcpy(copy, life, LIFE_HEAD);
		return;
	}
	copy->life = *life;
	memcpy(copy->path, life->path ? life->path : "", size - sizeof(*copy));
}

void queue__sample(struct queue *q, const struct pmb_sample *sample)
{
	memcpy(queue__push(q, QUEUED_SAMPLE, sample->rec.time, sample->rec.size), sample,
	       sample->rec.size);
}

void queue__window(struct queue *q, const struct pmb_window_end *end)
{
	struct pmb_window_end *copy = queue__push(q, QUEUED_WINDOW, end->rec.time, sizeof(*copy));

	*copy = *end;
	copy->rec.size = sizeof(*copy);
}

void queue__block(struct queue *q, const struct pmb_block *block)
{
	struct pmb_block *copy =
		queue__push(q, QUEUED_BLOCK, block->sample.rec.time, sizeof(*copy));

	*copy = *block;
	copy->sample.rec.size = sizeof(*copy);
}

void queue__freed(struct queue *q, const struct pmb_freed *freed)
{
	struct pmb_freed *copy = queue__push(q, QUEUED_FREED, freed->rec.time, sizeof(*copy));

	*copy = *freed;
	copy->rec.size = sizeof(*copy);
}

static int compare(const void *a, const void *b)
{
	const struct queued *x = a, *y = b;
	int by_time = CMP3(x->time, y->time);

	return by_time ? by_time : CMP3(x->order, y->order);
}

static size_t item_size(const struct queue *q, const struct queued *item)
{
	const void *at = q->bytes + item->at;
	const struct queued_life *life = at;

	if (item->kind != QUEUED_LIFE)
		return ((const struct pmb_rec *)at)->size;
	return life_size(&life->life, life->path);
}

static void hand_out(const struct queue *q, const struct queued *item, const struct queue_fns *fns)
{
	void *at = q->bytes + item->at;

	if (item->kind == QUEUED_LIFE) {
		const struct queued_life *queued = at;
		bool maps = queued->life.kind == LIFE_MMAP;
		struct life life = {.path = ""};

		memcpy(&life, &queued->life, maps ? sizeof(life) : LIFE_HEAD);
		if (maps)
			life.path = queued->path;
		fns->life(fns->ctx, &life);
	} else if (item->kind == QUEUED_WINDOW) {
		fns->window(fns->ctx, at);
	} else if (item->kind == QUEUED_BLOCK) {
		fns->block(fns->ctx, at);
	} else if (item->kind == QUEUED_FREED) {
		fns->freed(fns->ctx, at);
	} else {
		struct decoded rec;

		/* it was understood when it came */
		if (record_decode(at, item_size(q, item), SIZE_MAX, &rec) < 0)
			fns->sample(fns->ctx, &rec);
	}
}

/* What isn't handed out yet goes back. */
static void queue__put_back(struct queue *q, const struct queue *from, size_t first)
{
	for (size_t i = first; i < from->n; i++) {
		const struct queued *item = &from->items[i];
		size_t size = item_size(from, item);
		void *to = queue__push(q, item->kind, item->time, size);

		memcpy(to, from->bytes + item->at, size);
		q->items[q->n - 1].order = item->order;
	}
}

/* For what comes meanwhile. */
static void queue__take_spare(struct queue *q)
{
	*q = (struct queue){
		.arrivals = q->arrivals,
		.items = q->spare_items,
		.cap = q->cap_spare,
		.bytes = q->spare_bytes,
		.cap_bytes = q->cap_spare_bytes,
	};
}

/* Those of a burst, or of a round that came late, are given back. */
static void queue__keep_spare(struct queue *q, const struct queue *used)
{
	if (used->cap <= LARGE_FOR * used->n + FEW) {
		q->spare_items = used->items;
		q->cap_spare = used->cap;
	} else {
		free(used->items);
	}
	if (used->cap_bytes <= LARGE_FOR * used->n_bytes + FEW_BYTES) {
		q->spare_bytes = used->bytes;
		q->cap_spare_bytes = used->cap_bytes;
	} else {
		free(used->bytes);
	}
}

void queue__release(struct queue *q, uint64_t horizon, const struct queue_fns *fns)
{
	struct queue due = *q;
	size_t i;

	if (!q->n)
		return;
	queue__take_spare(q);
	qsort(due.items, due.n, sizeof(*due.items), compare);
	for (i = 0; i < due.n && due.items[i].time <= horizon; i++)
		hand_out(&due, &due.items[i], fns);
	queue__put_back(q, &due, i);
	queue__keep_spare(q, &due);
}

void queue__each_sample(const struct queue *q, void (*fn)(void *ctx, const struct decoded *rec),
			void *ctx)
{
	const struct queue_fns only_samples = {.sample = fn, .ctx = ctx};

	for (size_t i = 0; i < q->n; i++) {
		if (q->items[i].kind == QUEUED_SAMPLE)
			hand_out(q, &q->items[i], &only_samples);
	}
}

void queue__done(struct queue *q)
{
	free(q->items);
	free(q->bytes);
	free(q->spare_items);
	free(q->spare_bytes);
	*q = (struct queue){0};
}
