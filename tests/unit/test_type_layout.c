// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How types lie, from text that anybody may have written. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "model/type_layout.h"
#include "pmubpf/budgets.h"
#include "prof/layouts.h"
#include "prof_build.h"

static bool parses(const char *text)
{
	struct type_layout l = {0};
	bool parsed = type_layout__parse(&l, text, strlen(text));

	type_layout__done(&l);
	return parsed;
}

static const char node[] = "32\n"
			   "0\t0\t4\t1\tkey\tint\n"
			   "0\t8\t16\t2\tat[]\tstruct point\n"
			   "1\t8\t4\t1\tat[].x\tint\n"
			   "1\t12\t4\t1\tat[].y\tint\n"
			   "0\t24\t8\t1\tnext\tstruct node *\n";

Test(type_layout, of_a_structure)
{
	struct type_layout l;

	cr_assert(type_layout__parse(&l, node, strlen(node)));
	cr_expect_eq(l.size, 32);
	cr_expect_not(l.more);
	cr_assert_eq(l.n, 5);
	cr_expect_str_eq(l.members[1].name, "at[]");
	cr_expect_str_eq(l.members[1].type, "struct point");
	cr_expect_eq(l.members[1].count, 2);
	cr_expect_eq(l.members[3].from, 12);
	cr_expect_eq(l.members[3].depth, 1);
	cr_expect_eq(type_layout__parent(&l, 3), 1);
	cr_expect_eq(type_layout__parent(&l, 4), SIZE_MAX);
	cr_expect(type_layout__is_whole(&l, 1));
	cr_expect_not(type_layout__is_whole(&l, 3));
	cr_expect_not(type_layout__is_whole(&l, 4));
	type_layout__done(&l);
	cr_expect(parses("8\tmore\n0\t0\t8\t1\ta\tlong\n"));
}

Test(type_layout, whatever_is_none_is_refused)
{
	static const char *const bad[] = {
		"",
		"\n",
		"8",
		"8\n",
		"0\n0\t0\t8\t1\ta\tlong\n",
		"-8\n0\t0\t8\t1\ta\tlong\n",
		"2199023255552\n0\t0\t8\t1\ta\tlong\n", /* too large */
		"8\tmuch\n0\t0\t8\t1\ta\tlong\n",
		"8\n0\t0\t8\t1\ta\tlong",           /* no end */
		"8\n0\t0\t8\t1\t\tlong\n",          /* no name */
		"8\n0\t0\t8\t1\ta\t\n",             /* no type */
		"8\n0\t0\t8\t1\ta\033[31m\tlong\n", /* control characters */
		"8\n0\t0\t8\t1\ta\tlo\177ng\n",
		"8\n0\t0\t8\ta\tlong\n",    /* a number too few */
		"8\n0\t0\t8\t0\ta\tlong\n", /* no elements */
		"8\n0\t0\t8\t3\ta\tlong\n", /* thirds of a byte */
		"8\n0\t0\t0\t1\ta\tlong\n", /* no bytes */
		"8\n0\t0\t9\t1\ta\tlong\n", /* beyond the whole */
		"8\n0\t4\t8\t1\ta\tlong\n",
		"8\n0\t18446744073709551615\t2\t1\ta\tlong\n", /* overflows */
		"8\n0\t18446744073709551616\t2\t1\ta\tlong\n",
		"8\n1\t0\t8\t1\ta\tlong\n",                         /* within nothing */
		"8\n0\t0\t4\t1\ta\tt\n2\t0\t4\t1\tb\tlong\n",       /* a level is left out */
		"8\n0\t4\t4\t1\ta\tt\n1\t0\t4\t1\ta.b\tint\n",      /* before what it is in */
		"8\n0\t0\t8\t2\ta[]\tt\n1\t0\t8\t1\ta[].b\tlong\n", /* beyond an element */
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		cr_expect_not(parses(bad[i]), "%zu: %s", i, bad[i]);
}

Test(type_layout, no_more_than_the_budgets)
{
	struct buf text = {0}, deep = {0};

	buf__puts(&text, "8\n");
	for (int i = 0; i < BUDGET_LAYOUT_MEMBERS; i++)
		buf__puts(&text, "0\t0\t8\t1\ta\tt\n");
	cr_expect(parses(text.data));
	buf__puts(&text, "0\t0\t8\t1\ta\tt\n");
	cr_expect_not(parses(text.data));
	buf__puts(&deep, "8\n");
	for (int i = 0; i <= 65; i++)
		buf__printf(&deep, "%d\t0\t8\t1\ta\tt\n", i);
	cr_expect_not(parses(deep.data));
	buf__clear(&text);
	buf__puts(&text, "8\n0\t0\t8\t1\t");
	for (int i = 0; i < (BUDGET_LAYOUT_KIB + 1) * 1024; i++)
		buf__putc(&text, 'a');
	buf__puts(&text, "\tt\n");
	cr_expect_not(parses(text.data));
	buf__done(&text);
	buf__done(&deep);
}

/* ---- in profiles */

static char *id_of(const char *type, const char *text)
{
	struct layouts l = {0};
	char *id = xstrdup(layouts__add(&l, type, text, 1));

	layouts__done(&l);
	return id;
}

Test(layouts, the_same_text_has_the_same_id)
{
	char *id = id_of("struct node", node), *same = id_of("struct node[][]", node);
	char *other = id_of("struct nodes", node), *differs = id_of("struct node", "8\n");

	cr_expect_str_eq(id, same);
	cr_expect_str_neq(id, other);
	cr_expect_str_neq(id, differs);
	free(id);
	free(same);
	free(other);
	free(differs);
}

Test(layouts, saved_and_found)
{
	static const char b[] = "8\n0\t0\t8\t1\ta\tlong\n";
	struct prof *p = build_clock_and_misses();
	struct layouts l = {0};
	struct saved_layout *found;
	struct type_layout layout;
	char *id;

	layouts__add(&l, "few", b, 1);
	id = xstrdup(layouts__add(&l, "struct node[]", node, 1));
	cr_expect_str_eq(layouts__add(&l, "struct node[]", node, 1), id);
	prof__add_layout(p, prof__string(p, "of a room"));
	prof__add_layout(p, prof__string(p, "of\na room"));
	layouts__save(&l, p);
	layouts__save(&l, p);
	cr_expect_eq(p->n_layouts, 4);
	cr_expect_eq(p->n_comments, 0);
	prof__add_layout(p, prof__string(p, "twice one\ntext"));
	prof__add_layout(p, prof__string(p, "twice other\ntext"));
	cr_assert_eq(prof__layouts(p, &found), 3);
	cr_expect_str_eq(found[0].id, id);
	cr_expect_str_eq(found[0].type, "struct node");
	cr_assert(type_layout__parse(&layout, found[0].text, strlen(found[0].text)));
	cr_expect_eq(layout.n, 5);
	cr_expect_str_eq(found[1].type, "few");
	cr_expect_str_eq(found[2].type, "one");
	type_layout__done(&layout);
	saved_layouts__free(found, 3);
	layouts__done(&l);
	free(id);
	prof__free(p);
}

/* Those with most samples. */
Test(layouts, no_more_than_the_budget)
{
	enum { MORE = BUDGET_LAYOUTS + 8 };
	static char types[MORE][16];
	struct prof *p = build_clock_and_misses();
	struct layouts l = {0};
	struct saved_layout *found;

	for (int i = 0; i < MORE; i++) {
		snprintf(types[i], sizeof(types[i]), "t%d\n", i);
		layouts__add(&l, types[i], node, (uint64_t)i + 1);
	}
	layouts__save(&l, p);
	cr_assert_eq(prof__layouts(p, &found), BUDGET_LAYOUTS);
	cr_expect_str_eq(found[0].type, "t519?", "%s", found[0].type);
	cr_expect_str_eq(found[BUDGET_LAYOUTS - 1].type, "t8?");
	saved_layouts__free(found, BUDGET_LAYOUTS);
	layouts__done(&l);
	prof__free(p);
}
