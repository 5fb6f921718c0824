// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A function's samples by address: none is lost, none counts twice. */
#include <criterion/criterion.h>
#include <string.h>

#include "prof_build.h"
#include "render/code.h"

static uint32_t function(struct prof *p, const char *name)
{
	return prof__function(p, &(struct prof_function){.name = prof__string(p, name),
							 .file = prof__string(p, "a.c")});
}

static void add(struct prof *p, uint32_t mapping, uint64_t address, uint32_t inner, uint32_t outer,
		int64_t value)
{
	struct prof_line lines[] = {{.function = inner, .line = 7}, {.function = outer, .line = 9}};
	size_t n = inner ? 2 : 1;
	uint32_t location = prof__location(p, mapping, address, inner ? lines : &lines[1], n);
	uint32_t stack = prof__stack(p, &location, 1);

	prof__sample(p, stack, prof__labels(p, NULL, 0))[0] += value;
}

static uint32_t map(struct prof *p, const char *file)
{
	return prof__mapping(p, &(struct prof_mapping){.start = 0x400000,
						       .limit = UINT64_MAX,
						       .offset = 0x1000,
						       .file = prof__string(p, file)});
}

static struct prof *example(void)
{
	struct prof *p = prof__new();
	uint32_t work, within, other, a, b;

	prof__type(p, "cycles", "count");
	work = function(p, "work(int)");
	within = function(p, "within");
	other = function(p, "other");
	a = map(p, "/bin/a");
	b = map(p, "/bin/b");
	add(p, a, 0x400010, 0, work, 1);
	add(p, a, 0x400014, within, work, 2);
	add(p, a, 0x400015, 0, work, 4);
	add(p, a, 0x400080, 0, work, 8);
	add(p, a, 0x400090, within, other, 16);
	add(p, b, 0x400010, 0, work, 32);
	add(p, a, UINT64_MAX, 0, work, 64);
	return p;
}

Test(code, functions)
{
	struct prof *p = example();
	struct code_functions f;

	code_functions__find(&f, p, "work", 0);
	cr_assert_eq(f.n, 2);
	cr_expect_str_eq(prof__text(p, f.list[0].file), "/bin/a");
	cr_expect_eq(f.list[0].values[0], 1 + 2 + 4 + 8 + 64);
	cr_expect_eq(f.list[1].values[0], 32);
	code_functions__done(&f);
	code_functions__find(&f, p, "within", 0);
	cr_expect_eq(f.n, 0);
	cr_expect_eq(f.n_hosts, 2);
	code_functions__done(&f);
	code_functions__find(&f, p, "wor", 0);
	cr_expect_eq(f.n + f.n_hosts, 0);
	code_functions__done(&f);
	prof__free(p);
}

/* The listing knows of instructions at 0x10 and 0x14 (of 4 bytes) and 0x18. */
Test(code, rows_and_lines_add_up)
{
	struct prof *p = example();
	struct report r = {.whole = p, .prof = p};
	struct listing_row rows[] = {{.at = 0, .len = 4, .n_frames = 1},
				     {.at = 4, .len = 4, .n_frames = 1},
				     {.at = 8, .len = 4, .n_frames = 1}};
	struct listing_frame frame = {.file = "/src/a.c", .line = 3};
	struct listing l = {.vaddr = 0x400010,
			    .file_off = 0x1010,
			    .size = 12,
			    .rows = rows,
			    .n = 3,
			    .frames = &frame,
			    .n_frames = 1};
	struct code_functions f;
	struct code_points points;
	struct sources sources = {0};
	struct code_view v = {.report = &r, .points = &points, .sources = &sources};
	int64_t sum = 0, of_lines = 0;

	report__settle(&r);
	code_functions__find(&f, p, "work", 0);
	code_points__find(&points, p, &f.list[0]);
	cr_expect_eq(points.inlined[0], 2);
	v.function = &f.list[0];
	code_view__build(&v, &l, 1);
	cr_assert_eq(v.n, 6);
	cr_expect_eq(v.rows[0].values[0], 1);
	cr_expect_eq(v.rows[1].values[0], 2);
	cr_expect_null(v.rows[2].insn);
	cr_expect_eq(v.rows[2].values[0], 4);
	cr_expect_null(v.rows[3].values);
	for (size_t i = 0; i < v.n; i++)
		sum += v.rows[i].values ? v.rows[i].values[0] : 0;
	for (size_t i = 0; i < v.n_lines; i++)
		of_lines += v.lines[i].values[0];
	cr_expect_eq(sum, points.sums[0]);
	cr_expect_eq(of_lines, points.sums[0]);
	cr_expect_eq(sum, 1 + 2 + 4 + 8 + 64);
	code_view__done(&v);
	code_points__done(&points);
	code_functions__done(&f);
	report__done(&r);
	prof__free(p);
}
