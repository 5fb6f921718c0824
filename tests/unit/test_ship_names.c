// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Names that come later than the rows that want them. */
#include "ship_there_and_back.h"

/* Places without names: two of one file, one of none. */
static struct prof *unnamed_profile(void)
{
	struct prof *p = build_clock_and_misses();
	uint32_t m = mapped(p, "/bin/a", "abcd"), other = mapped(p, "/bin/b", "");
	uint32_t stack[3] = {prof__location(p, m, 0x402010, NULL, 0),
			     prof__location(p, m, 0x402abc, NULL, 0),
			     prof__location(p, other, 0x402abc, NULL, 0)};

	for (size_t i = 0; i < 3; i++)
		build_sample(p, prof__stack(p, stack + i, 3 - i), 0, (const int64_t[]){1, 10, 0});
	return p;
}

static const struct name_line found[] = {
	{.name = "in", .file = "a.c", .line = 3, .start_line = 1},
	{.name = "out(int)", .system = "_Z3outi", .file = "", .line = 7},
};

static struct name_book *book_of(const struct prof *p)
{
	struct name_book *b = name_book__new();

	name_book__want_all(b, p);
	return b;
}

/* What is asked for of a server is what profiles have. */
Test(names, are_of_places_in_files)
{
	struct prof *p = unnamed_profile();
	struct name_book *b = book_of(p);
	struct name_place place;

	cr_assert_eq(name_book__n(b), 2);
	name_book__get(b, 0, &place);
	cr_expect_str_eq(place.file, "/bin/a");
	cr_expect_str_eq(place.build_id, "abcd");
	cr_expect_eq(place.offset, 0x2010);
	cr_expect_eq(name_book__apply(b, &p), 0, "none is known");
	name_book__put(b, "abcd", 0x2010, found, 2);
	name_book__put(b, "abcd", 0x2011, found, 2);
	name_book__put(b, "ab", 0x2010, found, 2);
	cr_expect_eq(name_book__apply(b, &p), 1);
	cr_expect_eq(p->n_samples, 3);
	name_book__free(b);
	b = book_of(p);
	cr_expect_eq(name_book__n(b), 1, "what has a name keeps it");
	name_book__free(b);
	prof__free(p);
}

/* As rows, and back: a book of another profile of the same file gets them. */
Test(names, there_and_back)
{
	struct prof *p = unnamed_profile(), *q = unnamed_profile();
	_cleanup_(buf__done) struct buf rows = {0}, reply = {0};
	struct name_book *b = book_of(p), *c = book_of(q);
	char *names_of_p, *names_of_q;
	size_t head;

	name_book__put(b, "abcd", 0x2abc, found, 2);
	name_rows__put(b, 1, 20000, &rows);
	head = 5 + 8; /* build-id and offset; the day isn't asked for */
	buf__add(&reply, rows.data, head);
	buf__add(&reply, rows.data + head + 2, rows.len - head - 2);
	for (size_t len = 1; len < reply.len; len++)
		cr_expect_lt(name_rows__take(c, reply.data, len, &err), 0, "%zu bytes", len);
	cr_assert_eq(name_rows__take(c, reply.data, reply.len, &err), 0, "%s", err.text);
	cr_expect_eq(name_book__apply(b, &p), 1);
	cr_expect_eq(name_book__apply(c, &q), 1);
	names_of_p = text_of(p, "");
	names_of_q = text_of(q, "");
	cr_expect_str_eq(names_of_p, names_of_q);
	cr_expect(strstr(names_of_p, "in|in|a.c|1|3 out(int)|_Z3outi||0|7"), "%s", names_of_p);
	free(names_of_p);
	free(names_of_q);
	name_book__free(b);
	name_book__free(c);
	prof__free(p);
	prof__free(q);
}

/* A window whose parts are sent before and after it got names: each row once. */
Test(names, rows_stay_in_their_order)
{
	const struct rows_opts opts = {.max_stacks = 2};
	struct prof *p = unnamed_profile();
	struct name_book *b = book_of(p);
	_cleanup_(buf__done) struct buf before = {0}, after = {0};
	struct cursor a, c;
	struct rows *r = rows__new(p, &window, &opts);
	size_t n = rows__samples(r);

	rows__put_samples(r, 0, n, 1, &before);
	rows__free(r);
	name_book__put(b, "abcd", 0x2010, found, 2);
	name_book__put(b, "abcd", 0x2abc, found, 1);
	cr_assert_eq(name_book__apply(b, &p), 2);
	r = rows__new(p, &window, &opts);
	cr_assert_eq(rows__samples(r), n);
	rows__put_samples(r, 0, n, 1, &after);
	cr_assert_eq(before.len, after.len);
	a = cursor__over(before.data, before.len);
	c = cursor__over(after.data, after.len);
	for (size_t i = 0; i < n; i++) {
		size_t fixed = before.len / n - 8 - 3 * 8;

		cr_expect_arr_eq(cursor__bytes(&a, fixed), cursor__bytes(&c, fixed), fixed);
		cr_expect_eq(cursor__u64(&a) == 0, cursor__u64(&c) == 0, "[other] is of the same");
		cr_expect_arr_eq(cursor__bytes(&a, 24), cursor__bytes(&c, 24), 24);
	}
	rows__free(r);
	name_book__free(b);
	prof__free(p);
}

Test(names, frames_of_a_server)
{
	static const char *const frames[] = {
		"?\t402010\t400000\t/bin/a\tabcd",
		".\t402020\t400000\t/bin/a\tabcd\t=\ta.c\t0\t1",
		"?\t10\t0\t[vdso]\tabcd",
		"?\t10\t0\t/bin/b\t",
	};
	_cleanup_(buf__done) struct buf reply = {0};
	struct name_book *b = name_book__new();
	struct name_place place;
	size_t n;

	for (size_t i = 0; i < ARRAY_SIZE(frames); i++)
		binary__string(&reply, frames[i]);
	cr_assert_eq(name_rows__want(b, reply.data, reply.len, &n, &err), 0, "%s", err.text);
	cr_expect_eq(n, 4);
	cr_assert_eq(name_book__n(b), 1);
	name_book__get(b, 0, &place);
	cr_expect_eq(place.offset, 0x2010);
	cr_expect_lt(name_rows__want(b, "\3abc", 4, &n, &err), 0);
	name_book__free(b);
}
