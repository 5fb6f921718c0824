// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Advice on an agent's windows: how they are named, and what they haven't. */
#include <criterion/criterion.h>
#include <string.h>

#include "advise/say.h"
#include "prof_build.h"

enum { MS = 1000000 };

static struct prof *p;
static struct advice advice;

/* As an agent records by itself. */
static void begin(void)
{
	p = prof__new();
	prof__type(p, "cpu-clock_sample", "count");
	prof__type(p, "cpu-clock_time", "nanoseconds");
}

static void end(void)
{
	p = prof__free(p);
}

TestSuite(advise_windows, .init = begin, .fini = end);

/* So many samples of a millisecond. */
static void ran(const char *stack, int64_t n)
{
	const int64_t values[] = {n, n * MS};

	build_sample(p, build_stack(p, stack), build_labels(p, 1, "a"), values);
}

#define EXPECT_SAYS(text, what) \
	cr_expect(strstr((text).data, what), "no '%s' in:\n%s", what, (text).data)

static void say_windows(const char *profile, bool no_code, struct buf *out)
{
	char *words[] = {NULL};
	struct report report = {.command_line = words, .whole = p, .prof = p};
	const struct saying saying = {
		.report = &report,
		.advice = &advice,
		.profile = profile,
		.no_code = no_code,
		.windows = true,
	};

	report__settle(&report);
	advice__find(&advice, p);
	saying__text(&saying, out);
	advice__done(&advice);
	report__done(&report);
}

Test(advise_windows, windows_are_named_for_who_looks_closer)
{
	_cleanup_(buf__done) struct buf text = {0};

	ran("exc_page_fault@[kernel.kallsyms],touch,main", 300);
	ran("f@[python],PyEval_EvalCode@/lib/libpython3.so,main", 700);
	say_windows("--from /var/lib/pmubpf --since 2026-11-27T18:00:00Z", false, &text);
	EXPECT_SAYS(text, "pmubpf report --tree --callees touch --from /var/lib/pmubpf --since "
			  "2026-11-27T18:00:00Z\n");
	EXPECT_SAYS(text, "pmubpf annotate ");
	buf__clear(&text);
	say_windows("--from URL", true, &text);
	cr_expect_null(strstr(text.data, "annotate"));
}

/* Once for all rules that take the same. */
Test(advise_windows, what_windows_lack_is_said_once)
{
	_cleanup_(buf__done) struct buf text = {0};
	const char *at;

	ran("work,main", 1000);
	say_windows("--from DIR", false, &text);
	EXPECT_SAYS(text, "Nothing stands out in 1,000 samples of cpu-clock.\n");
	EXPECT_SAYS(text, ": locks, run-queue, disk\n(off-cpu, beside a clock); cache-misses");
	EXPECT_SAYS(text, "`pmubpf agent -e");
	at = strstr(text.data, "Not looked for");
	cr_expect_null(strstr(at + 1, "Not looked for"));
	cr_expect_null(strstr(text.data, "weren't looked for"));
	for (const char *line = text.data; *line; line += strcspn(line, "\n") + 1)
		cr_expect_lt(strcspn(line, "\n"), 80);
}
