// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <stdio.h>

#include "model/unknown_runtimes.h"

static void expect_text(const struct unknown_runtime *u, const char *expected)
{
	struct buf text = {0};

	unknown_runtime__text(u, &text);
	cr_expect_str_eq(text.data, expected);
	buf__done(&text);
}

Test(unknown_runtimes, each_file_once)
{
	struct unknown_runtimes all = {0}, more = {0};

	unknown_runtimes__add(&all, "/usr/bin/python3", 0x03100000, false);
	unknown_runtimes__add(&all, "/usr/bin/python3", 0x03100000, false);
	unknown_runtimes__add(&all, "/usr/bin/python3", 0x03100000, true); /* in a container */
	unknown_runtimes__add(&more, "/usr/bin/python3", 0x03100000, false);
	unknown_runtimes__add(&more, "/opt/python", 0, false);
	unknown_runtimes__merge(&all, &more);
	cr_assert_eq(all.n, 3);
	cr_expect_eq(more.n, 0);
	expect_text(&all.list[0], "CPython 3.16");
	expect_text(&all.list[1], "CPython 3.16 (free-threaded)");
	expect_text(&all.list[2], "CPython");
	unknown_runtimes__done(&all);
}

Test(unknown_runtimes, has_a_bound)
{
	struct unknown_runtimes all = {0};
	char file[32];

	for (int i = 0; i < UNKNOWN_RUNTIMES_MAX + 3; i++) {
		snprintf(file, sizeof(file), "/python%d", i);
		unknown_runtimes__add(&all, file, 0, false);
	}
	cr_expect_eq(all.n, UNKNOWN_RUNTIMES_MAX);
	cr_expect_eq(all.more, 3);
	unknown_runtimes__done(&all);
}
