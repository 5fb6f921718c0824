// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "prof_build.h"
#include "ship/answer.h"
#include "ship/binary.h"
#include "ship/fill.h"
#include "ship/frame_text.h"
#include "ship/name_rows.h"
#include "ship/rows.h"
#include "ship/schema.h"
#include "ship/state.h"
#include "ship/url.h"

static const struct rows_window window = {"h1", "00112233445566778899aabbccddeeff", 7};

/* What a server makes of rows: the reply to each question, from what was inserted. */

static const char *copy_string(struct cursor *c, struct buf *out)
{
	size_t len;
	const char *text = binary__take(c, &len);

	cr_assert(text);
	binary__bytes(out, text, len);
	return text;
}

static void copy_array(struct cursor *c, struct buf *out)
{
	uint64_t n = cursor__uleb(c);

	binary__length(out, n);
	for (uint64_t i = 0; i < n; i++)
		copy_string(c, out);
}

static void answer_samples(const struct rows *r, struct buf *out)
{
	_cleanup_(buf__done) struct buf rows = {0};
	struct cursor c;

	rows__put_samples(r, 0, rows__samples(r), 1, &rows);
	c = cursor__over(rows.data, rows.len);
	while (!cursor__done(&c)) {
		cursor__u32(&c);
		cr_assert_eq(cursor__u64(&c), rows_window__hash(&window));
		cr_assert_eq(cursor__u16(&c), 1);
		copy_string(&c, out); /* the host */
		for (const char *const *label = schema_labels; *label; label++)
			copy_string(&c, out);
		copy_array(&c, out);
		copy_string(&c, out);
		for (int i = 0; i < 4; i++)
			binary__u64(out, cursor__u64(&c));
		cr_assert(cursor__ok(&c));
	}
}

static void answer_stacks(const struct rows *r, struct buf *out)
{
	for (size_t i = 0; i < rows__stacks(r); i++) {
		_cleanup_(buf__done) struct buf row = {0};

		rows__put_stack(r, i, &row);
		buf__add(out, row.data, 8);
		buf__add(out, row.data + 10, row.len - 10); /* without the day */
	}
}

static void answer_windows(const struct rows *r, struct buf *out, struct buf *comments)
{
	_cleanup_(buf__done) struct buf row = {0};
	struct cursor c;
	uint64_t start, duration;

	rows__put_window(r, &row);
	c = cursor__over(row.data, row.len);
	copy_string(&c, comments); /* the host */
	cursor__skip(&c, 33 + 8 + 8 + 4);
	start = cursor__u64(&c);
	duration = cursor__u64(&c);
	copy_string(&c, out);
	copy_string(&c, out);
	copy_string(&c, out);
	binary__u64(out, cursor__u64(&c));
	copy_string(&c, out);
	copy_string(&c, out);
	binary__u64(out, start);
	binary__u64(out, start);
	binary__u64(out, start + duration);
	binary__u64(out, duration);
	binary__u64(out, 1);
	copy_array(&c, comments);
	cr_assert(cursor__ok(&c));
}

static struct err err;

static int fill(const struct rows *r, struct prof **ret, bool with_stacks)
{
	struct buf windows = {0}, comments = {0}, samples = {0}, stacks = {0};
	struct fill *f = fill__new(0);
	int e;

	err = (struct err){0};
	answer_windows(r, &windows, &comments);
	answer_samples(r, &samples);
	answer_stacks(r, &stacks);
	e = fill__windows(f, windows.data, windows.len, &err);
	if (e == 0)
		e = fill__comments(f, comments.data, comments.len, &err);
	if (e == 0)
		e = fill__samples(f, samples.data, samples.len, &err);
	if (e == 0 && with_stacks)
		e = fill__stacks(f, stacks.data, stacks.len, &err);
	if (e == 0)
		e = fill__end(f, ret, &err);
	if (e == 0)
		cr_assert_eq(fill__missing(f) > 0, !with_stacks);
	fill__free(f);
	buf__done(&windows);
	buf__done(&comments);
	buf__done(&samples);
	buf__done(&stacks);
	return e;
}

/* All of a profile, whatever its numbers are: a line for each sample. */
static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *text_of_sample(const struct prof *p, size_t i, const char *skip)
{
	struct buf b = {0};
	const uint32_t *stack;
	const struct prof_label *labels;
	size_t n = prof__stack_locations(p, p->samples[i].stack, &stack);

	for (size_t k = 0; k < n; k++) {
		const struct prof_location *l = &p->locations[stack[k]];
		const struct prof_mapping *m = &p->mappings[l->mapping];

		buf__printf(&b, "%s %s %lx %lx:", prof__text(p, m->file),
			    prof__text(p, m->build_id), l->address, m->start - m->offset);
		for (uint32_t j = 0; j < l->n_lines; j++) {
			const struct prof_line *line = &p->lines[l->first_line + j];
			const struct prof_function *f = &p->functions[line->function];

			buf__printf(&b, " %s|%s|%s|%ld|%ld", prof__text(p, f->name),
				    prof__text(p, f->system_name), prof__text(p, f->file),
				    f->start_line, line->line);
		}
	}
	n = prof__label_set(p, p->samples[i].labels, &labels);
	for (size_t pass = 0; pass < 1; pass++) {
		char *texts[16];
		size_t kept = 0;

		for (size_t k = 0; k < n; k++) {
			const char *key = prof__text(p, labels[k].key);

			if (!strstr(skip, key))
				texts[kept++] =
					xasprintf("%s=%s%ld%s", key, prof__text(p, labels[k].text),
						  labels[k].number, prof__text(p, labels[k].unit));
		}
		qsort(texts, kept, sizeof(*texts), by_text);
		for (size_t k = 0; k < kept; k++) {
			buf__printf(&b, " %s", texts[k]);
			free(texts[k]);
		}
	}
	for (size_t t = 0; t < p->n_types; t++)
		buf__printf(&b, " %ld", prof__values(p, i)[t]);
	buf__putc(&b, '\n');
	return buf__take(&b);
}

static char *text_of(const struct prof *p, const char *skip)
{
	char **lines = xcalloc(p->n_samples, sizeof(*lines));
	struct buf b = {0};

	for (size_t i = 0; i < p->n_samples; i++)
		lines[i] = text_of_sample(p, i, skip);
	qsort(lines, p->n_samples, sizeof(*lines), by_text);
	for (size_t i = 0; i < p->n_samples; i++) {
		buf__puts(&b, lines[i]);
		free(lines[i]);
	}
	free(lines);
	return buf__take(&b);
}

static uint32_t mapped(struct prof *p, const char *file, const char *build_id)
{
	return prof__mapping(p, &(struct prof_mapping){
					.start = 0x402000,
					.limit = 0x402fff,
					.offset = 0x2000,
					.file = prof__string(p, file),
					.build_id = prof__string(p, build_id),
				});
}

/* Inlined calls, a linker's name, no name at all, odd characters. */
static struct prof *odd_profile(void)
{
	struct prof *p = build_clock_and_misses();
	uint32_t m = mapped(p, "/bin/a\tb\\", "abcd");
	struct prof_function f = {.name = prof__string(p, "f(int)"),
				  .system_name = prof__string(p, "=_Z1fi"),
				  .file = prof__string(p, "a\tb.c"),
				  .start_line = -3};
	struct prof_line lines[2] = {{prof__function(p, &f), 12}, build_line(p, "main")};
	struct prof_label labels[] = {
		{.key = prof__string(p, "comm"), .text = prof__string(p, "c")},
		{.key = prof__string(p, "a=b#\\"), .text = prof__string(p, "x=y")},
		{.key = prof__string(p, "size"), .number = -5, .unit = prof__string(p, "bytes")},
		{.key = prof__string(p, "container"), .text = prof__string(p, "web'1")},
		{.key = prof__string(p, "namespace"), .text = prof__string(p, "shop")},
		{.key = prof__string(p, "workload"), .text = prof__string(p, "web")},
		{.key = prof__string(p, "image"), .text = prof__string(p, "web:1")},
	};
	uint32_t stack[2];

	stack[0] = prof__location(p, m, 0x402010, lines, 2);
	stack[1] = prof__location(p, m, 0x402abc, NULL, 0);
	build_sample(p, prof__stack(p, stack, 2), prof__labels(p, labels, ARRAY_SIZE(labels)),
		     (const int64_t[]){3, 3000, -2});
	BUILD_SAMPLE(p, "leaf,in+out,root", build_labels(p, 5, "c"), 1, 1000, 0);
	BUILD_SAMPLE(p, "leaf,in+out,root", build_labels(p, 6, "c"), 1, 1001, 4);
	p->time_ns = 1764269280123456789;
	p->duration_ns = 60000000001;
	prof__comment(p, "ledger: balanced");
	return p;
}

Test(ship, there_and_back)
{
	const struct rows_opts all = {.all_labels = true};
	struct prof *p = odd_profile(), *back;
	struct rows *r = rows__new(p, &window, &all);
	char *a, *b;

	cr_assert_eq(fill(r, &back, true), 0, "%s", err.text);
	a = text_of(p, "");
	b = text_of(back, "host");
	cr_assert_str_eq(a, b);
	cr_assert_eq(back->time_ns, p->time_ns);
	cr_assert_eq(back->duration_ns, p->duration_ns);
	cr_assert_str_eq(prof__remark(back, "ledger"), "balanced");
	cr_assert_eq(back->n_types, 3);
	free(a);
	free(b);
	rows__free(r);
	prof__free(p);
	prof__free(back);
}

/* Processes are others in each window: rows that differ in theirs alone are one. */
Test(ship, what_is_fleeting_is_left_out)
{
	const struct rows_opts opts = {0};
	struct prof *p = odd_profile(), *back;
	struct rows *r = rows__new(p, &window, &opts);

	cr_assert_eq(rows__samples(r), 4); /* two events of each of two */
	cr_assert_eq(rows__stacks(r), 2);
	cr_assert_eq(fill(r, &back, true), 0, "%s", err.text);
	cr_assert_eq(back->n_samples, 2);
	rows__free(r);
	prof__free(p);
	prof__free(back);
}

Test(ship, rest_is_other_and_sums_stay)
{
	const struct rows_opts opts = {.max_stacks = 1};
	struct prof *p = odd_profile(), *back;
	struct rows *r;
	int64_t sums[3] = {0};
	char *text;

	BUILD_SAMPLE(p, "rare", build_labels(p, 5, "c"), 1, 77, 0);
	r = rows__new(p, &window, &opts);
	cr_assert_eq(rows__stacks(r), 1);
	cr_assert_eq(rows__others(r), 2);
	cr_assert_eq(fill(r, &back, true), 0, "%s", err.text);
	for (size_t i = 0; i < back->n_samples; i++) {
		for (size_t t = 0; t < 3; t++)
			sums[t] += prof__values(back, i)[t];
	}
	cr_assert_eq(sums[0], 6);
	cr_assert_eq(sums[1], 5078);
	cr_assert_eq(sums[2], 2);
	text = text_of(back, "");
	cr_assert(strstr(text, "[other]"));
	free(text);
	rows__free(r);
	prof__free(p);
	prof__free(back);
}

/* The same stack in another window, in another process: the same hash; a file's stack is that of
 * wherever it is mapped. */
Test(ship, hashes_say_the_same_everywhere)
{
	const struct rows_opts opts = {0};
	struct prof *p = odd_profile(), *q = odd_profile();
	struct rows *a, *b;

	q->mappings[1].start += 0x1000;
	q->mappings[1].offset += 0x1000;
	q->mappings[1].limit += 0x5000;
	a = rows__new(p, &window, &opts);
	b = rows__new(q, &(struct rows_window){"other", "b", 1}, &opts);
	for (size_t i = 0; i < 2; i++)
		cr_assert_eq(rows__stack_hash(a, i), rows__stack_hash(b, i));
	/* what tables have must not change from version to version */
	cr_assert_eq(binary_hash__end(binary_hash__add(BINARY_HASH, "abc", 3)),
		     0x33ebaf9927cbc5bdULL);
	rows__free(a);
	rows__free(b);
	prof__free(p);
	prof__free(q);
}

Test(ship, stacks_that_nobody_knows)
{
	const struct rows_opts opts = {0};
	struct prof *p = odd_profile(), *back;
	struct rows *r = rows__new(p, &window, &opts);
	char *text;

	cr_assert_eq(fill(r, &back, false), 0, "%s", err.text);
	text = text_of(back, "");
	cr_assert(strstr(text, "[unknown]"));
	free(text);
	rows__free(r);
	prof__free(p);
	prof__free(back);
}

/* Each prefix of each reply: an error, or what it says; never more. */
Test(ship, replies_that_are_cut)
{
	const struct rows_opts opts = {0};
	struct prof *p = odd_profile();
	struct rows *r = rows__new(p, &window, &opts);
	struct buf windows = {0}, comments = {0}, samples = {0}, stacks = {0};

	answer_windows(r, &windows, &comments);
	answer_samples(r, &samples);
	answer_stacks(r, &stacks);
	for (size_t n = 1; n < windows.len; n++) {
		struct fill *f = fill__new(0);

		cr_assert_lt(fill__windows(f, windows.data, n, &err), 0);
		fill__free(f);
	}
	for (size_t n = 0; n < samples.len || n < stacks.len; n++) {
		struct fill *f = fill__new(0);
		struct prof *back = NULL;
		int e = fill__windows(f, windows.data, windows.len, &err);

		if (e == 0)
			e = fill__samples(f, samples.data, n < samples.len ? n : samples.len, &err);
		if (e == 0)
			e = fill__stacks(f, stacks.data, n < stacks.len ? n : stacks.len, &err);
		if (e == 0)
			e = fill__end(f, &back, &err);
		cr_assert(e == 0 || e == -EBADMSG);
		prof__free(back);
		fill__free(f);
	}
	buf__done(&windows);
	buf__done(&comments);
	buf__done(&samples);
	buf__done(&stacks);
	rows__free(r);
	prof__free(p);
}

Test(ship, replies_are_bounded)
{
	_cleanup_(buf__done) struct buf stacks = {0};
	struct fill *f = fill__new(1000);

	binary__u64(&stacks, 1);
	binary__length(&stacks, 50);
	for (int i = 0; i < 50; i++)
		binary__string(&stacks, "");
	binary__length(&stacks, 50);
	for (int i = 0; i < 50; i++)
		binary__string(&stacks, "?\t0\t0\t\t");
	cr_assert_eq(fill__windows(f, NULL, 0, &err), 0);
	cr_assert_eq(fill__samples(f, NULL, 0, &err), 0);
	cr_assert_eq(fill__stacks(f, stacks.data, stacks.len, &err), -EFBIG);
	cr_assert_eq(fill__stacks(f, stacks.data, 2000, &err), -EFBIG);
	fill__free(f);
}

/* ---------------------------------------------------------------- names that come later */

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

Test(ship, parts)
{
	size_t from, to;

	rows__part(1, 10, &from, &to);
	cr_assert(from == 0 && to == 10);
	rows__part(2, 10, &from, &to);
	cr_assert(from == 0 && to == 5);
	rows__part(3, 10, &from, &to);
	cr_assert(from == 5 && to == 10);
	for (uint16_t part = 1; part < 512; part++) {
		size_t a, b, c, d;

		rows__part(part, 1001, &from, &to);
		rows__part((uint16_t)(2 * part), 1001, &a, &b);
		rows__part((uint16_t)(2 * part + 1), 1001, &c, &d);
		cr_assert(a == from && b == c && d == to);
	}
}

Test(ship, urls)
{
	static const char *const bad[] = {"clickhouse+http://",        "clickhouse+http://a",
					  "clickhouse+http://a/",      "clickhouse+http://a:0/x",
					  "clickhouse+http://a:/x",    "clickhouse+http://u:p@a/x",
					  "clickhouse+http://a/x?y=1", "http://a/x",
					  "clickhouse+http://[::1/x",  "clickhouse+http://a b/x",
					  "clickhouse+http://a/x/y"};
	struct ship_url url;

	cr_assert_eq(ship_url__parse(&url, "clickhouse+http://127.0.0.1:8123/pmubpf", "--to", &err),
		     0);
	cr_assert_str_eq(url.base, "http://127.0.0.1:8123");
	cr_assert_str_eq(url.database, "pmubpf");
	cr_assert(url.loopback && !url.https);
	ship_url__done(&url);
	cr_assert_eq(ship_url__parse(&url, "clickhouse+https://[fe80::1]/a_1", "--to", &err), 0);
	cr_assert_str_eq(url.base, "https://[fe80::1]:8443");
	cr_assert(!url.loopback && url.https);
	ship_url__done(&url);
	cr_assert_eq(ship_url__parse(&url, "clickhouse+http://127.evil.example/x", "--to", &err),
		     0);
	cr_assert(!url.loopback);
	ship_url__done(&url);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		cr_assert_lt(ship_url__parse(&url, bad[i], "--to", &err), 0, "%s", bad[i]);
}

Test(ship, texts_of_sql_and_of_urls)
{
	_cleanup_(buf__done) struct buf b = {0};

	sql__put_text(&b, "a'b\\c\nd");
	cr_assert_str_eq(b.data, "'a\\'b\\\\c\\x0ad'");
	buf__clear(&b);
	url__put(&b, "a b&c=\xc3\xa9~");
	cr_assert_str_eq(b.data, "a%20b%26c%3D%C3%A9~");
}

static enum answer answer_to(enum http_outcome outcome, unsigned status, const char *text)
{
	const struct http_reply reply = {
		.outcome = outcome,
		.status = status,
		.data = text,
		.len = strlen(text),
	};

	return answer__of(&reply);
}

Test(ship, what_answers_mean)
{
	cr_assert_eq(answer_to(HTTP_ANSWERED, 200, ""), ANSWER_DONE);
	cr_assert_eq(answer_to(HTTP_ANSWERED, 413, ""), ANSWER_SPLIT);
	cr_assert_eq(answer_to(HTTP_ANSWERED, 400, "no"), ANSWER_REFUSED);
	cr_assert_eq(answer_to(HTTP_ANSWERED, 500, "Code: 33, e.displayText()"), ANSWER_REFUSED);
	/* of the shard behind the server, which was killed */
	cr_assert_eq(answer_to(HTTP_ANSWERED, 500, "Code: 32, Attempt to read after eof"),
		     ANSWER_REFUSED);
	cr_assert_eq(answer_to(HTTP_ANSWERED, 500,
			       "Code: 32, Attempt to read after eof: while receiving packet from "
			       "127.0.0.1:9000"),
		     ANSWER_DOUBT);
	cr_assert_eq(answer_to(HTTP_ANSWERED, 404, "Code: 60. DB::Exception"), ANSWER_LATER);
	cr_assert_eq(answer_to(HTTP_ANSWERED, 429, ""), ANSWER_LATER);
	cr_assert_eq(answer_to(HTTP_ANSWERED, 302, ""), ANSWER_LATER);
	cr_assert_eq(answer_to(HTTP_ANSWERED, 503, ""), ANSWER_DOUBT);
	cr_assert_eq(answer_to(HTTP_ANSWERED, 500, "Code: 241, Memory"), ANSWER_DOUBT);
	cr_assert_eq(answer_to(HTTP_NOT_SENT, 0, ""), ANSWER_LATER);
	cr_assert_eq(answer_to(HTTP_UNKNOWN, 0, ""), ANSWER_DOUBT);
	cr_assert_eq(answer_to(HTTP_TOO_LARGE, 200, ""), ANSWER_DOUBT);
}

Test(ship, state)
{
	static const char to[] = "clickhouse+http://a/b";
	struct ship_state *s = xcalloc(2, sizeof(*s));
	struct window_id id = {"00112233445566778899aabbccddeeff", 42};
	_cleanup_(buf__done) struct buf text = {0}, again = {0};

	ship_state__set_next(&s[0], &id);
	id.seq = 43;
	ship_state__set_next(&s[0], &id);
	s[0].sending = id;
	s[0].sent = 5;
	s[0].uncertain = 1;
	ship_state__print(&s[0], to, &text);
	cr_assert(ship_state__parse(&s[1], text.data, to));
	ship_state__print(&s[1], to, &again);
	cr_assert_str_eq(text.data, again.data);
	cr_assert_eq(s[1].uncertain, 1);
	cr_assert_eq(ship_state__next(&s[1], id.boot), 43);
	cr_assert_eq(ship_state__next(&s[1], "ff112233445566778899aabbccddeeff"), -1);
	cr_assert_not(ship_state__parse(&s[1], text.data, "clickhouse+http://a/c"));
	for (size_t n = 0; n + 1 < text.len - 1; n++) {
		_cleanup_free_ char *cut = xstrndup(text.data, n);

		cr_assert_not(ship_state__parse(&s[1], cut, to), "%zu", n);
	}
	for (unsigned i = 0; i < STATE_BOOTS + 10; i++) {
		snprintf(id.boot, sizeof(id.boot), "%032x", i);
		ship_state__set_next(&s[0], &id);
	}
	cr_assert_eq(s[0].n_boots, STATE_BOOTS);
	cr_assert_eq(ship_state__next(&s[0], id.boot), 43);
	free(s);
}

Test(ship, schema)
{
	cr_assert(strstr(schema__text("clickhouse"), "EXISTS names ("));
	cr_assert(schema__text("clickhouse-cluster"));
	cr_assert_null(schema__text("x"));
}

static size_t count_of(const char *data, size_t len, const char *text)
{
	size_t n = 0;

	for (size_t i = 0; i + strlen(text) <= len; i++)
		n += memcmp(data + i, text, strlen(text)) == 0;
	return n;
}

/* Those that comments tell, and no others; also of a window whose samples aren't shared. */
Test(rows, alarms)
{
	static const char *const comments[] = {
		"alarm: 2026-11-28T21:40:03.123Z raised 'a ~ b': 51.2 % above what was usual since "
		"2026-11-28T21:39:59.002Z, 2400 where 1587.4 were expected",
		"alarm: at 75.0 s 'a ~ b' was 51.2 % from what was usual",
		"alarm: 2026-11-28T21:41:03.123Z over 'a ~ b': 40.0 % above what was usual since "
		"2026-11-28T21:39:59.002Z, 24000 where 17143.0 were expected",
		"warning: alarm",
	};
	struct prof *p = prof__new();

	for (size_t i = 0; i < ARRAY_SIZE(comments); i++)
		prof__comment(p, comments[i]);
	for (unsigned one_of = 1; one_of <= 100; one_of += 99) {
		struct rows_opts opts = {.one_of = one_of};
		struct rows *r = rows__new(p, &window, &opts);
		struct buf out = {0};
		double percent = 51.2;

		cr_expect_eq(rows__alarms(r), 2);
		rows__put_alarms(r, &out);
		cr_expect_eq(out.len, 2 * (3 + 33 + 8 + 8 + 4 + 8 + 8 + 6 + 3 * 8) + 7 + 5);
		cr_expect_eq(count_of(out.data, out.len, "\x06raised"), 1);
		cr_expect_eq(count_of(out.data, out.len, "\x04over"), 1);
		cr_expect_eq(memcmp(out.data + 3 + 33 + 8 + 8 + 4 + 8 + 8 + 6 + 7, &percent,
				    sizeof(percent)),
			     0);
		buf__done(&out);
		rows__free(r);
	}
	prof__free(p);
}
