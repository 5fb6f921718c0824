// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "spool/head.h"

#include <string.h>
#include <zlib.h>

#include "base/proto.h"

enum {
	ROOM = 64 * 1024,
	F_TIME = 9, /* of profile.proto */
	F_DURATION = 10,
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

bool window_head(const void *gzip, size_t len, int64_t *ret_time_ns, int64_t *ret_duration_ns)
{
	uint8_t text[ROOM];
	struct cursor c = cursor__over(text, inflate_some(gzip, len, text, sizeof(text)));
	bool time = false, duration = false;

	while (cursor__left(&c) && !(time && duration)) {
		struct proto_field field;

		if (!proto__next(&c, &field))
			return false;
		if (field.number != F_TIME && field.number != F_DURATION)
			continue;
		if (field.wire != PROTO_VARINT || field.value > INT64_MAX)
			return false;
		if (field.number == F_TIME)
			*ret_time_ns = (int64_t)field.value;
		else
			*ret_duration_ns = (int64_t)field.value;
		time |= field.number == F_TIME;
		duration |= field.number == F_DURATION;
	}
	return time && duration;
}
