// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An alarm as a comment of a window, and back. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spool/alarm_line.h"

static const struct alarm_line one = {
	.at_ns = 1795902003123000000,
	.since_ns = 1795901999002000000,
	.word = ALARM_WORD_RAISED,
	.relation = "page-faults ~ syscalls:sys_enter_getppid",
	.percent = 51.2,
	.observed = 2400,
	.expected = 1587.4,
};

static void expect_round(const struct alarm_line *line)
{
	struct buf text = {0}, again = {0};
	struct alarm_line back = {0};
	char *relation = NULL;

	alarm_line__put(line, &text);
	cr_assert(alarm_line__parse(text.data, &back, &relation), "%s", text.data);
	cr_expect_str_eq(back.relation, line->relation);
	cr_expect_eq(back.word, line->word);
	cr_expect_eq(back.at_ns, line->at_ns);
	cr_expect_eq(back.since_ns, line->since_ns);
	cr_expect(back.percent == line->percent, "%f", back.percent);
	alarm_line__put(&back, &again);
	cr_expect_str_eq(again.data, text.data);
	free(relation);
	buf__done(&text);
	buf__done(&again);
}

Test(alarm_line, says_it)
{
	struct buf text = {0};

	alarm_line__put(&one, &text);
	cr_expect_str_eq(text.data,
			 "alarm: 2026-11-28T21:40:03.123Z raised 'page-faults ~ "
			 "syscalls:sys_enter_getppid': 51.2 % above what was usual since "
			 "2026-11-28T21:39:59.002Z, 2400 where 1587.4 were expected");
	buf__done(&text);
}

Test(alarm_line, comes_back)
{
	struct alarm_line line = one;

	expect_round(&line);
	line.word = ALARM_WORD_OVER;
	line.percent = -12.5;
	expect_round(&line);
	line.word = ALARM_WORD_USUAL;
	line.percent = INFINITY;
	line.expected = 0;
	expect_round(&line);
	line.relation = "a{container=it's': 5} ~ b";
	expect_round(&line);
}

Test(alarm_line, what_is_nearly_one_is_none)
{
	static const char end[] = "': 1.0 % above what was usual since 2026-11-28T21:39:59Z, "
				  "1 where 2 were expected";
	static const char *const heads[] = {
		"alarm: at 75.0 s 'a ~ b",
		"alarm: now raised 'a ~ b",
		"alarm: 1h raised 'a ~ b",
		"alarm: 2026-11-28T21:39:59Z rose 'a ~ b",
		"alarm: 2026-11-28T21:39:59Z raised '",
		"alarm: 2026-13-28T21:39:59Z raised 'a ~ b",
		"alarms: 2026-11-28T21:39:59Z raised 'a ~ b",
		"alarm: ",
		"",
	};
	static const char *const whole[] = {
		"alarm: 2026-11-28T21:39:59Z raised 'a ~ b': nan % above what was usual since "
		"2026-11-28T21:39:59Z, 1 where 2 were expected",
		"alarm: 2026-11-28T21:39:59Z raised 'a ~ b': 1 % beside what was usual since "
		"2026-11-28T21:39:59Z, 1 where 2 were expected",
		"alarm: 2026-11-28T21:39:59Z raised 'a ~ b': 1 % above what was usual since "
		"2026-11-28T21:39:59Z, 1e999 where 2 were expected",
		"alarm: 2026-11-28T21:39:59Z raised 'a ~ b': 1 % above what was usual since "
		"2026-11-28T21:39:59Z, 1 where 2 were expected, and more",
		"alarm: 2026-11-28T21:39:59Z raised 'a ~ b': 1 % above what was usual since ",
	};
	struct alarm_line line;
	char *relation = NULL;

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		char text[512];

		snprintf(text, sizeof(text), "%s%s", heads[i], end);
		cr_expect(!alarm_line__parse(text, &line, &relation), "%s", text);
	}
	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++)
		cr_expect(!alarm_line__parse(whole[i], &line, &relation), "%s", whole[i]);
	cr_expect_null(relation);
}
