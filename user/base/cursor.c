// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/cursor.h"

#include <string.h>

struct cursor cursor__over(const void *data, size_t len)
{
	static const uint8_t nothing;
	const uint8_t *pos = data ? data : &nothing;

	return (struct cursor){.pos = pos, .end = data ? pos + len : pos};
}

size_t cursor__left(const struct cursor *c)
{
	return c->bad ? 0 : (size_t)(c->end - c->pos);
}

bool cursor__ok(const struct cursor *c)
{
	return !c->bad;
}

bool cursor__done(const struct cursor *c)
{
	return !c->bad && c->pos == c->end;
}

const void *cursor__bytes(struct cursor *c, size_t len)
{
	const uint8_t *at = c->pos;

	if (c->bad || len > cursor__left(c)) {
		c->bad = true;
		return NULL;
	}
	c->pos += len;
	return at;
}

bool cursor__skip(struct cursor *c, size_t len)
{
	return cursor__bytes(c, len) != NULL;
}

const char *cursor__string(struct cursor *c)
{
	const uint8_t *nul = c->bad ? NULL : memchr(c->pos, '\0', cursor__left(c));

	if (!nul) {
		c->bad = true;
		return NULL;
	}
	return cursor__bytes(c, (size_t)(nul - c->pos) + 1);
}

#define READ(c, type)                                             \
	({                                                        \
		const void *_at = cursor__bytes(c, sizeof(type)); \
		type _value = 0;                                  \
		if (_at)                                          \
			memcpy(&_value, _at, sizeof(_value));     \
		_value;                                           \
	})

uint8_t cursor__u8(struct cursor *c)
{
	return READ(c, uint8_t);
}

uint16_t cursor__u16(struct cursor *c)
{
	return READ(c, uint16_t);
}

uint32_t cursor__u32(struct cursor *c)
{
	return READ(c, uint32_t);
}

uint64_t cursor__u64(struct cursor *c)
{
	return READ(c, uint64_t);
}

/* The bits of a LEB128 as they stand there, and how many. Those from the 64th on must repeat
 * `sign`: nothing is lost with them. */
static uint64_t read_leb(struct cursor *c, bool is_signed, unsigned *ret_bits)
{
	uint64_t value = 0;
	unsigned bits = 0;
	uint8_t byte, pad;

	do {
		byte = cursor__u8(c);
		pad = is_signed && value >> 63 ? 0x7f : 0;
		if (bits < 63)
			value |= (uint64_t)(byte & 0x7f) << bits;
		else if (bits == 63)
			value |= (uint64_t)(byte & 1) << 63;
		if ((bits > 63 && (byte & 0x7f) != pad) ||
		    (bits == 63 && (byte & 0x7f) != (is_signed && (byte & 1) ? 0x7f : byte & 1)))
			c->bad = true;
		if (bits < 70)
			bits += 7;
	} while ((byte & 0x80) && !c->bad);
	*ret_bits = bits;
	return c->bad ? 0 : value;
}

uint64_t cursor__uleb(struct cursor *c)
{
	unsigned bits;

	return read_leb(c, false, &bits);
}

int64_t cursor__sleb(struct cursor *c)
{
	unsigned bits;
	uint64_t value = read_leb(c, true, &bits);

	if (bits < 64 && (value >> (bits - 1) & 1))
		value |= ~0ULL << bits;
	return (int64_t)value;
}
