// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is whose names get the room. What one file or program may fill is a share of it;
 * beyond that its names become short ones, so that what comes later (files are asked about heaviest
 * first) finds room, too.
 */
#include "sym/texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

enum { CHUNK_BYTES = 64 * 1024 };

struct text {
	uint32_t hash, len;
	char bytes[];
};

struct texts {
	size_t limit, group;
	struct text **slots;
	size_t n, n_slots;
	char **chunks;
	size_t n_chunks, cap_chunks, used; /* used: of the last chunk */
	struct texts_totals totals;
};

struct texts *texts__new(size_t limit_bytes)
{
	struct texts *t = xcalloc(1, sizeof(*t));

	t->limit = limit_bytes;
	return t;
}

struct texts *texts__free(struct texts *t)
{
	if (!t)
		return NULL;
	for (size_t i = 0; i < t->n_chunks; i++)
		free(t->chunks[i]);
	free(t->chunks);
	free(t->slots);
	free(t);
	return NULL;
}

static struct text *allocate(struct texts *t, size_t len)
{
	size_t size = (sizeof(struct text) + len + 1 + 7) & ~(size_t)7;
	struct text *text;

	if (!t->n_chunks || t->used + size > CHUNK_BYTES) {
		GROW(t->chunks, t->n_chunks, t->cap_chunks);
		t->chunks[t->n_chunks++] = xcalloc(1, CHUNK_BYTES);
		t->used = 0;
	}
	text = (struct text *)(t->chunks[t->n_chunks - 1] + t->used);
	t->used += size;
	texts__charge(t, size + 2 * sizeof(*t->slots));
	return text;
}

static struct text **slot_of(struct texts *t, uint32_t hash, const char *bytes, size_t len)
{
	size_t slot = hash & (t->n_slots - 1);

	while (t->slots[slot] && (t->slots[slot]->hash != hash || t->slots[slot]->len != len ||
				  memcmp(t->slots[slot]->bytes, bytes, len) != 0))
		slot = (slot + 1) & (t->n_slots - 1);
	return &t->slots[slot];
}

static void grow(struct texts *t)
{
	struct text **old = t->slots;
	size_t n = t->n_slots;

	t->n_slots = n ? 2 * n : 1024;
	t->slots = xcalloc(t->n_slots, sizeof(struct text *));
	for (size_t i = 0; i < n; i++) {
		if (old[i])
			*slot_of(t, old[i]->hash, old[i]->bytes, old[i]->len) = old[i];
	}
	free(old);
}

/* Two that begin alike stay two; a character of several bytes stays whole, or goes. */
static size_t cut(char *ret, const char *text, size_t len, size_t max)
{
	char mark[32];
	size_t n_mark = (size_t)snprintf(mark, sizeof(mark), "[cut:%016llx]",
					 (unsigned long long)hash_bytes(text, len));
	size_t n = max - n_mark;

	while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
		n--;
	memcpy(ret, text, n);
	memcpy(ret + n, mark, n_mark);
	return n + n_mark;
}

static const char *add(struct texts *t, const char *text, size_t len)
{
	uint32_t hash = (uint32_t)hash_bytes(text, len);
	struct text **slot;

	if (2 * (t->n + 1) > t->n_slots)
		grow(t);
	slot = slot_of(t, hash, text, len);
	if (!*slot) {
		*slot = allocate(t, len);
		**slot = (struct text){hash, (uint32_t)len};
		memcpy((*slot)->bytes, text, len);
		t->n++;
	}
	return (*slot)->bytes;
}

const char *texts__add(struct texts *t, const char *text, size_t len)
{
	size_t max = t->limit && t->group >= t->limit / TEXTS_GROUPS_FULL ? TEXT_SHORT : TEXT_MAX;
	char shorter[TEXT_MAX];

	if (len > max) {
		len = cut(shorter, text, len, max);
		text = shorter;
		t->totals.cut++;
	}
	return add(t, text, len);
}

const char *texts__add_whole(struct texts *t, const char *text, size_t len)
{
	bool room = !t->limit || (t->group + len <= t->limit / TEXTS_GROUPS_FULL &&
				  t->totals.bytes + len <= t->limit);

	return room && len < CHUNK_BYTES / 2 ? add(t, text, len) : NULL;
}

bool texts__has_room(struct texts *t)
{
	bool room = !t->limit || t->totals.bytes < t->limit;

	t->totals.refused += !room;
	return room;
}

void texts__charge(struct texts *t, size_t bytes)
{
	t->totals.bytes += bytes;
	t->group += bytes;
}

void texts__next_group(struct texts *t)
{
	t->group = 0;
}

struct texts_totals texts__totals(const struct texts *t)
{
	return t->totals;
}
