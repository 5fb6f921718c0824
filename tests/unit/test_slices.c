// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Slices of stacks until their sample comes, and the files in which walks ended early. */
#include <criterion/criterion.h>
#include <linux/types.h>
#include <string.h>

#include "model/spoilers.h"
#include "pmubpf/lists.h"
#include "assemble/slices.h"

static struct {
	struct pmb_slice head;
	uint64_t words[4];
} rec;

static const struct pmb_slice *slice(uint64_t id, uint64_t time)
{
	rec.head.rec.size = sizeof(rec);
	rec.head.rec.time = time;
	rec.head.id = id;
	rec.head.n_bytes = sizeof(rec.words);
	rec.words[3] = id;
	return &rec.head;
}

Test(slices, taken_once_with_their_bytes)
{
	struct slices all = {0};
	struct slice *s;
	uint64_t word;

	slices__add(&all, slice(7, 1));
	slices__add(&all, slice(8, 1));
	cr_assert(all.hurry);
	s = slices__take(&all, 7);
	cr_assert_not_null(s);
	memcpy(&word, (const char *)(&s->rec + 1) + 24, sizeof(word));
	cr_assert_eq(word, 7);
	cr_assert_null(slices__take(&all, 7));
	cr_assert_gt(all.bytes, sizeof(rec), "it counts until it is given back");
	slices__free(&all, s);
	slices__done(&all);
	cr_assert_eq(all.bytes, 0);
}

Test(slices, beyond_the_limit_they_are_counted)
{
	struct slices all = {.limit = 3 * sizeof(rec)};

	for (uint64_t id = 1; id <= 10; id++)
		slices__add(&all, slice(id, 1));
	cr_assert_gt(all.refused, 6);
	cr_assert_leq(all.bytes, all.limit);
	cr_assert_not_null(slices__take(&all, 1));
	cr_assert_null(slices__take(&all, 10));
}

Test(slices, those_whose_sample_never_came_are_forgotten)
{
	struct slices all = {0};

	slices__add(&all, slice(1, 100));
	slices__add(&all, slice(2, 200));
	slices__sweep(&all, 150);
	cr_assert_null(slices__take(&all, 1));
	cr_assert_not_null(slices__take(&all, 2));
}

Test(spoilers, most_samples_first)
{
	struct spoilers all = {0};

	spoilers__add(&all, "/lib/a", PMB_END_NO_RULE, 1);
	spoilers__add(&all, "/lib/b", PMB_END_NO_RULE, 1);
	spoilers__add(&all, "/lib/b", PMB_END_CORRUPT, 5);
	for (int i = 0; i < 3; i++)
		spoilers__add(&all, "/lib/b", PMB_END_NO_RULE, 1);
	spoilers__sort(&all);
	cr_assert_eq(all.n, 3);
	cr_assert_str_eq(all.list[0].file, "/lib/b");
	cr_assert_eq(all.list[0].ending, PMB_END_CORRUPT);
	cr_assert_eq(all.list[1].samples, 4);
	cr_assert_str_eq(all.list[2].file, "/lib/a");
	spoilers__done(&all);
}

Test(spoilers, which_endings_are_early)
{
	cr_assert(ending_is_early(PMB_END_NO_TABLE));
	cr_assert(ending_is_early(PMB_END_TRUNCATED));
	cr_assert_not(ending_is_early(PMB_END_COMPLETE));
	cr_assert_not(ending_is_early(PMB_END_NONE));
	cr_assert_not(ending_is_early(PMB_END_EXECING));
}
