// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <string.h>

#include "base/mem.h"
#include "base/proto.h"

Test(proto, fields_of_each_kind)
{
	static const char message[] = "\x48\x96\x01"                         /* 9: 150 */
				      "\x11\x01\x02\x03\x04\x05\x06\x07\x08" /* 2, 8 bytes */
				      "\x1a\x02hi"                           /* 3, a text */
				      "\x25\x01\x02\x03\x04"                 /* 4, 4 bytes */
				      "\x2a"; /* and one of length 0 */
	struct cursor c = cursor__over(message, sizeof(message));
	struct proto_field f;

	cr_assert(proto__next(&c, &f));
	cr_expect(f.number == 9 && f.wire == PROTO_VARINT && f.value == 150 && !f.bytes);
	cr_assert(proto__next(&c, &f));
	cr_expect(f.number == 2 && f.wire == PROTO_FIXED64 && !f.bytes);
	cr_assert(proto__next(&c, &f));
	cr_expect(f.number == 3 && f.len == 2 && memcmp(f.bytes, "hi", 2) == 0);
	cr_assert(proto__next(&c, &f));
	cr_expect(f.number == 4 && f.wire == PROTO_FIXED32 && !f.bytes);
	cr_assert(proto__next(&c, &f));
	cr_expect(f.number == 5 && f.bytes && f.len == 0);
	cr_expect_not(proto__next(&c, &f));
}

Test(proto, what_is_none)
{
	static const struct {
		const char *bytes;
		size_t len;
	} messages[] = {
		{"\x1a\x03hi", 4},   /* a text that is cut */
		{"\x48\x96", 2},     /* a number */
		{"\x11\x01\x02", 3}, /* 8 bytes */
		{"\x0b", 1},         /* a group */
		{"\x0f\x01", 2},     /* nothing that there is */
		{"\x1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11},
	};

	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		struct cursor c = cursor__over(messages[i].bytes, messages[i].len);
		struct proto_field f;

		cr_expect_not(proto__next(&c, &f), "%zu", i);
	}
}
