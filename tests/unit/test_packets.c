// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Overflows one by one: in order of time, stacks once and before they are named, no weight lost. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "prof/moments.h"
#include "prof_build.h"
#include "render/packets.h"

static struct prof *p;

static void begin(void)
{
	p = build_clock_and_misses();
	prof__comment(p, "timeline: steps of 10 us");
	p->time_ns = 5;
	p->duration_ns = 7000;
}

static void end(void)
{
	p = prof__free(p);
}

TestSuite(packets, .init = begin, .fini = end);

/* us < 0: nobody knows. */
static void sample_at(const char *stack, int64_t us, const int64_t values[3], const char *tenant)
{
	struct prof_label_list list = {0};

	prof__add_text(p, &list, "comm", "a");
	prof__add_number(p, &list, "cpu", 1);
	if (tenant)
		prof__add_text(p, &list, "tenant", tenant);
	if (us >= 0)
		prof__add_quantity(p, &list, MOMENT_LABEL, us, "microseconds");
	build_sample(p, build_stack(p, stack), prof__labels(p, list.items, list.n), values);
	free(list.items);
}

static char *written(const struct format_opts *opts)
{
	size_t size;
	char *text;
	FILE *file = open_memstream(&text, &size);

	cr_assert_eq(packets__write(file, p, opts), 0);
	fclose(file);
	return text;
}

#define AT "\"module\": \"/bin/a\",\"address\": \"0x10\",\"line\": 1"
#define PC "\"pc\": \"0x10\",\"module\": \"/bin/a\",\"stack\": "
#define CLOCK(n, value) \
	"\"event\": \"clock\",\"samples\": " n ",\"value\": " value ",\"unit\": \"nanoseconds\","

static const char *const lines[] = {
	"{\"stack\": 2,\"frames\": [{\"function\": \"i\"," AT ",\"inlined\": true},"
	"{\"function\": \"g\"," AT "}]}",
	"{\"time_ns\": 10000,\"comm\": \"a\",\"cpu\": 1," CLOCK("1", "900") PC
	"2,\"labels\": {\"tenant\": \"t\\\"1\"}}",
	"{\"stack\": 1,\"frames\": [{\"function\": \"f\"," AT "}]}",
	"{\"time_ns\": 30000,\"comm\": \"a\",\"cpu\": 1,\"event\": \"misses\",\"value\": 5,"
	"\"unit\": \"count\"," PC "1}",
	"{\"comm\": \"a\",\"cpu\": 1," CLOCK("3", "100") PC "1}",
};

Test(packets, lines)
{
	_cleanup_free_ char *text = NULL;
	char *rest, *line;

	sample_at("f", 30, (const int64_t[]){0, 0, 5}, NULL);
	sample_at("f", -1, (const int64_t[]){3, 100, 0}, NULL);
	sample_at("i+g", 10, (const int64_t[]){1, 900, 0}, "t\"1");
	rest = text = written(&(struct format_opts){.unit = -1});
	line = strsep(&rest, "\n");
	cr_expect_eq(strncmp(line, "{\"packets\": 1,", 14), 0, "%s", line);
	cr_expect(strstr(line, "\"began_ns\": 5,\"duration_ns\": 7000,\"grid_ns\": 10000,"
			       "\"events\": [\"clock\",\"misses\"],"),
		  "%s", line);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		cr_expect_str_eq(strsep(&rest, "\n"), lines[i]);
	cr_expect_str_eq(rest, "");
}

static int64_t sum_of(const char *text, const char *member)
{
	int64_t sum = 0;

	while ((text = strstr(text, member))) {
		text += strlen(member);
		sum += strtoll(text, NULL, 10);
	}
	return sum;
}

Test(packets, what_finds_no_room_is_said)
{
	struct room_cut cut = {0};
	const struct format_opts opts = {.unit = -1, .max_bytes = 4000, .cut = &cut};
	_cleanup_free_ char *text = NULL;
	const char *last;

	for (int64_t i = 0; i < 100; i++)
		sample_at("f", i * 10, (const int64_t[]){1, 10, 1}, NULL);
	text = written(&opts);
	cr_expect_leq(strlen(text), opts.max_bytes);
	cr_expect_eq(sum_of(text, "\"samples\": "), 100, "%s", text);
	cr_expect_eq(sum_of(text, "\"value\": "), 100 * 11);
	last = strstr(text, "{\"no_room\": true,\"event\": \"clock\",\"samples\": ");
	cr_assert_not_null(last, "%s", text);
	cr_expect_eq(cut.lines, (uint64_t)sum_of(last, "\"samples\": "));
	cr_expect_gt(cut.lines, 50);
}

Test(packets, nothing)
{
	_cleanup_free_ char *text = written(&(struct format_opts){.unit = -1});

	cr_expect_eq(strchr(text, '\n')[1], '\0', "%s", text);
}
