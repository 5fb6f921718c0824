// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

static size_t length(const char *s)
{
	return utf8__length((const uint8_t *)s, UTF8_TO_ITS_NUL);
}

Test(utf8, first_and_last_of_each_length)
{
	static const char *const good[] = {"\x01",
					   "\x7f",
					   "\xc2\x80",
					   "\xdf\xbf",
					   "\xe0\xa0\x80",
					   "\xed\x9f\xbf",
					   "\xee\x80\x80",
					   "\xef\xbf\xbf",
					   "\xf0\x90\x80\x80",
					   "\xf4\x8f\xbf\xbf"};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		cr_expect_eq(length(good[i]), strlen(good[i]), "%zu", i);
}

Test(utf8, what_is_none)
{
	static const char *const bad[] = {"\x80",
					  "\xbf",
					  "\xc0\x80",
					  "\xc1\xbf",
					  "\xe0\x9f\xbf",
					  "\xed\xa0\x80",
					  "\xf0\x8f\xbf\xbf",
					  "\xf4\x90\x80\x80",
					  "\xf5\x80\x80\x80",
					  "\xff",
					  "\xc2",
					  "\xe2\x80",
					  "\xf0\x90\x80",
					  "\xc2\x41",
					  "\xe2\x80\x41",
					  "\xe2\x41\x80"};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		cr_expect_eq(length(bad[i]), 0, "%zu", i);
}

Test(utf8, no_byte_behind_the_end)
{
	static const uint8_t euro[] = {0xe2, 0x82, 0xac};

	for (size_t left = 1; left < sizeof(euro); left++)
		cr_expect_eq(utf8__length(euro, left), 0, "%zu", left);
	cr_expect_eq(utf8__length(euro, sizeof(euro)), sizeof(euro));
}

Test(utf8, control_characters)
{
	cr_expect(utf8__is_control((const uint8_t *)"\xc2\x9b"));
	cr_expect_not(utf8__is_control((const uint8_t *)"\xc2\xa0"));
	cr_expect_not(utf8__is_control((const uint8_t *)"\xc3\x80"));
}
