// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <string.h>

#include "base/mem.h"
#include "model/duration.h"
#include "prof/text_rank.h"

static int compare(const char *a, const char *b)
{
	return text_rank__compare(text_rank__of(a), a, text_rank__of(b), b);
}

/* Each is below all that stand behind it. */
static void expect_ascending(const char *const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		cr_expect_eq(compare(texts[i], texts[i]), 0, "'%s'", texts[i]);
		for (size_t k = i + 1; k < n; k++) {
			cr_expect_lt(compare(texts[i], texts[k]), 0, "'%s', '%s'", texts[i],
				     texts[k]);
			cr_expect_gt(compare(texts[k], texts[i]), 0, "'%s', '%s'", texts[i],
				     texts[k]);
		}
	}
}

#define EXPECT_ASCENDING(...)                               \
	do {                                                \
		const char *const given[] = {__VA_ARGS__};  \
		expect_ascending(given, ARRAY_SIZE(given)); \
	} while (0)

Test(text_rank, numbers_by_their_value)
{
	EXPECT_ASCENDING("-9223372036854775808", "-10", "-9", "0", "9", "9 KB", "10", "10 KB",
			 "9223372036854775807");
}

Test(text_rank, addresses_by_their_value)
{
	EXPECT_ASCENDING("0x0", "0x9", "0xa", "0x10", "0x7f3405b10000", "0x7f3405b6f000",
			 "0x7f3405b6f000 a", "0x7f3405b6f000 b", "0xffffffffffffffff");
}

Test(text_rank, durations_from_the_shortest)
{
	char texts[2 * DURATION_CLASSES][DURATION_TEXT];
	const char *list[2 * DURATION_CLASSES];
	size_t n = 0;

	for (unsigned i = 0; i < 2 * DURATION_CLASSES; i++) {
		duration_class_text(i / 2, i % 2, texts[n]);
		list[n] = texts[n];
		n += !n || strcmp(texts[n], texts[n - 1]) != 0; /* the longest is open */
	}
	cr_expect_eq(n, 2 * DURATION_CLASSES - 1);
	expect_ascending(list, n);
	EXPECT_ASCENDING("131us..262us", "1.05ms..2.1ms", "2.1ms..4.19ms", "2.15s..4.29s");
}

Test(text_rank, words_with_numbers_in_them)
{
	EXPECT_ASCENDING("", "(no type)", "-", "CPU 9", "CPU 10", "a..b");
}

/* Whatever stands beside whatever: one order. */
Test(text_rank, kinds_one_behind_the_other)
{
	EXPECT_ASCENDING("5", "10..", "0x4", "0x10", "2.1ms..4.19ms", "2.15s..4.29s", "[none]");
}
