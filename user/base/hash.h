/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hashing of fixed-size keys for tables that live in memory only. uthash.h settings live here
 * too. */
#ifndef PMUBPF_BASE_HASH_H
#define PMUBPF_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"

/* Eight bytes at a time; keys are padded structs or word arrays without holes. */
static inline uint64_t hash_bytes(const void *data, size_t size)
{
	const uint8_t *p = data;
	uint64_t h = size, word;

	for (; size >= 8; size -= 8, p += 8) {
		memcpy(&word, p, 8);
		h = (h ^ word) * 0x9e3779b97f4a7c15ULL;
		h ^= h >> 32;
	}
	for (word = 0; size; size--)
		word = word << 8 | *p++;
	h = (h ^ word) * 0x9e3779b97f4a7c15ULL;
	return h ^ (h >> 32);
}

/* uthash's default hash reads a byte at a time; ours is four times faster on our keys. */
#define HASH_FUNCTION(keyptr, keylen, hashv) ((hashv) = (unsigned)hash_bytes(keyptr, keylen))
#define uthash_malloc(size) xcalloc(1, size)
#define uthash_fatal(msg) abort()
#include <uthash.h>

#endif
