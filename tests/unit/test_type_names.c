// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How long names of types are: with which of their templates' arguments. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/mem.h"
#include "symd/type_names.h"

#define TEN "0123456789"
#define FIFTY TEN TEN TEN TEN TEN

static const struct {
	const char *name, *want;
} cases[] = {
	{"app::node", "app::node"},
	{"std::map<int, std::pair<int, int> >", "std::map<int, std::pair<int, int> >"},
	{"a<b<" FIFTY FIFTY FIFTY ", c<" FIFTY "> >, d<e> >", "a<b<…>, d<…> >"},
	{"a<b<c<" FIFTY FIFTY FIFTY "> >, d>::e<f>", "a<b<c<…> >, d>::e<f>"},
	{"a<" FIFTY FIFTY FIFTY FIFTY ", b<c> >::d", "a<…>::d"},
	{FIFTY FIFTY FIFTY FIFTY "<a>", FIFTY FIFTY FIFTY "0123456…"},
	{"a<" FIFTY FIFTY FIFTY FIFTY ", b<c<d", "a<…"},
	{"a>>>b<" FIFTY FIFTY FIFTY FIFTY ">", "a>>>b<…>"},
	{"operator<<::" FIFTY FIFTY FIFTY "a<b>",
	 "operator<<::" FIFTY FIFTY "012345678901234567890123456789012345678901234…"},
	{"a->b<" FIFTY FIFTY FIFTY FIFTY ">", "a->b<…>"},
	/* a character of UTF-8 isn't cut */
	{FIFTY FIFTY FIFTY "012345éé0123456", FIFTY FIFTY FIFTY "012345…"},
};

Test(type_names, bound)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf got = {0};

		buf__puts(&got, "=");
		type_names__bound(&got, cases[i].name);
		cr_expect_str_eq(got.data + 1, cases[i].want, "%s: %s", cases[i].name, got.data);
		cr_expect_leq(got.len - 1, TYPE_NAME_MAX, "%s", cases[i].name);
		buf__done(&got);
	}
}
