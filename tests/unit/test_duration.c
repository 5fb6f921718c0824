// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Durations of windows, as words. */
#include <criterion/criterion.h>

#include "model/duration.h"

Test(duration, has_three_digits)
{
	char text[DURATION_TEXT];

	duration_text(0, text);
	cr_expect_str_eq(text, "0ns");
	duration_text(999, text);
	cr_expect_str_eq(text, "999ns");
	duration_text(1000, text);
	cr_expect_str_eq(text, "1us");
	duration_text(20 * 1000 * 1000, text);
	cr_expect_str_eq(text, "20ms");
	duration_text(999999, text);
	cr_expect_str_eq(text, "1ms");
	duration_text(1048576000, text);
	cr_expect_str_eq(text, "1.05s");
	duration_text(UINT64_MAX, text);
	cr_expect_str_eq(text, "18446744074s");
}

Test(duration, classes_are_powers_of_two)
{
	char text[DURATION_TEXT];

	duration_class_text(0, false, text);
	cr_expect_str_eq(text, "1ns..2ns");
	duration_class_text(24, false, text);
	cr_expect_str_eq(text, "16.8ms..33.6ms");
	duration_class_text(24, true, text);
	cr_expect_str_eq(text, "16.8ms..");
	duration_class_text(63, false, text);
	cr_expect_str_eq(text, "9223372037s..");
}

/* The longest class has no end, whether it was seen or not. */
Test(duration, classes_come_back_from_words)
{
	char text[DURATION_TEXT];
	unsigned class;
	bool open;

	for (unsigned i = 0; i < 2 * (DURATION_CLASSES - 1); i++) {
		duration_class_text(i / 2, i % 2, text);
		cr_expect(duration_class_parse(text, &class, &open), "%s", text);
		cr_expect_eq(class, i / 2);
		cr_expect_eq(open, i % 2);
	}
	cr_expect(duration_class_parse("9223372037s..", &class, &open));
	cr_expect_eq(class, 63);
	cr_expect(!duration_class_parse("", &class, &open));
	cr_expect(!duration_class_parse("16.8ms", &class, &open));
	cr_expect(!duration_class_parse("16.8ms..33.6ms ", &class, &open));
}
