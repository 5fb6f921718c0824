// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Intervals of before: what is read of them, and that nothing else is taken. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/stat_baseline.h"

#define LINE                                                                                   \
	"{\"version\": \"1\", \"from_s\": 0, \"to_s\": 1.5, \"rows\": ["                       \
	"{\"cpu\": 0, \"events\": ["                                                           \
	"{\"name\": \"a\", \"status\": \"counted\", \"scaled\": 3, \"user_only\": false}, "    \
	"{\"name\": \"b:u\", \"status\": \"counted\", \"scaled\": 4, \"user_only\": true}]}, " \
	"{\"cpu\": 1, \"events\": ["                                                           \
	"{\"name\": \"a\", \"status\": \"counted\", \"scaled\": 30, \"user_only\": false}, "   \
	"{\"name\": \"b:u\", \"status\": \"not counted\", \"scaled\": null}]}], "              \
	"\"per\": {\"ended\": 5}}\n"

static struct stat_baseline asking(void)
{
	struct stat_baseline b = {.n_columns = 3};

	b.columns = xcalloc(3, sizeof(*b.columns));
	b.columns[0].name = "a";
	b.columns[1].name = "b";
	return b;
}

static int parse(struct stat_baseline *b, const char *text, struct err *err)
{
	_cleanup_free_ char *copy = xstrdup(text);

	return stat_baseline__parse(b, copy, strlen(copy), "it", err);
}

/* All rows together, of what never ran nothing; a name that was narrowed. */
Test(stat_baseline, what_is_read)
{
	_cleanup_(stat_baseline__done) struct stat_baseline b = asking();
	struct err err = {0};

	cr_assert_eq(parse(&b, LINE "\n" LINE, &err), 0, "%s", err.text);
	cr_assert_eq(b.n, 2);
	for (size_t i = 0; i < 6; i += 3)
		cr_expect(b.cells[i] == 33 && b.cells[i + 1] == 4 && b.cells[i + 2] == 5);
	cr_expect(!b.columns[0].user_only && b.columns[1].user_only);
	cr_expect_eq(stat_baseline__span(&b), 1.5);
}

Test(stat_baseline, a_line_is_named)
{
	_cleanup_(stat_baseline__done) struct stat_baseline b = asking();
	struct err err = {0};

	cr_expect_lt(parse(&b, LINE LINE "\n\n[1]\n", &err), 0);
	cr_expect_str_eq(err.text, "--baseline it:5: it has no 'from_s' and 'to_s': not a line of "
				   "stat -I --json");
	cr_expect_eq(err.exit_code, EXIT_USAGE);
}

/* Any byte another one, or missing, or the end: it is taken and its numbers are counts, or there is
 * one line that says why not. */
Test(stat_baseline, whatever_is_changed)
{
	static const char bytes[] = "\0\n\"\\[{]},:-+eE.x9 \xff";

	for (size_t at = 0; at < strlen(LINE); at++) {
		for (size_t k = 0; k < sizeof(bytes) + 1; k++) {
			_cleanup_(stat_baseline__done) struct stat_baseline b = asking();
			_cleanup_free_ char *text = xstrdup(LINE);
			size_t len = strlen(text);
			struct err err = {0};

			if (k < sizeof(bytes))
				text[at] = bytes[k];
			else
				len = at;
			if (stat_baseline__parse(&b, text, len, "it", &err) < 0) {
				cr_expect(*err.text && !strchr(err.text, '\n'), "%zu", at);
				continue;
			}
			for (size_t i = 0; i < b.n * b.n_columns; i++)
				cr_expect(isfinite(b.cells[i]) && b.cells[i] >= 0, "%zu", at);
		}
	}
}
