// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A function's samples by address: none is lost, none counts twice. */
#include <criterion/criterion.h>
#include <string.h>

#include "prof_build.h"
#include "render/code.h"
#include "render/html_code.h"

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

/* By their own instructions, whatever was inlined there; what has no name is left out. */
Test(code, hottest)
{
	struct prof *p = example();
	struct code_functions f;

	add(p, map(p, "/bin/c"), 0x400020, 0, prof__function(p, &(struct prof_function){0}), 1000);
	code_functions__hottest(&f, p, 10);
	cr_assert_eq(f.n, 3);
	cr_expect_eq(f.list[0].values[0], 1 + 2 + 4 + 8 + 64);
	cr_expect_str_eq(prof__text(p, f.list[1].file), "/bin/b");
	cr_expect_eq(f.list[1].values[0], 32);
	cr_expect_str_eq(prof__text(p, f.list[2].name), "other");
	cr_expect_eq(f.list[2].values[0], 16);
	code_functions__done(&f);
	code_functions__hottest(&f, p, 1);
	cr_expect_eq(f.n, 1);
	code_functions__done(&f);
	prof__free(p);
}

static struct prof *with_second_event(void)
{
	struct prof *p = prof__new();
	uint32_t where, location, stack;

	prof__type(p, "cycles", "count");
	prof__type(p, "misses", "count");
	for (int i = 0; i < 3; i++) {
		where = function(p, (const char *[]){"most", "middle", "misses"}[i]);
		location = prof__location(p, map(p, "/bin/a"), 0x400010,
					  &(struct prof_line){.function = where}, 1);
		stack = prof__stack(p, &location, 1);
		prof__sample(p, stack, prof__labels(p, NULL, 0))[0] = 100 - 40 * i;
		prof__sample(p, stack, prof__labels(p, NULL, 0))[1] = i == 2 ? 5 : 0;
	}
	return p;
}

/* However much rarer it is than the others. */
Test(code, hottest_of_any_event)
{
	struct prof *p = with_second_event();
	struct code_functions f;

	code_functions__hottest(&f, p, 2);
	cr_assert_eq(f.n, 2);
	cr_expect_str_eq(prof__text(p, f.list[0].name), "misses");
	cr_expect_str_eq(prof__text(p, f.list[1].name), "most");
	code_functions__done(&f);
	prof__free(p);
}

/* The listing knows of instructions at 0x10 and 0x14 (of 4 bytes) and 0x18. */
static void expect_page(const struct code_view *v)
{
	_cleanup_(buf__done) struct buf text = {0};
	struct json j = {.out = &text, .one_line = true};

	html_code__put(v, &j);
	cr_expect_str_eq(
		text.data,
		"{\"name\": \"work(int)\",\"module\": \"a\",\"file\": \"a.c\",\"kind\": 0,"
		"\"read\": null,\"build_id\": null,\"base\": false,"
		"\"events\": [{\"event\": \"cycles\",\"nearness\": null}],\"sums\": [79],"
		"\"rows\": [[4194320,\"\",\"\",1,3,\"\",[1]],[4194324,\"\",\"\",1,3,\"\",[2]],"
		"[4194325,null,\"\",2,9,\"\",[4]],[4194328,\"\",\"\",1,3,\"\",0],"
		"[4194432,null,\"\",2,9,\"\",[8]],"
		"[18446744073709551615,null,\"\",2,9,\"\",[64]]],"
		"\"source\": [],\"files\": [\"\",\"/src/a.c\",\"a.c\"],\"notes\": []}\n");
}

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
	expect_page(&v);
	code_view__done(&v);
	code_points__done(&points);
	code_functions__done(&f);
	report__done(&r);
	prof__free(p);
}
