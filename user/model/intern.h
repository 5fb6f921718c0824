/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A set of byte strings, each known by a small number: 0 is the empty string, the others count up
 * in the order of their first appearance. Open addressing over 32-bit numbers; the bytes lie end to
 * end in one block, 8-byte aligned.
 */
#ifndef PMUBPF_MODEL_INTERN_H
#define PMUBPF_MODEL_INTERN_H

#include <stddef.h>
#include <stdint.h>

struct intern_entry {
	uint64_t start; /* in bytes */
	uint32_t size;
	uint32_t hash;
};

struct intern {
	uint8_t *bytes;
	size_t n_bytes, cap_bytes;
	struct intern_entry *entries; /* [0] is the empty string */
	size_t n_entries, cap_entries;
	uint32_t *slots; /* 0: free, else an index of entries */
	size_t n_slots;  /* power of two */
};

uint32_t intern__add(struct intern *in, const void *data, size_t size);
/* Room for so many strings more, of so many bytes in all; that they come is not required. */
void intern__reserve(struct intern *in, size_t n, size_t bytes);
/* 0: it is none of the set, or empty. */
uint32_t intern__find(const struct intern *in, const void *data, size_t size);
/* The bytes of a number (borrowed until the next add) and their size. */
const void *intern__get(const struct intern *in, uint32_t number, size_t *ret_size);
size_t intern__count(const struct intern *in); /* numbers in use, 0 included */
size_t intern__bytes(const struct intern *in); /* of memory that is in use, not only reserved */

/*
 * Keeps the strings whose map[number] isn't 0 and gives them new numbers, in the old order, which
 * replace the entries of map (of intern__count elements). `rewrite` may change the bytes of a
 * string that stays, as long as no two become equal; NULL: they stay as they are. Memory is not
 * given back.
 */
void intern__keep(struct intern *in, uint32_t *map,
		  void (*rewrite)(void *ctx, void *data, size_t size), void *ctx);
void intern__done(struct intern *in);

#endif
