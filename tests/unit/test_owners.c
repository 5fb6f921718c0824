// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Whose counts: intervals are differences, rows of one name are one line, and nothing is lost. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "model/owners.h"

static void add_row(struct owners *owners, uint64_t key, uint64_t first, uint64_t second)
{
	struct owner_row row = {.key.word = {key, 1}, .counted.count = {first, second}};

	owners->rows = realloc(owners->rows, (owners->n_rows + 1) * sizeof(row));
	owners->rows[owners->n_rows++] = row;
}

/* 1, 2 and 3 are of one; 9 is of nobody who was asked for. */
static char *name_of(void *ctx, const struct owner_row *row)
{
	(void)ctx;
	if (row->key.word[0] == 9)
		return NULL;
	return xasprintf("%s", row->key.word[0] < 4 ? "few" : "many");
}

static void expect_line(const struct owner_lines *lines, size_t i, const char *name, uint64_t first,
			uint64_t second)
{
	cr_assert_lt(i, lines->n, "there is no line %zu", i);
	cr_expect_str_eq(lines->list[i].name, name);
	cr_expect_eq(lines->list[i].count[0], first, "%s: %llu", name, lines->list[i].count[0]);
	cr_expect_eq(lines->list[i].count[1], second, "%s: %llu", name, lines->list[i].count[1]);
	cr_expect_eq(lines->list[i].given, *name == '[', "%s", name);
}

Test(owners, of_one_name_are_a_line)
{
	_cleanup_(owners__done) struct owners owners = {.n_counters = 2};
	_cleanup_(owner_lines__done) struct owner_lines lines = {0};

	add_row(&owners, 9, 5, 0);
	add_row(&owners, 1, 10, 1);
	add_row(&owners, 7, 100, 0);
	add_row(&owners, 3, 30, 3);
	add_row(&owners, 8, 0, 50);
	owners.own[PMB_OWNER_IDLE][0] = 1000;
	owners.own[PMB_OWNER_OTHER][1] = 2;
	owners__lines(&owners, name_of, NULL, &lines);
	cr_expect_eq(lines.n, 5);
	expect_line(&lines, 0, "many", 100, 50);
	expect_line(&lines, 1, "few", 40, 4);
	expect_line(&lines, 2, "[everybody else]", 5, 0);
	expect_line(&lines, 3, "[idle]", 1000, 0);
	expect_line(&lines, 4, "[other]", 0, 2);
}

Test(owners, beyond_the_limit_are_one_line)
{
	_cleanup_(owners__done) struct owners owners = {.n_counters = 2};
	_cleanup_(owner_lines__done) struct owner_lines lines = {0};

	add_row(&owners, 1, 10, 1);
	add_row(&owners, 7, 100, 0);
	owners.own[PMB_OWNER_IDLE][0] = 1000;
	owners__lines(&owners, name_of, NULL, &lines);
	owner_lines__limit(&lines, 2);
	cr_expect_eq(lines.n, 3);
	owner_lines__limit(&lines, 0);
	cr_expect_eq(lines.n, 3);
	owner_lines__limit(&lines, 1);
	cr_expect_eq(lines.n, 3);
	expect_line(&lines, 0, "many", 100, 0);
	expect_line(&lines, 1, "[1 more]", 10, 1);
	expect_line(&lines, 2, "[idle]", 1000, 0);
	owner_lines__limit(&lines, 1);
	expect_line(&lines, 2, "[idle]", 1000, 0);
}

/* A row that was given up, and made again since, is one; and so it is in the difference. */
Test(owners, of_those_that_ended_nothing_is_lost)
{
	_cleanup_(owners__done) struct owners before = {.n_counters = 2};
	_cleanup_(owners__done) struct owners now = {.n_counters = 2};
	_cleanup_(owners__done) struct owners ended = {.n_counters = 2};
	_cleanup_(owners__done) struct owners interval = {0};
	_cleanup_(owner_lines__done) struct owner_lines lines = {0};

	add_row(&before, 1, 10, 1);
	add_row(&before, 5, 20, 1);
	add_row(&now, 7, 30, 0);
	add_row(&now, 5, 2, 0);
	add_row(&ended, 5, 25, 1);
	add_row(&ended, 1, 11, 1);
	owners__sort(&before);
	owners__sort(&now);
	owners__add(&now, ended.rows, ended.n_rows);
	owners__add(&now, NULL, 0);
	cr_expect_eq(now.n_rows, 3, "%zu", now.n_rows);
	owners__set(&interval, &now, &before);
	owners__lines(&interval, name_of, NULL, &lines);
	expect_line(&lines, 0, "many", 30 + 7, 0);
	expect_line(&lines, 1, "few", 1, 0);
}

/* Rows come in any order, new ones among the old; those that stood still are none. */
Test(owners, an_interval_is_a_difference)
{
	_cleanup_(owners__done) struct owners before = {.n_counters = 2};
	_cleanup_(owners__done) struct owners now = {.n_counters = 2};
	_cleanup_(owners__done) struct owners interval = {0};
	_cleanup_(owner_lines__done) struct owner_lines lines = {0};

	for (uint64_t key = 10; key < 20; key += 2)
		add_row(&before, key, key, 1);
	for (uint64_t key = 19; key >= 10; key--)
		add_row(&now, key, key + (key % 2 || key == 14 ? 100 : 0), 1);
	before.own[PMB_OWNER_KERNEL][1] = 3;
	now.own[PMB_OWNER_KERNEL][1] = 10;
	before.counter[0] = (struct perf_count){100, 50, 50};
	now.counter[0] = (struct perf_count){180, 90, 60};
	before.no_room = 1;
	now.no_room = 5;
	owners__sort(&before);
	owners__sort(&now);
	owners__set(&interval, &now, &before);
	cr_expect_eq(interval.n_rows, 6, "%zu", interval.n_rows);
	cr_expect_eq(interval.counter[0].value, 80);
	cr_expect_eq(interval.counter[0].running_ns, 10);
	cr_expect_eq(interval.no_room, 4);
	owners__lines(&interval, name_of, NULL, &lines);
	expect_line(&lines, 0, "many", 100 + 111 + 113 + 115 + 117 + 119, 5);
	expect_line(&lines, 1, "[kernel threads]", 0, 7);
	/* nothing came before */
	owners__set(&interval, &now, &(struct owners){0});
	cr_expect_eq(interval.n_rows, 10);
}
