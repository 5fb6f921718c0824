// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "sym/texts.h"

static struct texts *t;

static void end(void)
{
	t = texts__free(t);
}

TestSuite(texts, .fini = end);

static const char *add(const char *text)
{
	return texts__add(t, text, strlen(text));
}

Test(texts, the_same_is_there_once)
{
	const char *first;
	uint64_t bytes;

	t = texts__new(0);
	first = add("main");
	bytes = texts__totals(t).bytes;
	for (int i = 0; i < 5000; i++) {
		char text[32];

		snprintf(text, sizeof(text), "f%d", i);
		cr_assert_str_eq(add(text), text);
	}
	cr_expect_eq(add("main"), first);
	cr_expect_gt(texts__totals(t).bytes, bytes);
	bytes = texts__totals(t).bytes;
	add("f17");
	cr_expect_eq(texts__totals(t).bytes, bytes);
}

/* What is of no use if it is cut. */
Test(texts, whole_ones)
{
	static char text[3000];
	const char *first;

	t = texts__new(TEXTS_GROUPS_FULL * (sizeof(text) + 100));
	memset(text, 'x', sizeof(text));
	first = texts__add_whole(t, text, sizeof(text));
	cr_assert(first);
	cr_expect_eq(strlen(first), sizeof(text));
	text[0] = 'y';
	cr_expect_null(texts__add_whole(t, text, sizeof(text)), "the group is full");
	texts__next_group(t);
	cr_expect(texts__add_whole(t, text, sizeof(text)));
	cr_expect_eq(texts__totals(t).cut, 0);
}

Test(texts, long_ones_are_cut_and_stay_distinct)
{
	char a[TEXT_MAX + 100], b[sizeof(a)];
	const char *x, *y;

	t = texts__new(0);
	memset(a, 'x', sizeof(a));
	memset(b, 'x', sizeof(b));
	b[sizeof(b) - 1] = 'y';
	cr_expect_eq(strlen(texts__add(t, a, TEXT_MAX)), TEXT_MAX);
	cr_expect_eq(texts__totals(t).cut, 0);
	x = texts__add(t, a, sizeof(a));
	y = texts__add(t, b, sizeof(b));
	cr_expect_leq(strlen(x), TEXT_MAX);
	cr_expect_neq(x, y);
	cr_expect(strstr(x, "xxx[cut:"));
	cr_expect_eq(texts__totals(t).cut, 2);
	cr_expect_eq(texts__add(t, a, sizeof(a)), x);
}

Test(texts, characters_stay_whole)
{
	char a[2 * TEXT_MAX];

	t = texts__new(0);
	for (size_t i = 0; i < sizeof(a); i++)
		a[i] = i % 2 ? '\xa4' : '\xc3';
	cr_expect(strstr(texts__add(t, a, sizeof(a)), "\xc3\xa4[cut:"));
	for (size_t i = 1; i < sizeof(a); i++)
		a[i] = i % 2 ? '\xc3' : '\xa4';
	a[0] = 'x';
	cr_expect(strstr(texts__add(t, a, sizeof(a)), "\xc3\xa4[cut:"));
}

Test(texts, one_group_does_not_take_all)
{
	size_t shorter = 0;

	t = texts__new(256 * 1024);
	for (int i = 0; i < 200; i++) {
		char text[1001];

		memset(text, 'n', sizeof(text));
		snprintf(text, sizeof(text), "%d", i);
		text[strlen(text)] = 'n';
		if (strlen(texts__add(t, text, 1000)) <= TEXT_SHORT)
			shorter++;
	}
	cr_expect_gt(shorter, 150);
	cr_expect(texts__has_room(t));
	texts__next_group(t);
	cr_expect_not(strstr(add("std::vector<std::pair<long, std::shared_ptr<other>>>::push_back"),
			     "[cut:"));
}

Test(texts, it_is_full)
{
	t = texts__new(4096);
	for (int i = 0; texts__has_room(t); i++) {
		char text[100];

		snprintf(text, sizeof(text), "function_%d", i);
		add(text);
		cr_assert_lt(i, 1000);
	}
	cr_expect_leq(texts__totals(t).bytes, 4096 + 128);
	cr_expect_eq(texts__totals(t).refused, 1);
}
