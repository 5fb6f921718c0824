/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ClickHouse's RowBinary: numbers in little endian, a string as its length (LEB128) and its bytes,
 * an array as its length and its elements; rows one after the other, without names or types.
 * https://clickhouse.com/docs/interfaces/formats/RowBinary
 */
#ifndef PMUBPF_SHIP_BINARY_H
#define PMUBPF_SHIP_BINARY_H

#include <stdint.h>

#include "base/buf.h"
#include "base/cursor.h"

void binary__u16(struct buf *b, uint16_t value);
void binary__u32(struct buf *b, uint32_t value);
void binary__u64(struct buf *b, uint64_t value);
void binary__f64(struct buf *b, double value);
void binary__length(struct buf *b, uint64_t value); /* of an array, or of a string */
void binary__string(struct buf *b, const char *text);
void binary__bytes(struct buf *b, const void *data, size_t len);

/* A string in place, without a NUL; of an untrusted length. NULL once the cursor is bad. */
const char *binary__take(struct cursor *c, size_t *ret_len);

/*
 * What must be the same on every host and in every version: 64 bits of some bytes, never 0
 * (FNV-1a, and MurmurHash3's finalizer, which spreads them). Begins as BINARY_HASH.
 */
#define BINARY_HASH 0xcbf29ce484222325ULL
uint64_t binary_hash__add(uint64_t hash, const void *data, size_t len);
uint64_t binary_hash__end(uint64_t hash);

#endif
