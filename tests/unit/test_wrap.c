// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>

#include "base/cleanup.h"
#include "render/wrap.h"

static void expect(const char *in, unsigned width, const char *want)
{
	_cleanup_(buf__done) struct buf out = {0};

	buf__puts(&out, "");
	wrap_lines(&out, in, width);
	cr_expect_str_eq(out.data, want);
}

Test(wrap, what_fits_stays)
{
	expect("", 20, "");
	expect("one two\n  three\n\nfour", 20, "one two\n  three\n\nfour");
	expect("12345 7890\n", 10, "12345 7890\n");
	expect("as long as one likes\n", 0, "as long as one likes\n");
}

Test(wrap, the_rest_is_further_in)
{
	expect("  cost: one two three four\nnext\n", 12,
	       "  cost: one\n    two\n    three\n    four\nnext\n");
	expect("12345 7890 2\n", 10, "12345 7890\n  2\n");
}

Test(wrap, a_word_is_never_cut)
{
	expect("  /a/very/long/path/indeed and more\n", 12,
	       "  /a/very/long/path/indeed\n    and more\n");
	expect("/a/very/long/path\n", 12, "/a/very/long/path\n");
}

Test(wrap, a_number_keeps_its_percent_sign)
{
	expect("it took 1.5 %; more\n", 12, "it took\n  1.5 %;\n  more\n");
}

/* Spaces between words are kept but where a line ends, and an indent is no place to end one. */
Test(wrap, spaces)
{
	expect("a  b  c  d\n", 5, "a  b\nc  d\n");
	expect("          deeper than that\n", 12, "          deeper\nthan that\n");
	expect("abc def   ", 8, "abc def");
}

Test(wrap, characters_not_bytes)
{
	expect("\xc3\xa4\xc3\xa4\xc3\xa4 \xc3\xb6\xc3\xb6 \xc3\xbc\n", 8,
	       "\xc3\xa4\xc3\xa4\xc3\xa4 \xc3\xb6\xc3\xb6 \xc3\xbc\n");
	expect("\xff\xff\xff \xff\xff\xff\n", 5, "\xff\xff\xff\n\xff\xff\xff\n");
}
