// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "render/escape.h"

static void expect(const char *in, const char *want)
{
	struct buf out = {0};

	buf__puts(&out, "");
	escape_name(&out, in);
	cr_expect_str_eq(out.data, want);
	buf__done(&out);
}

Test(escape, plain_names_stay)
{
	expect("", "");
	expect("main", "main");
	expect("operator<<(std::ostream&, A const&) [clone .cold]",
	       "operator<<(std::ostream&, A const&) [clone .cold]");
	expect("<T as core::fmt::Debug>::fmt'\"$@~", "<T as core::fmt::Debug>::fmt'\"$@~");
}

Test(escape, what_ends_a_frame_or_a_line)
{
	expect("a;b", "a\\x3bb");
	expect("a\nb 99", "a\\x0ab 99");
	expect("\r\t\x01\x1b[31m\x7f", "\\x0d\\x09\\x01\\x1b[31m\\x7f");
}

Test(escape, each_line_of_several)
{
	_cleanup_(buf__done) struct buf out = {0};

	escape_lines(&out, "  ", NULL);
	escape_lines(&out, "  ", "");
	cr_expect_eq(out.len, 0);
	escape_lines(&out, "  ", "of a;b: \\\n\x1b[2J\n\nthe last\r");
	cr_expect_str_eq(out.data, "  of a;b: \\\n  \\x1b[2J\n  \n  the last\\x0d\n");
}

Test(escape, what_breaks_a_line_or_turns_it_around)
{
	expect("\xe2\x80\xae"
	       "a",
	       "\\xe2\\x80\\xaea");
	expect("\xe2\x81\xa6", "\\xe2\\x81\\xa6");
	/* U+2028 ends one */
	expect("\xe2\x80\xa8", "\\xe2\\x80\\xa8");
	expect("\xe2\x80\xa7", "\xe2\x80\xa7");
	expect("\xe2\x80\xa6", "\xe2\x80\xa6"); /* … */
}

Test(escape, a_backslash_cannot_pose_as_an_escape)
{
	expect("a\\x3bb", "a\\x5cx3bb");
	expect("\\", "\\x5c");
}

Test(escape, valid_utf8_stays)
{
	expect("gr\xc3\xb6\xc3\x9f"
	       "e",
	       "gr\xc3\xb6\xc3\x9f"
	       "e");
	expect("\xc2\xa0\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf",
	       "\xc2\xa0\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf");
	expect("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
}

Test(escape, what_is_no_utf8_is_written_in_hex)
{
	expect("\x80\xff\xfe", "\\x80\\xff\\xfe");
	expect("\xc0\xaf", "\\xc0\\xaf");
	expect("\xc1\xbf", "\\xc1\\xbf");
	expect("\xe0\x9f\xbf", "\\xe0\\x9f\\xbf");
	expect("\xed\xa0\x80", "\\xed\\xa0\\x80");
	expect("\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf");
	expect("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
	expect("\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80");
	expect("\xc2\x85", "\\xc2\\x85"); /* C1: NEL ends a line for some */
	expect("\xc2\x9b"
	       "31m",
	       "\\xc2\\x9b31m"); /* C1: CSI */
}

Test(escape, a_sentence_keeps_its_marks)
{
	_cleanup_(buf__done) struct buf out = {0};

	escape_line(&out, "a; b\\c \xc3\xa4 \x9b"
			  "31m\n");
	cr_expect_str_eq(out.data, "a; b\\c \xc3\xa4 \\x9b31m\\x0a");
}

static void expect_word(const char *in, const char *want)
{
	_cleanup_(buf__done) struct buf out = {0};

	escape_word(&out, in);
	cr_expect_str_eq(out.data, want);
}

/* As it may be pasted into a shell. */
Test(escape, a_word_for_a_shell)
{
	expect_word("a/b-c.d=1,2:3", "a/b-c.d=1,2:3");
	expect_word("", "''");
	expect_word("a \"b\"; c\\d", "'a \"b\"; c\\d'");
	expect_word("it's", "'it'\\''s'");
	expect_word("gr\xc3\xb6\xc3\x9f", "'gr\xc3\xb6\xc3\x9f'");
	expect_word("$HOME*~", "'$HOME*~'");
	expect_word("a\nb'c\\\x9b"
		    "1m\xc3\xb6",
		    "$'a\\x0ab\\'c\\\\\\x9b1m\\xc3\\xb6'");
}

Test(escape, a_sequence_cut_short_by_the_end)
{
	expect("\xc3", "\\xc3");
	expect("\xe2\x82", "\\xe2\\x82");
	expect("\xf0\x9f\x94", "\\xf0\\x9f\\x94");
	expect("\xe2\x82;", "\\xe2\\x82\\x3b");
}

/* Whatever goes in: nothing that ends a frame or a line comes out, and different names stay
 * different. */
Test(escape, random_bytes_never_forge)
{
	struct buf out = {0};
	char name[16], back[16];

	srand(7);
	for (int round = 0; round < 20000; round++) {
		size_t len = (size_t)rand() % (sizeof(name) - 1), n = 0;

		for (size_t i = 0; i < len; i++)
			name[i] = (char)(rand() % 255 + 1);
		name[len] = '\0';
		buf__clear(&out);
		buf__puts(&out, "");
		escape_name(&out, name);
		cr_assert_null(strpbrk(out.data, ";\n\r\t\x1b\x7f"));
		for (const char *s = out.data; *s; n++) {
			cr_assert_lt(n, len);
			if (s[0] == '\\') {
				char hex[3] = {s[2], s[3], '\0'};

				cr_assert_eq(s[1], 'x');
				back[n] = (char)strtoul(hex, NULL, 16);
				s += 4;
			} else {
				back[n] = *s++;
			}
		}
		cr_assert_eq(n, len);
		cr_assert_arr_eq(back, name, len);
	}
	buf__done(&out);
}
