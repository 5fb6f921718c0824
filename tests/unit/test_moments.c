// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* When samples were: as the label says it, as the picture has it, and in perf's text. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "prof/moments.h"
#include "prof_build.h"
#include "render/html_data.h"
#include "render/perf_text.h"
#include "render/tree.h"

static struct prof *p;

static void begin(void)
{
	p = build_clock_and_misses();
}

static void end(void)
{
	p = prof__free(p);
}

TestSuite(moments, .init = begin, .fini = end);

static uint32_t labels_of(int64_t number, const char *unit)
{
	struct prof_label_list list = {0};
	uint32_t labels;

	prof__add_text(p, &list, "comm", "a");
	prof__add_quantity(p, &list, MOMENT_LABEL, number, unit);
	labels = prof__labels(p, list.items, list.n);
	free(list.items);
	return labels;
}

static void sample_at(const char *stack, int64_t ms)
{
	const int64_t values[] = {1, 1000, 0};

	build_sample(p, build_stack(p, stack), labels_of(ms, "milliseconds"), values);
}

static uint32_t grid_of(const char *comment)
{
	struct prof *other = prof__new();
	uint32_t ms;

	if (comment)
		prof__comment(other, comment);
	ms = moments__grid_ms(other);
	prof__free(other);
	return ms;
}

Test(moments, grid)
{
	cr_expect_eq(grid_of("timeline: steps of 10 ms"), 10);
	cr_expect_eq(grid_of("timeline: steps of 10000 ms"), 10000);
	cr_expect_eq(grid_of(NULL), MOMENTS_NO_GRID);
	cr_expect_eq(grid_of("timeline: steps of 0 ms"), MOMENTS_NO_GRID);
	cr_expect_eq(grid_of("timeline: steps of 10001 ms"), MOMENTS_NO_GRID);
	cr_expect_eq(grid_of("timeline: steps of 18446744073709551617 ms"), MOMENTS_NO_GRID);
	cr_expect_eq(grid_of("timeline: steps of 10 msx"), MOMENTS_NO_GRID);
	cr_expect_eq(grid_of("timeline: steps of -1 ms"), MOMENTS_NO_GRID);
	cr_expect_eq(grid_of("timeline: "), MOMENTS_NO_GRID);
	cr_expect_eq(grid_of("timeline: steps of 10 us"), 1);
	cr_expect_eq(grid_of("timeline: steps of 10000000 us"), 10000);
	cr_expect_eq(grid_of("timeline: steps of 10000001 us"), MOMENTS_NO_GRID);
}

Test(moments, steps)
{
	cr_expect_eq(moments__step(p, 10, labels_of(0, "milliseconds")), 1);
	cr_expect_eq(moments__step(p, 10, labels_of(129, "milliseconds")), 13);
	cr_expect_eq(moments__step(p, 0, labels_of(129, "milliseconds")), 0);
	cr_expect_eq(moments__step(p, 10, labels_of(-1, "milliseconds")), 0);
	cr_expect_eq(moments__step(p, 10, labels_of(INT64_MAX, "milliseconds")), 0);
	cr_expect_eq(moments__step(p, 1, labels_of(MOMENTS_MOST_MS, "milliseconds")),
		     MOMENTS_MOST_MS + 1);
	cr_expect_eq(moments__step(p, 10, labels_of(10, "seconds")), 0);
	cr_expect_eq(moments__step(p, 1, labels_of(12345, "microseconds")), 13);
	cr_expect_eq(moments__step(p, 1, labels_of(MOMENTS_MOST_MS * 1000L + 1, "microseconds")),
		     0);
	cr_expect_eq(moments__step(p, 10, build_labels(p, 1, "a")), 0);
}

static size_t n_rows(const struct tree *t)
{
	return intern__count(&t->rows) - 1;
}

Test(moments, rows_of_a_picture_are_told_apart_by_them)
{
	struct tree *t;

	prof__comment(p, "timeline: steps of 10 ms");
	sample_at("f,main", 0);
	sample_at("f,main", 9);
	sample_at("f,main", 10);
	sample_at("g,main", 250);
	t = tree__new(p, NULL, true);
	cr_expect_eq(t->grid_ms, 10);
	cr_expect_eq(t->steps[TREE_NEW], 26);
	cr_expect_eq(n_rows(t), 3);
	tree__free(t);
	t = tree__new(p, NULL, false);
	cr_expect_eq(t->steps[TREE_NEW], 0);
	cr_expect_eq(n_rows(t), 2, "nobody asks for moments");
	tree__free(t);
	t = tree__new(p, p, true);
	cr_expect_eq(t->steps[TREE_NEW], 26);
	cr_expect_eq(t->steps[TREE_OLD], 26);
	cr_expect_eq(n_rows(t), 3, "one for both, where both have it");
	tree__free(t);
}

/* The old one is coarser; what says nothing of a grid has moments no more than alone. */
Test(moments, of_two_profiles)
{
	struct prof *fine = p, *coarse = build_clock_and_misses();
	struct tree *t;

	prof__comment(fine, "timeline: steps of 10 ms");
	sample_at("f,main", 250);
	p = coarse;
	prof__comment(coarse, "timeline: steps of 100 ms");
	sample_at("f,main", 900);
	t = tree__new(fine, coarse, true);
	cr_expect_eq(t->grid_ms, 100);
	cr_expect_eq(t->steps[TREE_NEW], 3);
	cr_expect_eq(t->steps[TREE_OLD], 10);
	tree__free(t);
	p = build_clock_and_misses();
	sample_at("f,main", 900);
	t = tree__new(fine, p, true);
	cr_expect_eq(t->grid_ms, 10);
	cr_expect_eq(t->steps[TREE_NEW], 26);
	cr_expect_eq(t->steps[TREE_OLD], 0);
	cr_expect_eq(n_rows(t), 2);
	tree__free(t);
	prof__free(fine);
	prof__free(coarse);
}

Test(moments, without_the_comment_it_is_a_label_like_others)
{
	struct tree *t;

	sample_at("f,main", 0);
	sample_at("f,main", 500);
	t = tree__new(p, NULL, true);
	cr_expect_eq(t->steps[TREE_NEW], 0);
	cr_expect_eq(n_rows(t), 1);
	tree__free(t);
}

Test(moments, steps_of_a_picture_are_bounded)
{
	struct tree *t;

	prof__comment(p, "timeline: steps of 1 ms");
	sample_at("f,main", 0);
	sample_at("f,main", MOMENTS_MOST_MS);
	t = tree__new(p, NULL, true);
	cr_expect_leq(t->steps[TREE_NEW], TREE_STEPS_MOST);
	cr_expect_eq(t->grid_ms, MOMENTS_MOST_MS / TREE_STEPS_MOST + 1);
	cr_expect_eq(n_rows(t), 2);
	tree__free(t);
}

Test(moments, what_the_page_is_told)
{
	_cleanup_(buf__done) struct buf data = {0};
	/* the last columns: moments, then three types of two rows; no code */
	static const uint8_t want[] = {3, 4, 0xe8, 7, 0xe8, 7, 1, 1, 0, 0, 0};

	prof__comment(p, "timeline: steps of 10 ms");
	sample_at("f,main", 60);
	sample_at("f,main", 20);
	html_data__encode(&data, p, NULL, NULL);
	cr_expect(strstr(data.data + 2, "\"grid_ms\": 10,\"steps\": [7,0],"), "%s", data.data + 2);
	cr_assert_gt(data.len, sizeof(want));
	cr_expect_eq(memcmp(data.data + data.len - sizeof(want), want, sizeof(want)), 0);
}

Test(moments, in_perfs_text)
{
	const struct format_opts opts = {.unit = -1};
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	prof__comment(p, "timeline: steps of 10 ms");
	sample_at("f,main", 12340);
	cr_assert_eq(perf_text__write(file, p, &opts), 0);
	fclose(file);
	cr_expect(strstr(text, " 12.340000: "), "%s", text);
}
