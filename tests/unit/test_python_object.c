// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <linux/types.h>
#include <string.h>

#include "pmubpf/record.h"
#include "symd/python_object.h"

enum { LATIN = 1, UCS2 = 2, UCS4 = 4 };

struct text {
	unsigned kind;
	uint64_t length;
	const void *bytes;
	uint32_t n;
};

/* As it travels: from `line` on. */
static size_t object(const struct text *name, const struct text *file, uint8_t *to)
{
	struct pmb_object o = {.line = 7};
	const size_t head = offsetof(struct pmb_object, bytes) - offsetof(struct pmb_object, line);

	o.name = (struct pmb_py_text){name->kind << 2, name->n, name->length};
	o.file = (struct pmb_py_text){file->kind << 2, file->n, file->length};
	memcpy(o.bytes, name->bytes, name->n);
	memcpy(o.bytes + name->n, file->bytes, file->n);
	memcpy(to, &o.line, head + name->n + file->n);
	return head + name->n + file->n;
}

static void expect(const struct text *name, const char *want)
{
	const struct text file = {LATIN, 4, "a.py", 4};
	uint8_t bytes[sizeof(struct pmb_object)];
	size_t n = object(name, &file, bytes);
	struct python_function f;

	cr_assert(python_function__read(&f, bytes, n, 0));
	cr_expect_str_eq(f.name.data, want);
	cr_expect_str_eq(f.file.data, "a.py");
	cr_expect_eq(f.first, 7);
	cr_expect_eq(f.line, 7);
	python_function__done(&f);
	/* cut anywhere, it is no more than is there */
	for (size_t i = 0; i < n; i++) {
		python_function__read(&f, bytes, i, 0);
		python_function__done(&f);
	}
}

Test(python_object, texts_become_utf8)
{
	expect(&(struct text){LATIN, 8, "Class.me", 8}, "Class.me");
	expect(&(struct text){LATIN, 5,
			      "gr\xf6\xdf"
			      "e",
			      5},
	       "gr\xc3\xb6\xc3\x9f"
	       "e");
	expect(&(struct text){UCS2, 2, "\xa9\x03x\0", 4}, "\xce\xa9x");
	expect(&(struct text){UCS4, 1, "\x00\xf6\x01\x00", 4}, "\xf0\x9f\x98\x80");
}

Test(python_object, what_is_no_character_is_replaced)
{
	expect(&(struct text){LATIN, 3, "a\0b", 3}, "a\xef\xbf\xbd"
						    "b");
	expect(&(struct text){UCS2, 1, "\x00\xd8", 2}, "\xef\xbf\xbd");
	expect(&(struct text){UCS4, 1, "\xff\xff\xff\xff", 4}, "\xef\xbf\xbd");
}

Test(python_object, what_was_cut_says_so)
{
	expect(&(struct text){LATIN, 1ULL << 62, "abc", 3}, "abc...");
	/* an odd byte is no character */
	expect(&(struct text){UCS2, 9, "a\0b", 3}, "a...");
}

Test(python_object, what_has_no_name_is_refused)
{
	const struct text file = {LATIN, 4, "a.py", 4};
	uint8_t bytes[sizeof(struct pmb_object)];
	struct python_function f;
	size_t n = object(&(struct text){LATIN, 5, "", 0}, &file, bytes);

	cr_expect(!python_function__read(&f, bytes, n, 0));
	python_function__done(&f);
	n = object(&(struct text){3, 5, "abcde", 5}, &file, bytes); /* of no such kind */
	cr_expect(!python_function__read(&f, bytes, n, 0));
	python_function__done(&f);
	cr_expect(!python_function__read(&f, "", 0, 0));
	python_function__done(&f);
}

/* Of 3.10: on line 8 the first instruction, on line 10 the next two. */
static uint32_t line_with_table_of(uint32_t kind, uint64_t length, uint32_t position)
{
	static const char steps[] = "\x02\x01\x04\x02";
	const struct text name = {LATIN, 5, "hello", 5}, file = {LATIN, 4, "a.py", 4};
	struct pmb_py_table table = {kind, sizeof(steps) - 1, length};
	uint8_t bytes[sizeof(struct pmb_object)];
	struct python_function f;
	size_t n = object(&name, &file, bytes);

	memset(bytes + n, 0, 7);
	n += 7; /* texts of 9 bytes */
	memcpy(bytes + n, &table, sizeof(table));
	memcpy(bytes + n + sizeof(table), steps, sizeof(steps) - 1);
	n += sizeof(table) + sizeof(steps) - 1;
	for (size_t i = 0; i < n; i++) { /* whatever is missing */
		bool named = python_function__read(&f, bytes, i, position);

		cr_expect(!named || i <= n - sizeof(table) - sizeof(steps) + 1 || !f.line);
		python_function__done(&f);
	}
	cr_assert(python_function__read(&f, bytes, n, position));
	cr_expect_str_eq(f.name.data, "hello");
	cr_expect_str_eq(f.file.data, "a.py");
	cr_expect_eq(f.first, 7);
	python_function__done(&f);
	return f.line;
}

static uint32_t line_with_table(uint64_t length, uint32_t position)
{
	return line_with_table_of(PMB_PY_LINES_LINETABLE, length, position);
}

Test(python_object, one_line_for_all_positions)
{
	cr_expect_eq(line_with_table_of(PMB_PY_LINES_ONE, 30, 0), 30);
	cr_expect_eq(line_with_table_of(PMB_PY_LINES_ONE, 30, 9), 30);
	cr_expect_eq(line_with_table_of(PMB_PY_LINES_ONE, INT32_MAX, 0), INT32_MAX);
	cr_expect_eq(line_with_table_of(PMB_PY_LINES_ONE, 1ULL << 31, 0), 0);
	cr_expect_eq(line_with_table_of(PMB_PY_LINES_ONE, 1ULL << 32 | 5, 0), 0);
}

Test(python_object, a_position_has_a_line)
{
	cr_expect_eq(line_with_table(4, 1), 7); /* it has not begun */
	cr_expect_eq(line_with_table(4, 2), 8);
	cr_expect_eq(line_with_table(4, 3), 10);
	cr_expect_eq(line_with_table(4, 4), 10);
	cr_expect_eq(line_with_table(4, 5), 0); /* behind its end */
	cr_expect_eq(line_with_table(4, 0), 0); /* not known */
	cr_expect_eq(line_with_table(9000, 3), 10);
	cr_expect_eq(line_with_table(9000, 5), 0);
}
