// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

static void place(struct intern *in, uint32_t number)
{
	size_t slot = in->entries[number].hash & (in->n_slots - 1);

	while (in->slots[slot])
		slot = (slot + 1) & (in->n_slots - 1);
	in->slots[slot] = number;
}

static void resize_slots(struct intern *in, size_t n)
{
	in->n_slots = n;
	free(in->slots);
	in->slots = xcalloc(in->n_slots, sizeof(*in->slots));
	for (uint32_t i = 1; i < in->n_entries; i++)
		place(in, i);
}

static size_t padded_size(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

static uint32_t append(struct intern *in, const void *data, size_t size, uint32_t hash)
{
	size_t padded = padded_size(size);

	if (in->n_bytes + padded > in->cap_bytes) {
		in->cap_bytes = 2 * in->cap_bytes + padded + 4096;
		in->bytes = xrealloc(in->bytes, in->cap_bytes, 1);
	}
	memcpy(in->bytes + in->n_bytes, data, size);
	GROW(in->entries, in->n_entries, in->cap_entries);
	in->entries[in->n_entries] = (struct intern_entry){in->n_bytes, (uint32_t)size, hash};
	in->n_bytes += padded;
	return (uint32_t)in->n_entries++;
}

static uint32_t find(const struct intern *in, const void *data, size_t size, uint32_t hash)
{
	if (!in->n_slots)
		return 0;
	for (size_t slot = hash & (in->n_slots - 1); in->slots[slot];
	     slot = (slot + 1) & (in->n_slots - 1)) {
		const struct intern_entry *e = &in->entries[in->slots[slot]];

		if (e->hash == hash && e->size == size && !memcmp(in->bytes + e->start, data, size))
			return in->slots[slot];
	}
	return 0;
}

uint32_t intern__find(const struct intern *in, const void *data, size_t size)
{
	return find(in, data, size, (uint32_t)hash_bytes(data, size));
}

uint32_t intern__add(struct intern *in, const void *data, size_t size)
{
	uint32_t hash = (uint32_t)hash_bytes(data, size), number;

	if (!in->n_entries) {
		GROW(in->entries, in->n_entries, in->cap_entries);
		in->entries[in->n_entries++] = (struct intern_entry){0};
	}
	if (!size)
		return 0;
	if (in->n_entries * 2 > in->n_slots)
		resize_slots(in, in->n_slots ? 2 * in->n_slots : 256);
	number = find(in, data, size, hash);
	if (number)
		return number;
	number = append(in, data, size, hash);
	place(in, number);
	return number;
}

void intern__reserve(struct intern *in, size_t n, size_t bytes)
{
	size_t entries = in->n_entries + n + 1, slots = in->n_slots ? in->n_slots : 256;

	bytes += in->n_bytes + 8 * n;
	if (bytes > in->cap_bytes)
		in->bytes = xrealloc(in->bytes, in->cap_bytes = bytes, 1);
	if (entries > in->cap_entries) {
		in->cap_entries = entries;
		in->entries = xrealloc(in->entries, entries, sizeof(*in->entries));
	}
	while (slots < 2 * entries)
		slots *= 2;
	if (slots > in->n_slots)
		resize_slots(in, slots);
}

const void *intern__get(const struct intern *in, uint32_t number, size_t *ret_size)
{
	if (!number || number >= in->n_entries) { /* bytes of 0 would be those of 1 */
		*ret_size = 0;
		return "";
	}
	*ret_size = in->entries[number].size;
	return in->bytes + in->entries[number].start;
}

size_t intern__count(const struct intern *in)
{
	return in->n_entries ? in->n_entries : 1;
}

size_t intern__bytes(const struct intern *in)
{
	return in->n_bytes + in->n_entries * sizeof(*in->entries) +
	       in->n_slots * sizeof(*in->slots);
}

void intern__keep(struct intern *in, uint32_t *map,
		  void (*rewrite)(void *ctx, void *data, size_t size), void *ctx)
{
	uint32_t n = 1;

	in->n_bytes = 0;
	for (uint32_t i = 1; i < in->n_entries; i++) {
		struct intern_entry e = in->entries[i];

		if (!map[i])
			continue;
		memmove(in->bytes + in->n_bytes, in->bytes + e.start, e.size);
		e.start = in->n_bytes;
		if (rewrite) {
			rewrite(ctx, in->bytes + e.start, e.size);
			e.hash = (uint32_t)hash_bytes(in->bytes + e.start, e.size);
		}
		in->n_bytes += padded_size(e.size);
		in->entries[n] = e;
		map[i] = n++;
	}
	if (in->n_entries)
		in->n_entries = n;
	if (in->n_slots)
		memset(in->slots, 0, in->n_slots * sizeof(*in->slots));
	for (uint32_t i = 1; i < in->n_entries; i++)
		place(in, i);
}

void intern__done(struct intern *in)
{
	free(in->bytes);
	free(in->entries);
	free(in->slots);
	*in = (struct intern){0};
}
