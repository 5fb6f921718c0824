// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unwind/parts.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "pmubpf/budgets.h"

enum { BUCKETS = 2 * PARTS_MAX };

struct part {
	uint32_t file; /* 0: free */
	uint32_t index;
};

struct parts {
	struct part of[PARTS_MAX];
	uint16_t buckets[BUCKETS]; /* by file and index: 1 + which part; 0: none */
	size_t n;                  /* in use */
	struct fair_room room;
	parts_who_fn who;
	void *ctx;
	struct {
		uint32_t
			own; /* 1 + the index of the part that has the file's number; 0: none yet */
		uint32_t taken;      /* parts with other numbers */
		struct fair_who who; /* has the room for these */
	} files[PART_FIRST];
};

struct parts *parts__new(parts_who_fn who, void *ctx)
{
	struct parts *p = xcalloc(1, sizeof(*p));

	p->room = (struct fair_room){.limit = PARTS_MAX, .few = BUDGET_PARTS_FEW};
	p->who = who;
	p->ctx = ctx;
	return p;
}

struct parts *parts__free(struct parts *p)
{
	if (p)
		fair_room__clear(&p->room);
	free(p);
	return NULL;
}

static uint16_t *find(struct parts *p, uint32_t file, uint32_t index)
{
	size_t at = (file * 2654435761u ^ index * 40503u) % BUCKETS;

	for (;; at = (at + 1) % BUCKETS) {
		const struct part *part = p->buckets[at] ? &p->of[p->buckets[at] - 1] : NULL;

		if (!part || (part->file == file && part->index == index))
			return &p->buckets[at];
	}
}

static bool has_room(struct parts *p, uint32_t file)
{
	if (p->n == PARTS_MAX || p->files[file].taken >= PARTS_OF_FILE_MAX)
		return false;
	if (!p->files[file].taken && p->who)
		p->files[file].who = p->who(p->ctx, file);
	return !p->who || fair_room__take(&p->room, &p->files[file].who, 1) == FAIR_TAKEN;
}

static uint32_t take(struct parts *p, uint32_t file, uint32_t index, uint16_t *bucket)
{
	size_t i = 0;

	if (!has_room(p, file))
		return FILE_BEYOND;
	while (p->of[i].file)
		i++;
	p->of[i] = (struct part){file, index};
	p->n++;
	p->files[file].taken++;
	*bucket = (uint16_t)(i + 1);
	return PART_FIRST + (uint32_t)i;
}

uint32_t parts__number(struct parts *p, uint32_t file, uint64_t off)
{
	uint64_t index = off >> PART_SHIFT;
	uint16_t *bucket;

	if (!file || file >= PART_FIRST || index >= UINT32_MAX)
		return file ? FILE_BEYOND : 0;
	if (!p->files[file].own)
		p->files[file].own = (uint32_t)index + 1;
	if (p->files[file].own == index + 1)
		return file;
	bucket = find(p, file, (uint32_t)index);
	return *bucket ? PART_FIRST + *bucket - 1u : take(p, file, (uint32_t)index, bucket);
}

uint32_t parts__file(const struct parts *p, uint32_t number, uint64_t *ret_from, uint64_t *ret_to)
{
	struct part part = {0};

	if (number && number < PART_FIRST && p->files[number].own)
		part = (struct part){number, p->files[number].own - 1};
	else if (number >= PART_FIRST && number < FILE_BEYOND)
		part = p->of[number - PART_FIRST];
	*ret_from = (uint64_t)part.index << PART_SHIFT;
	*ret_to = *ret_from + (1ULL << PART_SHIFT);
	return part.file;
}

void parts__forget(struct parts *p, uint32_t file)
{
	if (!file || file >= PART_FIRST)
		return;
	p->files[file].own = 0;
	if (!p->files[file].taken)
		return;
	fair_room__give(&p->room, &p->files[file].who, p->files[file].taken);
	p->files[file].taken = 0;
	for (size_t i = 0; i < BUCKETS; i++)
		p->buckets[i] = 0;
	p->n = 0;
	for (size_t i = 0; i < PARTS_MAX; i++) {
		if (p->of[i].file == file)
			p->of[i] = (struct part){0};
		if (!p->of[i].file)
			continue;
		*find(p, p->of[i].file, p->of[i].index) = (uint16_t)(i + 1);
		p->n++;
	}
}
