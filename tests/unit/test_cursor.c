// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <string.h>

#include "base/cursor.h"

Test(cursor, reads_numbers_in_order)
{
	const struct __attribute__((packed)) {
		uint8_t a;
		uint16_t b;
		uint32_t c;
		uint64_t d;
	} bytes = {1, 2, 3, 4};
	struct cursor c = cursor__over(&bytes, sizeof(bytes));

	cr_assert_eq(cursor__u8(&c), 1);
	cr_assert_eq(cursor__u16(&c), 2);
	cr_assert_eq(cursor__u32(&c), 3);
	cr_assert(!cursor__done(&c));
	cr_assert_eq(cursor__u64(&c), 4);
	cr_assert(cursor__done(&c));
}

Test(cursor, never_passes_its_end)
{
	const uint8_t bytes[3] = {0xff, 0xff, 0xff};
	struct cursor c = cursor__over(bytes, sizeof(bytes));

	cr_assert_eq(cursor__u32(&c), 0);
	cr_assert(!cursor__ok(&c));
	cr_assert_eq(cursor__u8(&c), 0, "once bad, a cursor stays bad");
	cr_assert_eq(cursor__left(&c), 0);
	cr_assert_null(cursor__bytes(&c, 0));
	cr_assert(!cursor__done(&c));
}

Test(cursor, a_length_near_the_top_of_the_address_space_does_not_wrap)
{
	struct cursor c = cursor__over("abc", 3);

	cr_assert(!cursor__skip(&c, SIZE_MAX));
	cr_assert(!cursor__ok(&c));
}

Test(cursor, strings_need_their_nul)
{
	struct cursor c = cursor__over("one\0two", 7);
	const char *one = cursor__string(&c);

	cr_assert_str_eq(one, "one");
	cr_assert_null(cursor__string(&c));
	cr_assert(!cursor__ok(&c));
}

Test(cursor, nothing_is_empty)
{
	struct cursor c = cursor__over(NULL, 0);

	cr_assert(cursor__done(&c));
	cr_assert_not_null(cursor__bytes(&c, 0));
	cr_assert_eq(cursor__u8(&c), 0);
	cr_assert(!cursor__ok(&c));
}

static uint64_t uleb(const char *bytes, size_t len, bool *ok)
{
	struct cursor c = cursor__over(bytes, len);
	uint64_t value = cursor__uleb(&c);

	*ok = cursor__done(&c);
	return value;
}

static int64_t sleb(const char *bytes, size_t len, bool *ok)
{
	struct cursor c = cursor__over(bytes, len);
	int64_t value = cursor__sleb(&c);

	*ok = cursor__done(&c);
	return value;
}

#define ULEB(text) uleb(text, sizeof(text) - 1, &ok)
#define SLEB(text) sleb(text, sizeof(text) - 1, &ok)

Test(cursor, leb128)
{
	bool ok;

	cr_expect(ULEB("\x7f") == 127 && ok);
	cr_expect(ULEB("\xe5\x8e\x26") == 624485 && ok);
	cr_expect(ULEB("\x81\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00") == 1 && ok,
		  "padded");
	cr_expect(ULEB("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01") == UINT64_MAX && ok);
	cr_expect(SLEB("\x7f") == -1 && ok);
	cr_expect(SLEB("\x78") == -8 && ok);
	cr_expect(SLEB("\x3f") == 63 && ok);
	cr_expect(SLEB("\xc0\xbb\x78") == -123456 && ok);
	cr_expect(SLEB("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f") == INT64_MIN && ok);
	cr_expect(SLEB("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00") == INT64_MAX && ok);
	cr_expect(SLEB("\xf8\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f") == -8 && ok, "padded");
}

Test(cursor, leb128_that_is_none)
{
	bool ok;

	cr_expect(ULEB("") == 0 && !ok);
	cr_expect(ULEB("\x80\x80") == 0 && !ok);
	cr_expect(ULEB("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02") == 0 && !ok);
	cr_expect(ULEB("\x81\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01") == 0 && !ok);
	cr_expect(SLEB("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01") == 0 && !ok);
	cr_expect(SLEB("\xff") == 0 && !ok);
}
