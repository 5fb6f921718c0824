// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Formulas in text: their values, their names, and what is none. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/formula.h"
#include "base/mem.h"

/* a is 1, b is 2, …; what has more letters isn't known. */
static bool letter(void *ctx, const char *name, double *ret)
{
	(void)ctx;
	*ret = *name - 'a' + 1;
	return strlen(name) == 1;
}

static void put_letter(void *ctx, const char *name, struct buf *out)
{
	(void)ctx;
	buf__puts(out, name);
}

static const struct {
	const char *text;
	double value;
} values[] = {
	{"2 + 3 * 4", 14},
	{"( 2 + 3 ) * 4", 20},
	{"8 / 4 / 2", 1},
	{"8 - 4 - 2", 2},
	{"-2 * -( 3 )", 6},
	{"1e3 + 0.5", 1000.5},
	{"a + b * c", 7},
	{"min( 3 , max( 1 , 2 ) )", 2},
	{"1 if 1 else 2", 1},
	{"1 if 0 else 2", 2},
	{"1 if 0 else 2 if 0 else 3", 3},
	{"1 - a / b if 0 else 0", 0},
	{"( ( b / 2 ) if a else ( unknown ) ) * 4", 4},
	{"a < b", 1},
	{"a > b | b > a & 1", 1},
	{"( a > b | b > a ) & 0", 0},
	{"100 * ( c / ( ( 4 ) * ( b ) ) )", 37.5},
};

Test(formula, its_value)
{
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		_cleanup_(buf__done) struct buf text = {0};
		struct formula *f = NULL, *again = NULL;
		double value = -1;

		cr_assert_eq(formula__parse(&f, values[i].text), 0, "%s", values[i].text);
		cr_expect(formula__eval(f, letter, NULL, &value), "%s", values[i].text);
		cr_expect_float_eq(value, values[i].value, 1e-9, "%s: %g", values[i].text, value);
		formula__put(f, put_letter, NULL, &text);
		cr_assert_eq(formula__parse(&again, text.data), 0, "%s", text.data);
		cr_expect(formula__eval(again, letter, NULL, &value), "%s", text.data);
		cr_expect_float_eq(value, values[i].value, 1e-9, "%s: %g", text.data, value);
		formula__free(f);
		formula__free(again);
	}
}

Test(formula, without_a_value)
{
	static const char *const texts[] = {"1 / 0",   "1 / ( a - 1 )", "max( 1 / 0 , 3 )",
					    "unknown", "a + unknown",   "1e308 * 1e308"};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct formula *f = NULL;
		double value = 7;

		cr_assert_eq(formula__parse(&f, texts[i]), 0, "%s", texts[i]);
		cr_expect(!formula__eval(f, letter, NULL, &value), "%s: %g", texts[i], value);
		cr_expect_eq(value, 7);
		formula__free(f);
	}
}

Test(formula, none)
{
	static const char *const texts[] = {
		"",       " ",       "1 +",      "( 1", "1 )",       "1 2",
		"max(1)", "min(1,2", "1 if 2",   "if",  "1 if else", "a $ b",
		"1..2",   "1x",      "max 1, 2", "a b", "1 else 2",  "+1",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct formula *f = NULL;

		cr_expect_eq(formula__parse(&f, texts[i]), -EINVAL, "%s", texts[i]);
		cr_expect_null(f);
	}
}

/* Deep ones would use up the stack, long ones memory. */
Test(formula, too_large)
{
	static const char *const pieces[] = {"(", "-", "1 if 1 else ", "1 + ", "max(1, "};

	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		_cleanup_(buf__done) struct buf text = {0};
		struct formula *f = NULL;

		for (int k = 0; k < 100000; k++)
			buf__puts(&text, pieces[i]);
		buf__puts(&text, "1");
		for (int k = 0; k < 100000 && strchr(pieces[i], '('); k++)
			buf__puts(&text, ")");
		cr_expect_eq(formula__parse(&f, text.data), -EINVAL, "%s", pieces[i]);
	}
}

static void add_name(void *ctx, const char *name)
{
	buf__printf(ctx, "%s,", name);
}

Test(formula, names_that_it_needs)
{
	_cleanup_(buf__done) struct buf names = {0};
	struct formula *f = NULL;

	cr_assert_eq(formula__parse(&f,
				    "X.Y:c1 / ( ( b / 2 ) if 0 else ( c ) ) + ( d if e else a )"),
		     0);
	formula__each_name(f, add_name, &names);
	cr_expect_str_eq(names.data, "X.Y:c1,c,d,e,a,");
	formula__free(f);
}
