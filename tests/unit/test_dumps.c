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

static const struct fair_who one = {1, 1}, other = {2, 1}, elsewhere = {3, 2};

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

	dumps__add(&all, dump(7, 1), &one);
	dumps__add(&all, dump(8, 1), &one);
	cr_assert(all.hurry);
	s = dumps__take(&all, 7);
	cr_assert_not_null(s);
	memcpy(&word, (const char *)(s->rec + 1) + 24, sizeof(word));
	cr_assert_eq(word, 7);
	cr_assert_null(dumps__take(&all, 7));
	cr_assert_gt(all.bytes, sizeof(rec), "it counts until it is given back");
	dumps__free(&all, s);
	dumps__done(&all);
	cr_assert_eq(all.bytes, 0);
}

Test(dumps, beyond_the_limit_they_are_counted)
{
	struct dumps all = {.limit = 3 * (sizeof(rec) + sizeof(struct dump))};

	for (uint64_t id = 1; id <= 10; id++)
		dumps__add(&all, dump(id, 1), &one);
	cr_assert_gt(all.refused, 6);
	cr_assert_leq(all.bytes, all.limit);
	cr_assert_not_null(dumps__take(&all, 1));
	cr_assert_null(dumps__take(&all, 10));
}

/* For ten of them there is room. */
static struct dumps all_of(const struct fair_who *who, uint64_t n)
{
	struct dumps all = {.limit = 10 * (sizeof(rec) + sizeof(struct dump))};

	for (uint64_t id = 1; id <= n; id++)
		dumps__add(&all, dump(id, 1), who);
	return all;
}

Test(dumps, who_has_most_loses_its_oldest)
{
	struct dumps all = all_of(&one, 10);

	dumps__add(&all, dump(11, 1), &other);
	dumps__add(&all, dump(12, 1), &elsewhere);
	cr_expect_eq(all.refused, 2);
	cr_expect_null(dumps__take(&all, 1));
	cr_expect_null(dumps__take(&all, 2));
	for (uint64_t id = 3; id <= 12; id++) {
		struct dump *s = dumps__take(&all, id);

		cr_assert_not_null(s, "%lu", id);
		dumps__free(&all, s);
	}
	cr_expect_eq(all.bytes, 0);
	cr_expect_eq(all.gone, 0);
	cr_expect_null(all.holders);
	cr_expect_null(all.cgroups);
}

/* However many processes a cgroup has, another one has half. */
Test(dumps, shares_are_those_of_cgroups_first)
{
	struct dumps all = {.limit = 10 * (sizeof(rec) + sizeof(struct dump))};
	size_t had = 0;

	for (uint64_t id = 1; id <= 10; id++)
		dumps__add(&all, dump(id, 1), &(struct fair_who){id, 1});
	for (uint64_t id = 11; id <= 20; id++)
		dumps__add(&all, dump(id, 1), &elsewhere);
	for (uint64_t id = 11; id <= 20; id++)
		had += dumps__take(&all, id) != NULL;
	cr_expect_geq(had, 4);
	cr_expect_leq(had, 6);
}

Test(dumps, one_that_is_taken_may_have_to_go)
{
	struct dumps all = all_of(&one, 10);
	struct dump *s = dumps__take(&all, 1);

	dumps__add(&all, dump(11, 1), &other);
	cr_expect_null(s->rec);
	cr_expect_eq(all.gone, 1);
	dumps__free(&all, s);
	cr_expect_eq(all.gone, 0);
	dumps__done(&all);
	cr_expect_eq(all.bytes, 0);
}

Test(dumps, what_is_held_besides_has_as_much_room)
{
	struct dumps all = all_of(&one, 9);
	struct dump *s = dumps__take(&all, 1), *t;

	cr_expect(!dumps__hold(&all, s, all.limit + 1));
	cr_expect(dumps__hold(&all, s, all.limit - sizeof(rec)), "full of dumps or not");
	dumps__add(&all, dump(10, 1), &other);
	cr_expect(s->rec);
	t = dumps__take(&all, 10);
	cr_assert_not_null(t);
	cr_expect(dumps__hold(&all, t, 3 * sizeof(rec)), "the other has more");
	cr_expect_null(s->rec);
	dumps__free(&all, t);
	dumps__free(&all, s);
	dumps__done(&all);
	cr_expect_eq(all.bytes, 0);
	cr_expect_eq(all.held, 0);
}

Test(dumps, those_whose_sample_never_came_are_forgotten)
{
	struct dumps all = {0};

	dumps__add(&all, dump(1, 100), &one);
	dumps__add(&all, dump(2, 200), &one);
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
