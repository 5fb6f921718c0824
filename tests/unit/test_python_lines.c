// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Lines by tables of CPython, against what each CPython that is here says of its own modules.
 *
 *   PYTHON_FILES=150 build/tests/unit/test_python_lines   of more than usually
 */
#include <criterion/criterion.h>
#include <glob.h>
#include <linux/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmubpf/python.h"
#include "symd/python_lines.h"

enum { FILES = 20, TABLE_MAX = 1 << 20, INSTRUCTIONS_MAX = 20000 };

static void expect(uint32_t kind, const char *table, size_t n, const uint32_t *want, size_t n_want)
{
	struct python_lines l = {.kind = kind, .first = 10, .table = table, .n = n};

	for (size_t i = 0; i < n_want; i++)
		cr_expect_eq(python_lines__find(&l, (int64_t)(2 * i)), want[i],
			     "kind %u, at %zu: %u", kind, 2 * i,
			     python_lines__find(&l, (int64_t)(2 * i)));
	cr_expect_eq(python_lines__find(&l, -2), 10);
}

#define EXPECT(kind, table, ...)                                                         \
	expect(PMB_PY_LINES_##kind, table, sizeof(table) - 1, (uint32_t[]){__VA_ARGS__}, \
	       sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

Test(python_lines, tables_of_each_kind)
{
	/* from 2 on 1 line on, from 4 on 3 back, and so on to the end */
	EXPECT(LNOTAB, "\x02\x01\x02\xfd", 10, 11, 8, 8, 8);
	/* the first two bytes; none; two more, three lines back */
	EXPECT(LINETABLE, "\x02\x00\x02\x80\x02\xfd", 10, 0, 7, 0);
	/* short; 2 lines on; none for two units; 130 on; 3 back, in the long form */
	EXPECT(LOCATIONS,
	       "\x80\x00"
	       "\xe0\x01\x02"
	       "\xf9"
	       "\xe8\x44\x04"
	       "\xf0\x07\x01\x02\x03",
	       10, 12, 0, 0, 142, 139, 0);
}

/* What was cut is not known. The oldest tables have no end, and say the same of all that
 * follows. */
Test(python_lines, what_is_not_there_is_not_known)
{
	static const char lnotab[] = "\x02\x01\x02\x05";
	static const char locations[] = "\x80\x00\xf0\x07\x01\x02\x03\x80\x00";
	struct python_lines l = {PMB_PY_LINES_LNOTAB, 10, lnotab, 4, false};

	cr_expect_eq(python_lines__find(&l, 100), 16);
	l.cut = true;
	cr_expect_eq(python_lines__find(&l, 2), 11);
	cr_expect_eq(python_lines__find(&l, 4), 0);
	l = (struct python_lines){PMB_PY_LINES_LOCATIONS, 10, locations, 9, false};
	cr_expect_eq(python_lines__find(&l, 4), 7);
	l.n = 3;
	cr_expect_eq(python_lines__find(&l, 0), 10);
	cr_expect_eq(python_lines__find(&l, 2), 0);
	l.table = "\x7f\x80"; /* what begins no entry */
	cr_expect_eq(python_lines__find(&l, 0), 0);
	l = (struct python_lines){PMB_PY_LINES_LOCATIONS + 1, 10, locations, 9, false};
	cr_expect_eq(python_lines__find(&l, 0), 0);
}

Test(python_lines, no_line_below_1)
{
	struct python_lines l = {PMB_PY_LINES_LINETABLE, 2, "\x02\xfe\x02\x01", 4, false};

	cr_expect_eq(python_lines__find(&l, 0), 0);
	cr_expect_eq(python_lines__find(&l, 2), 1);
	l.first = 0xffffffff;
	cr_expect_eq(python_lines__find(&l, 0), 0);
}

/* --- the interpreters' own words --- */

static uint32_t kind_of(uint32_t version)
{
	uint32_t minor = version >> 16 & 0xff;

	return minor < 10  ? PMB_PY_LINES_LNOTAB :
	       minor == 10 ? PMB_PY_LINES_LINETABLE :
			     PMB_PY_LINES_LOCATIONS;
}

/* Returns how many instructions are wrong. */
static uint64_t compare(const struct python_lines *l, const int32_t *lines, uint32_t n)
{
	uint64_t wrong = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t want = lines[i] > 0 ? (uint32_t)lines[i] : 0;

		wrong += python_lines__find(l, 2 * (int64_t)i) != want;
	}
	return wrong;
}

static bool get(FILE *from, void *to, size_t size)
{
	return fread(to, 1, size, from) == size;
}

static void compare_all(FILE *from, const char *python)
{
	_cleanup_free_ char *table = xcalloc(TABLE_MAX, 1);
	_cleanup_free_ int32_t *lines = xcalloc(INSTRUCTIONS_MAX, sizeof(*lines));
	uint64_t functions = 0, instructions = 0, wrong = 0;
	uint32_t version, head[3]; /* first line, bytes, instructions */

	if (!get(from, &version, sizeof(version)))
		return; /* it has no ctypes */
	while (get(from, head, sizeof(head))) {
		struct python_lines l = {kind_of(version), head[0], table, head[1], false};

		cr_assert(head[1] <= TABLE_MAX && head[2] <= INSTRUCTIONS_MAX);
		cr_assert(get(from, table, head[1]) && get(from, lines, head[2] * sizeof(*lines)));
		wrong += compare(&l, lines, head[2]);
		instructions += head[2];
		functions++;
	}
	cr_expect_eq(wrong, 0, "%s: %lu of %lu instructions", python, wrong, instructions);
	cr_expect_gt(functions, 300, "%s: only %lu functions", python, functions);
	fprintf(stderr, "%s: %lu functions, %lu instructions, %lu wrong\n", python, functions,
		instructions, wrong);
}

static void ask(const char *python)
{
	_cleanup_free_ char *command =
		xasprintf("exec '%s' -I -W ignore '%s' ${PYTHON_FILES:-%d} 2>/dev/null", python,
			  ORACLE, FILES);
	FILE *from = popen(command, "r");

	cr_assert(from);
	compare_all(from, python);
	pclose(from);
}

Test(python_lines, as_the_interpreters_say)
{
	static const char *const patterns[] = {"/usr/bin/python3.[0-9]",
					       "/usr/bin/python3.[0-9][0-9]",
					       "/root/.pyenv/versions/3.*/bin/python3"};
	glob_t found = {0};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(patterns); i++)
		glob(patterns[i], i ? GLOB_APPEND : 0, NULL, &found);
	if (!found.gl_pathc)
		cr_skip("no CPython is here");
	for (i = 0; i < found.gl_pathc; i++)
		ask(found.gl_pathv[i]);
	globfree(&found);
}
