// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Stack dumps until their sample comes, and the files in which walks ended early. */
#include <criterion/criterion.h>
#include <linux/types.h>
#include <string.h>

#include "assemble/dumps.h"
#include "model/truncating.h"
#include "pmubpf/lists.h"

static struct {
	struct pmb_stack_dump head;
	uint64_t words[4];
} rec;

static const struct pmb_stack_dump *dump(uint64_t id, uint64_t time)
{
	rec.head.rec.size = sizeof(rec);
	rec.head.rec.time = time;
	rec.head.id = id;
	rec.head.n_bytes = sizeof(rec.words);
	rec.words[3] = id;
	return &rec.head;
}

Test(dumps, taken_once_with_their_bytes)
{
	struct dumps all = {0};
	struct dump *s;
	uint64_t word;

	dumps__add(&all, dump(7, 1));
	dumps__add(&all, dump(8, 1));
	cr_assert(all.hurry);
	s = dumps__take(&all, 7);
	cr_assert_not_null(s);
	memcpy(&word, (const char *)(&s->rec + 1) + 24, sizeof(word));
	cr_assert_eq(word, 7);
	cr_assert_null(dumps__take(&all, 7));
	cr_assert_gt(all.bytes, sizeof(rec), "it counts until it is given back");
	dumps__free(&all, s);
	dumps__done(&all);
	cr_assert_eq(all.bytes, 0);
}

Test(dumps, beyond_the_limit_they_are_counted)
{
	struct dumps all = {.limit = 3 * sizeof(rec)};

	for (uint64_t id = 1; id <= 10; id++)
		dumps__add(&all, dump(id, 1));
	cr_assert_gt(all.refused, 6);
	cr_assert_leq(all.bytes, all.limit);
	cr_assert_not_null(dumps__take(&all, 1));
	cr_assert_null(dumps__take(&all, 10));
}

Test(dumps, those_whose_sample_never_came_are_forgotten)
{
	struct dumps all = {0};

	dumps__add(&all, dump(1, 100));
	dumps__add(&all, dump(2, 200));
	dumps__sweep(&all, 150);
	cr_assert_null(dumps__take(&all, 1));
	cr_assert_not_null(dumps__take(&all, 2));
}

Test(truncating, most_samples_first)
{
	struct truncating all = {0};

	truncating__add(&all, "/lib/a", PMB_END_NO_RULE, 1);
	truncating__add(&all, "/lib/b", PMB_END_NO_RULE, 1);
	truncating__add(&all, "/lib/b", PMB_END_CORRUPT, 5);
	for (int i = 0; i < 3; i++)
		truncating__add(&all, "/lib/b", PMB_END_NO_RULE, 1);
	truncating__sort(&all);
	cr_assert_eq(all.n, 3);
	cr_assert_str_eq(all.list[0].file, "/lib/b");
	cr_assert_eq(all.list[0].status, PMB_END_CORRUPT);
	cr_assert_eq(all.list[1].samples, 4);
	cr_assert_str_eq(all.list[2].file, "/lib/a");
	truncating__done(&all);
}

Test(truncating, which_statuses_are_early)
{
	cr_assert(status_is_early(PMB_END_NO_TABLE));
	cr_assert(status_is_early(PMB_END_TRUNCATED));
	cr_assert_not(status_is_early(PMB_END_COMPLETE));
	cr_assert_not(status_is_early(PMB_END_NONE));
	cr_assert_not(status_is_early(PMB_END_EXECING));
}
