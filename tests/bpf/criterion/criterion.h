/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stands in for Criterion where its tests run without it: in the kernel (tests/bpf/kernel_step.h)
 * and in guests that don't have it. Only what those tests use. Prints "ok NAME" or "FAIL NAME: why"
 * for each test.
 */
#ifndef TESTS_BPF_CRITERION_H
#define TESTS_BPF_CRITERION_H

#include <setjmp.h>
#include <stdio.h>

struct test {
	const char *name;
	void (*run)(void);
	struct test *next;
};

static struct test *all_tests, **last_test = &all_tests;
static jmp_buf test_end;
static char test_why[512]; /* the first thing that was not as expected; empty: none */

#define Test(suite, title)                                                         \
	static void suite##_##title(void);                                         \
	__attribute__((constructor)) static void add_##suite##_##title(void)       \
	{                                                                          \
		static struct test t = {#suite "_" #title, suite##_##title, NULL}; \
		*last_test = &t;                                                   \
		last_test = &t.next;                                               \
	}                                                                          \
	static void suite##_##title(void)

#define cr_expect_(ok, text, ...)                                                             \
	({                                                                                    \
		bool is_ok = (ok);                                                            \
		if (!is_ok && !*test_why) {                                                   \
			int len = snprintf(test_why, sizeof(test_why) / 2 - 1, "line %d: %s", \
					   __LINE__, text);                                   \
			if (len > (int)sizeof(test_why) / 2 - 2)                              \
				len = sizeof(test_why) / 2 - 2;                               \
			snprintf(test_why + len, sizeof(test_why) / 2, " " __VA_ARGS__);      \
		}                                                                             \
		is_ok;                                                                        \
	})
#define cr_assert_(ok, text, ...)                       \
	do {                                            \
		if (!cr_expect_(ok, text, __VA_ARGS__)) \
			longjmp(test_end, 1);           \
	} while (0)
#define cr_expect_eq(a, b, ...) ((void)cr_expect_((a) == (b), #a " == " #b, __VA_ARGS__))
#define cr_assert_eq(a, b, ...) cr_assert_((a) == (b), #a " == " #b, __VA_ARGS__)
#define cr_assert_lt(a, b, ...) cr_assert_((a) < (b), #a " < " #b, __VA_ARGS__)

static void run_test(const struct test *t)
{
	*test_why = '\0';
	if (!setjmp(test_end))
		t->run();
}

/* 0, or 1 if any test failed. */
static int run_all_tests(void)
{
	int failed = 0;

	for (struct test *t = all_tests; t; t = t->next) {
		run_test(t);
		printf("%s %s%s%s\n", *test_why ? "FAIL" : "ok", t->name, *test_why ? ": " : "",
		       test_why);
		failed |= *test_why != '\0';
	}
	return failed;
}

#endif
