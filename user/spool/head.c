// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "spool/head.h"

#include <string.h>
#include <zlib.h>

#include "base/cursor.h"

enum {
	ROOM = 64 * 1024,
	F_TIME = 9, /* of profile.proto */
	F_DURATION = 10,
	WIRE_VARINT = 0,
	WIRE_FIXED64 = 1,
	WIRE_BYTES = 2,
	WIRE_FIXED32 = 5,
};

/* As much of it as there is. */
static size_t inflate_some(const void *gzip, size_t len, uint8_t *to, size_t room)
{
	z_stream zip = {.next_in = (uint8_t *)gzip, .avail_in = (uInt)len};

	if (inflateInit2(&zip, 15 + 16) != Z_OK)
		return 0;
	zip.next_out = to;
	zip.avail_out = (uInt)room;
	inflate(&zip, Z_SYNC_FLUSH);
	inflateEnd(&zip);
	return room - zip.avail_out;
}

static void skip(struct cursor *c, unsigned wire)
{
	switch (wire) {
	case WIRE_VARINT:
		cursor__uleb(c);
		break;
	case WIRE_FIXED64:
		cursor__skip(c, 8);
		break;
	case WIRE_FIXED32:
		cursor__skip(c, 4);
		break;
	case WIRE_BYTES:
		cursor__skip(c, cursor__uleb(c));
		break;
	default:
		c->bad = true;
	}
}

bool window_head(const void *gzip, size_t len, int64_t *ret_time_ns, int64_t *ret_duration_ns)
{
	uint8_t text[ROOM];
	struct cursor c = cursor__over(text, inflate_some(gzip, len, text, sizeof(text)));
	bool time = false, duration = false;

	while (cursor__left(&c) && !(time && duration)) {
		uint64_t tag = cursor__uleb(&c), number;

		if ((tag >> 3) != F_TIME && (tag >> 3) != F_DURATION) {
			skip(&c, tag & 7);
			continue;
		}
		if ((tag & 7) != WIRE_VARINT)
			return false;
		number = cursor__uleb(&c);
		if (!cursor__ok(&c) || number > INT64_MAX)
			return false;
		if ((tag >> 3) == F_TIME)
			*ret_time_ns = (int64_t)number;
		else
			*ret_duration_ns = (int64_t)number;
		time |= (tag >> 3) == F_TIME;
		duration |= (tag >> 3) == F_DURATION;
	}
	return time && duration;
}
