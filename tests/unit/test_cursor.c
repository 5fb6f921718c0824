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
