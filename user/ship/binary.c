// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ship/binary.h"

#include <endian.h>
#include <string.h>

void binary__u16(struct buf *b, uint16_t value)
{
	value = htole16(value);
	buf__add(b, &value, sizeof(value));
}

void binary__u32(struct buf *b, uint32_t value)
{
	value = htole32(value);
	buf__add(b, &value, sizeof(value));
}

void binary__u64(struct buf *b, uint64_t value)
{
	value = htole64(value);
	buf__add(b, &value, sizeof(value));
}

void binary__f64(struct buf *b, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	binary__u64(b, bits);
}

void binary__length(struct buf *b, uint64_t value)
{
	do {
		uint8_t byte = value & 0x7f;

		value >>= 7;
		buf__putc(b, (char)(byte | (value ? 0x80 : 0)));
	} while (value);
}

void binary__bytes(struct buf *b, const void *data, size_t len)
{
	binary__length(b, len);
	buf__add(b, data, len);
}

void binary__string(struct buf *b, const char *text)
{
	binary__bytes(b, text, strlen(text));
}

const char *binary__take(struct cursor *c, size_t *ret_len)
{
	uint64_t len = cursor__uleb(c);
	const char *text;

	*ret_len = 0;
	if (len > cursor__left(c)) {
		c->bad = true;
		return NULL;
	}
	text = cursor__bytes(c, (size_t)len);
	if (text)
		*ret_len = (size_t)len;
	return text;
}

uint64_t binary_hash__add(uint64_t hash, const void *data, size_t len)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3ULL;
	return hash;
}

uint64_t binary_hash__end(uint64_t hash)
{
	hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdULL;
	hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53ULL;
	hash ^= hash >> 33;
	return hash ? hash : 1;
}
