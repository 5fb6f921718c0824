/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is advised of a profile by hand. */
#ifndef TESTS_UNIT_ADVISE_FOUND_H
#define TESTS_UNIT_ADVISE_FOUND_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "advise/say.h"
#include "prof_build.h"

static struct prof *p;
static struct advice advice;

static inline void end(void)
{
	p = prof__free(p);
}

/* "disk,locks": the findings in their order. */
static inline void expect_found(const char *want, int line)
{
	_cleanup_(buf__done) struct buf got = {0};

	advice__find(&advice, p);
	buf__puts(&got, "");
	for (size_t i = 0; i < advice.n; i++)
		buf__printf(&got, "%s%s", i ? "," : "", advice.order[i]->rule->id);
	cr_expect_str_eq(got.len ? got.data : "", want, "line %d: %s", line,
			 got.len ? got.data : "nothing");
	advice__done(&advice);
}
#define EXPECT_FOUND(want) expect_found(want, __LINE__)

static inline void say(bool all, bool json, struct buf *out)
{
	char *files[] = {(char *)"a b.pb.gz"};
	char *words[] = {NULL};
	struct report report = {.command_line = words,
				.files = files,
				.n_files = 1,
				.whole = p,
				.prof = p};
	const struct saying saying = {.report = &report, .advice = &advice, .all = all};

	report__settle(&report);
	advice__find(&advice, p);
	(json ? saying__json : saying__text)(&saying, out);
	advice__done(&advice);
	report__done(&report);
}

#define EXPECT_SAYS(text, words) \
	cr_expect_not_null(strstr((text).data, words), "no '%s' in %s", words, (text).data)

#endif
