// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <string.h>

#include "model/intern.h"

Test(intern, zero_is_the_empty_string_from_the_start)
{
	struct intern in = {0};
	size_t size = 99;

	cr_expect_eq(intern__count(&in), 1);
	cr_expect_not_null(intern__get(&in, 0, &size));
	cr_expect_eq(size, 0);
	cr_expect_eq(intern__add(&in, "", 0), 0);
	cr_expect_eq(intern__count(&in), 1);
	intern__done(&in);
}

Test(intern, numbers_count_up_in_order_of_appearance)
{
	struct intern in = {0};

	cr_expect_eq(intern__add(&in, "one", 3), 1);
	cr_expect_eq(intern__add(&in, "two", 3), 2);
	cr_expect_eq(intern__add(&in, "one", 3), 1);
	cr_expect_eq(intern__add(&in, "one\0", 4), 3, "a NUL is a byte like any other");
	cr_expect_eq(intern__add(&in, "on", 2), 4);
	cr_expect_eq(intern__count(&in), 5);
	intern__done(&in);
}

Test(intern, unknown_numbers_are_empty)
{
	struct intern in = {0};
	size_t size = 99;

	intern__add(&in, "x", 1);
	cr_expect_str_eq(intern__get(&in, 0, &size), "", "nor does it show the bytes of another");
	intern__get(&in, 2, &size);
	cr_expect_eq(size, 0);
	intern__get(&in, UINT32_MAX, &size);
	cr_expect_eq(size, 0);
	intern__done(&in);
}

Test(intern, what_goes_in_comes_out_after_any_growth)
{
	enum { N = 20000 };
	struct intern in = {0};
	uint64_t data[9];
	size_t size;

	for (uint64_t i = 1; i <= N; i++) {
		for (size_t k = 0; k < 9; k++)
			data[k] = i * (k + 1);
		cr_assert_eq(intern__add(&in, data, 8 + i % 65), i);
	}
	for (uint64_t i = 1; i <= N; i++) {
		const void *got = intern__get(&in, (uint32_t)i, &size);

		for (size_t k = 0; k < 9; k++)
			data[k] = i * (k + 1);
		cr_assert_eq(size, 8 + i % 65);
		cr_assert_eq((uintptr_t)got % 8, 0, "aligned for the structs that live in it");
		cr_assert_arr_eq(got, data, size);
		cr_assert_eq(intern__add(&in, data, size), i);
	}
	cr_expect_eq(intern__count(&in), N + 1);
	intern__done(&in);
	cr_expect_eq(intern__count(&in), 1);
}

static void plus_1000(void *ctx, void *data, size_t size)
{
	(void)ctx, (void)size;
	*(uint64_t *)data += 1000;
}

Test(intern, what_is_kept_gets_new_numbers_in_the_old_order)
{
	enum { N = 5000 };
	struct intern in = {0};
	static uint32_t map[N + 1];
	size_t size;

	for (uint64_t i = 1; i <= N; i++)
		cr_assert_eq(intern__add(&in, (uint64_t[]){i, i, i}, 8 + 8 * (i % 3)), i);
	for (uint32_t i = 1; i <= N; i++)
		map[i] = i % 7 == 0;
	intern__keep(&in, map, plus_1000, NULL);
	cr_expect_eq(intern__count(&in), N / 7 + 1);
	for (uint64_t i = 1; i <= N; i++) {
		uint64_t want[] = {i + 1000, i, i};

		cr_assert_eq(map[i], i % 7 ? 0 : i / 7);
		if (i % 7)
			continue;
		cr_assert_arr_eq(intern__get(&in, map[i], &size), want, 8 + 8 * (i % 3));
		cr_assert_eq(size, 8 + 8 * (i % 3));
		cr_assert_eq(intern__add(&in, want, size), map[i], "found by its new bytes");
	}
	cr_expect_eq(intern__add(&in, "new", 3), N / 7 + 1);
	intern__done(&in);
}

Test(intern, nothing_kept_is_as_good_as_new)
{
	struct intern in = {0};
	uint32_t map[3] = {0};

	intern__keep(&in, map, NULL, NULL);
	cr_expect_eq(intern__count(&in), 1);
	intern__add(&in, "a", 1);
	intern__add(&in, "b", 1);
	intern__keep(&in, map, NULL, NULL);
	cr_expect_eq(intern__count(&in), 1);
	cr_expect_eq(intern__add(&in, "b", 1), 1);
	intern__done(&in);
}
