/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reading untrusted bytes in order. A cursor never goes past its end: a read that doesn't fit
 * returns zero (or NULL), and the cursor stays bad from then on. So decoders read all their fields
 * first and ask once, with cursor__ok() or, where nothing may follow, cursor__done().
 * Numbers are in host byte order and need no alignment.
 */
#ifndef PMUBPF_BASE_CURSOR_H
#define PMUBPF_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
	const uint8_t *pos;
	const uint8_t *end;
	bool bad;
};

/* data is borrowed for as long as the cursor, and what it returned, is used. */
struct cursor cursor__over(const void *data, size_t len);

uint8_t cursor__u8(struct cursor *c);
uint16_t cursor__u16(struct cursor *c);
uint32_t cursor__u32(struct cursor *c);
uint64_t cursor__u64(struct cursor *c);

/* LEB128, unsigned and signed. Padding is fine; a value that needs more than 64 bits is bad. */
uint64_t cursor__uleb(struct cursor *c);
int64_t cursor__sleb(struct cursor *c);

/* The next len bytes, in place; NULL if there are fewer. */
const void *cursor__bytes(struct cursor *c, size_t len);
bool cursor__skip(struct cursor *c, size_t len);
/* The next NUL-terminated string, in place, its NUL consumed; NULL if there's no NUL. */
const char *cursor__string(struct cursor *c);

size_t cursor__left(const struct cursor *c); /* 0 once bad */
bool cursor__ok(const struct cursor *c);
bool cursor__done(const struct cursor *c); /* ok, and everything was read */

#endif
