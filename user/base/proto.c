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
