// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/proto.h"

bool proto__next(struct cursor *c, struct proto_field *ret)
{
	uint64_t tag = cursor__uleb(c), size;

	*ret = (struct proto_field){.number = tag >> 3, .wire = tag & 7};
	switch (ret->wire) {
	case PROTO_VARINT:
		ret->value = cursor__uleb(c);
		break;
	case PROTO_FIXED64:
		cursor__skip(c, 8);
		break;
	case PROTO_BYTES:
		size = cursor__uleb(c);
		if (size > cursor__left(c))
			return false;
		ret->len = (size_t)size;
		ret->bytes = cursor__bytes(c, ret->len);
		break;
	case PROTO_FIXED32:
		cursor__skip(c, 4);
		break;
	default:
		return false;
	}
	return cursor__ok(c);
}

void proto__put_varint(struct buf *out, uint64_t value)
{
	for (; value > 127; value >>= 7)
		buf__putc(out, (char)(value | 128));
	buf__putc(out, (char)value);
}

static void put_tag(struct buf *out, unsigned field, enum proto_wire wire)
{
	proto__put_varint(out, (uint64_t)field << 3 | wire);
}

void proto__put_number(struct buf *out, unsigned field, uint64_t value)
{
	if (!value)
		return;
	put_tag(out, field, PROTO_VARINT);
	proto__put_varint(out, value);
}

void proto__put_fixed64(struct buf *out, unsigned field, uint64_t value)
{
	if (!value)
		return;
	put_tag(out, field, PROTO_FIXED64);
	for (unsigned i = 0; i < 8; i++)
		buf__putc(out, (char)(value >> 8 * i));
}

void proto__put_bytes(struct buf *out, unsigned field, const void *data, size_t len)
{
	put_tag(out, field, PROTO_BYTES);
	proto__put_varint(out, len);
	if (len)
		buf__add(out, data, len);
}
