// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "render/html.h"
#include "render/html_data.h"

static struct prof *p, *old;

static struct prof *with_types(void)
{
	struct prof *prof = prof__new();

	prof__type(prof, "clock_sample", "count");
	prof__type(prof, "clock_time", "nanoseconds");
	return prof;
}

static void begin(void)
{
	p = with_types();
	old = with_types();
}

static void end(void)
{
	p = prof__free(p);
	old = prof__free(old);
}

TestSuite(html, .init = begin, .fini = end);

static uint32_t place(struct prof *prof, uint32_t mapping, const char *name, const char *inlined)
{
	struct prof_function f = {.name = prof__string(prof, name)};
	struct prof_line lines[2] = {{0}};
	size_t n = 0;

	if (inlined) {
		struct prof_function in = {.name = prof__string(prof, inlined)};

		lines[n++].function = prof__function(prof, &in);
	}
	lines[n++].function = prof__function(prof, &f);
	return prof__location(prof, mapping, mapping ? 0x1000 + f.name : 0, lines, n);
}

static void add(struct prof *prof, const char *comm, int64_t pid, const uint32_t *stack, size_t n,
		int64_t samples, int64_t time)
{
	struct prof_label labels[] = {{.key = prof__string(prof, "comm"),
				       .text = prof__string(prof, comm)},
				      {.key = prof__string(prof, "pid"), .number = pid}};
	uint32_t set = prof__labels(prof, labels, 2);
	int64_t *values = prof__sample(prof, prof__stack(prof, stack, n), set);

	values[0] += samples;
	values[1] += time;
}
#define ADD(prof, comm, pid, samples, time, ...)        \
	add(prof, comm, pid, (uint32_t[]){__VA_ARGS__}, \
	    sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), samples, time)

/* ---------------------------------------------------------------- reading it back */

struct reader {
	struct buf data;
	size_t at;
	char *head;
	char **texts;
	size_t n_texts;
};

static uint64_t number(struct reader *r)
{
	uint64_t value = 0;
	int shift = 0;

	for (;; shift += 7) {
		uint8_t byte;

		cr_assert_lt(r->at, r->data.len, "the data ends too early");
		byte = (uint8_t)r->data.data[r->at++];
		value |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return value;
	}
}

static size_t count(const struct reader *r, const char *key)
{
	_cleanup_free_ char *quoted = xasprintf("\"%s\": ", key);
	const char *at = strstr(r->head, quoted);

	cr_assert(at, "no %s in %s", key, r->head);
	return strtoul(at + strlen(quoted), NULL, 10);
}

static void read_head(struct reader *r)
{
	size_t size = number(r);
	char *text, *end_of_text;

	r->head = xstrndup(r->data.data + r->at, size);
	r->at += size;
	text = strstr(r->head, "\"texts\": [");
	cr_assert(text);
	for (text = strchr(text, '['); (text = strchr(text, '"')); text = end_of_text + 1) {
		size_t cap = r->n_texts;

		end_of_text = strchr(text + 1, '"');
		GROW(r->texts, r->n_texts, cap);
		r->texts[r->n_texts++] = xstrndup(text + 1, (size_t)(end_of_text - text - 1));
	}
}

static void reader__done(struct reader *r)
{
	buf__done(&r->data);
	for (size_t i = 0; i < r->n_texts; i++)
		free(r->texts[i]);
	free(r->texts);
	free(r->head);
}

static uint64_t *column(struct reader *r, size_t n)
{
	uint64_t *values = xcalloc(n + 1, sizeof(*values));

	for (size_t i = 0; i < n; i++)
		values[i] = number(r);
	return values;
}

static void free_columns(uint64_t **columns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(columns[i]);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void put_function(struct buf *line, const struct reader *r, uint64_t *const *f, uint64_t i)
{
	buf__printf(line, "%s/%lu", r->texts[f[0][i]], (unsigned long)f[4][i]);
}

/* "{object/7 member/8 load, validated/9} " */
static void put_tower(struct buf *line, const struct reader *r, uint64_t *const *f,
		      uint64_t *const *towers, uint64_t tower)
{
	buf__putc(line, '{');
	for (int i = 0; i < 3; i++) {
		if (i)
			buf__putc(line, ' ');
		if (towers[i][tower])
			put_function(line, r, f, towers[i][tower] - 1);
	}
	buf__puts(line, "} ");
}

/* "<name/duration 2> ", and how many were before, if anything was. */
static void put_windows(struct buf *line, const struct reader *r, uint64_t *const *g, size_t n,
			uint64_t group)
{
	if (!g[4][group] && !g[5][group])
		return;
	buf__printf(line, "<%s/%lu", r->texts[g[4][group]], (unsigned long)g[5][group]);
	for (size_t i = 6; i < n; i++)
		buf__printf(line, " %lu", (unsigned long)g[i][group]);
	buf__puts(line, "> ");
}

/* What the page would know: a line for each row, "pid frame;frame… values", sorted. */
static char *decoded(const struct prof *new, const struct prof *before)
{
	_cleanup_(reader__done) struct reader r = {0};
	_cleanup_(buf__done) struct buf all = {0};
	size_t n_f, n_t, n_g, n_s, n_r, n_frames = 0, depth = 0, at = 0, row = 0;
	uint64_t *f[5], *towers[3], *tower, *g[8], *keep, *adds, *frames, *rows, *group, *values[4],
		path[64];
	size_t n_columns = before ? 4 : 2, n_of_groups = before ? 8 : 7;
	char **lines;

	html_data__encode(&r.data, new, before, NULL);
	read_head(&r);
	n_f = count(&r, "functions"), n_t = count(&r, "towers"), n_g = count(&r, "groups");
	n_s = count(&r, "stacks"), n_r = count(&r, "rows");
	for (int i = 0; i < 5; i++)
		f[i] = column(&r, n_f);
	for (int i = 0; i < 3; i++)
		towers[i] = column(&r, n_t);
	for (size_t i = 0; i < n_of_groups; i++)
		g[i] = column(&r, n_g);
	keep = column(&r, n_s);
	adds = column(&r, n_s);
	for (size_t i = 0; i < n_s; i++)
		n_frames += adds[i];
	frames = column(&r, n_frames);
	rows = column(&r, n_s);
	group = column(&r, n_r);
	tower = column(&r, n_t ? n_r : 0);
	for (size_t i = 0; i < n_columns; i++)
		values[i] = column(&r, n_r);
	cr_expect_eq(number(&r), 0, "there is code");
	cr_assert_eq(r.at, r.data.len, "bytes are left over");

	lines = xcalloc(n_r + 1, sizeof(*lines));
	for (size_t s = 0; s < n_s; s++) {
		cr_assert_leq(keep[s], depth);
		depth = keep[s];
		for (size_t i = 0; i < adds[s]; i++)
			path[depth++] = frames[at++];
		for (size_t k = 0; k < rows[s]; k++, row++) {
			struct buf line = {0};

			buf__printf(&line, "%lu ", (unsigned long)g[2][group[row]]);
			put_windows(&line, &r, g, n_of_groups, group[row]);
			if (n_t)
				put_tower(&line, &r, f, towers, tower[row]);
			for (size_t i = 0; i < depth; i++) {
				buf__puts(&line, i ? ";" : "");
				put_function(&line, &r, f, path[i] >> 1);
				buf__puts(&line, path[i] & 1 ? "i" : "");
			}
			for (size_t c = 0; c < n_columns; c++)
				buf__printf(&line, " %lu", (unsigned long)values[c][row]);
			lines[row] = buf__take(&line);
		}
	}
	cr_assert_eq(row, n_r);
	qsort(lines, n_r, sizeof(*lines), by_text);
	for (size_t i = 0; i < n_r; i++) {
		buf__printf(&all, "%s\n", lines[i]);
		free(lines[i]);
	}
	free(lines);
	free_columns(f, 5);
	free_columns(g, n_of_groups);
	free_columns(towers, 3);
	free(tower);
	free_columns(values, n_columns);
	free(keep);
	free(adds);
	free(frames);
	free(rows);
	free(group);
	return buf__take(&all);
}

/* Kinds: 0 user, 1 kernel, 4 the process. Types: time, then samples. */
Test(html, rows_come_back_with_process_inlined_calls_and_kinds)
{
	struct prof_mapping app = {.file = prof__string(p, "/usr/bin/app")};
	struct prof_mapping kernel = {.file = prof__string(p, "[kernel.kallsyms]")};
	uint32_t m = prof__mapping(p, &app), k = prof__mapping(p, &kernel);
	uint32_t top = place(p, m, "main", NULL), in = place(p, m, "work", "tiny");
	_cleanup_free_ char *text = NULL;

	ADD(p, "app", 7, 1, 10, in, top);
	ADD(p, "app", 7, 2, 20, place(p, k, "read", NULL), in, top);
	ADD(p, "app", 8, 3, 30, top);
	text = decoded(p, NULL);
	cr_assert_str_eq(text, "7 app/6;main/0;work/0;tiny/0i 10 1\n"
			       "7 app/6;main/0;work/0;tiny/0i;read/1 20 2\n"
			       "8 app/6;main/0 30 3\n");
}

/* Addresses of one function, and labels that the page doesn't show, make no rows of their own. */
Test(html, rows_of_the_same_names_are_added_up)
{
	struct prof_mapping app = {.file = prof__string(p, "/usr/bin/app")};
	uint32_t m = prof__mapping(p, &app);
	struct prof_function f = {.name = prof__string(p, "f")};
	struct prof_line line = {prof__function(p, &f), 1};
	_cleanup_free_ char *text = NULL;

	ADD(p, "app", 7, 1, 10, prof__location(p, m, 0x10, &line, 1));
	line.line = 2;
	ADD(p, "app", 7, 2, 20, prof__location(p, m, 0x20, &line, 1));
	text = decoded(p, NULL);
	cr_assert_str_eq(text, "7 app/6;f/0 30 3\n");
}

Test(html, two_profiles_have_one_tree)
{
	struct prof_mapping app = {.file = prof__string(p, "app")}, was = {0};
	uint32_t m = prof__mapping(p, &app), m_old;
	_cleanup_free_ char *text = NULL;

	prof__string(old, "something else before");
	was.file = prof__string(old, "app");
	m_old = prof__mapping(old, &was);
	ADD(p, "app", 7, 1, 10, place(p, m, "f", NULL));
	ADD(p, "app", 7, 4, 40, place(p, m, "new", NULL));
	ADD(old, "app", 7, 2, 20, place(old, m_old, "f", NULL));
	ADD(old, "app", 7, 5, 50, place(old, m_old, "gone", NULL));
	text = decoded(p, old);
	cr_assert_str_eq(text, "7 app/6;f/0 10 1 20 2\n"
			       "7 app/6;gone/0 0 0 50 5\n"
			       "7 app/6;new/0 40 4 0 0\n");
}

Test(html, large_and_negative_values)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_(buf__done) struct buf data = {0};

	ADD(p, "a", 1, 1, INT64_C(0x7ffffffffffffff), place(p, 0, "f", NULL));
	ADD(p, "b", 1, -3, 5, place(p, 0, "f", NULL));
	text = decoded(p, NULL);
	cr_assert_str_eq(text, "1 a/6;f/0 576460752303423487 1\n1 b/6;f/0 5 0\n");
	html_data__encode(&data, p, NULL, NULL);
	cr_assert(strstr(data.data + 2, "\"negative\": 1"));
}

static void add_data(int64_t time, const char *const *texts)
{
	static const char *const keys[] = {"data_object", "data_type", "member", "data_class",
					   "data_access"};
	struct prof_label_list list = {0};
	uint32_t stack = place(p, 0, "f", NULL);
	int64_t *values;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (*texts[i])
			prof__add_text(p, &list, keys[i], texts[i]);
	}
	values = prof__sample(p, prof__stack(p, &stack, 1), prof__labels(p, list.items, list.n));
	values[1] += time;
	free(list.items);
}
#define ADD_DATA(time, ...) add_data(time, (const char *const[]){__VA_ARGS__})

/* 7 object, 8 member, 9 validated, 10 candidate, 11 contradicted, 12 not known. */
Test(html, data_is_as_sure_as_its_class)
{
	_cleanup_free_ char *text = NULL;

	ADD_DATA(1, "table", "struct entry[]", "[].key", "validated", "store");
	ADD_DATA(2, "table", "struct entry[]", "[].key", "contradicted", "");
	ADD_DATA(3, "[heap]", "struct node", "next", "validated", "load");
	ADD_DATA(4, "[heap]", "", "", "address_only", "");
	ADD_DATA(5, "", "struct node (candidate)", "next (candidate)", "candidate", "load");
	ADD_DATA(6, "", "", "", "branch_target", "");
	ADD_DATA(7, "x (candidate)", "", "", "validated, really", "");
	ADD_DATA(8, "", "", "", "", "");
	text = decoded(p, NULL);
	cr_assert_str_eq(
		text,
		"0 {[heap]/7  address only/12} f/0 4 0\n"
		"0 {[no data object]/12  [not recorded]/12} f/0 8 0\n"
		"0 {[no data object]/12  branch target/12} f/0 6 0\n"
		"0 {struct node (candidate)/10 next (candidate)/10 load, candidate/10} f/0 5 0\n"
		"0 {struct node/7 next/8 load, validated/9} f/0 3 0\n"
		"0 {table/7 [].key/8 contradicted/11} f/0 2 0\n"
		"0 {table/7 [].key/8 store, validated/9} f/0 1 0\n"
		"0 {x (candidate)/10  validated, really/12} f/0 7 0\n");
}

/* A sample in a window of thread 7; number 0: nobody has asked for numbers. */
static void add_window(struct prof *prof, const char *window, const char *duration, int64_t number,
		       const char *frame, int64_t time)
{
	struct prof_label_list list = {0};
	uint32_t stack = place(prof, 0, frame, NULL);
	int64_t *values;

	prof__add_number(prof, &list, "pid", 7);
	prof__add_text(prof, &list, "window", window);
	prof__add_text(prof, &list, "duration", duration);
	if (number)
		prof__add_number(prof, &list, "window_number", number);
	values = prof__sample(prof, prof__stack(prof, &stack, 1),
			      prof__labels(prof, list.items, list.n));
	values[1] += time;
	free(list.items);
}

/* Durations: 1 + 2 x 24 of 16.8 ms and more, one more where the end was not seen. */
Test(html, windows_are_counted_once_and_by_duration)
{
	_cleanup_free_ char *text = NULL, *both = NULL;

	add_window(p, "loop", "16.8ms..33.6ms", 1, "f", 1);
	add_window(p, "loop", "16.8ms..33.6ms", 1, "g", 2);
	add_window(p, "loop", "16.8ms..33.6ms", 2, "f", 4);
	add_window(p, "loop", "16.8ms..", 3, "f", 8);
	add_window(p, "syscall:read", "1.02us..2.05us", 4, "f", 16);
	add_window(p, "loop", "slow", 5, "f", 32);
	add_window(old, "loop", "16.8ms..33.6ms", 1, "f", 64);
	text = decoded(p, NULL);
	cr_assert_str_eq(text, "7 <loop/0 1> f/0 32 0\n"
			       "7 <loop/49 2> f/0 5 0\n"
			       "7 <loop/49 2> g/0 2 0\n"
			       "7 <loop/50 1> f/0 8 0\n"
			       "7 <syscall:read/21 1> f/0 16 0\n");
	both = decoded(p, old);
	cr_assert(strstr(both, "7 <loop/49 2 1> f/0 5 0 64 0\n"), "%s", both);
}

Test(html, windows_without_numbers_are_not_counted)
{
	_cleanup_free_ char *text = NULL;

	add_window(p, "loop", "16.8ms..33.6ms", 0, "f", 1);
	text = decoded(p, NULL);
	cr_assert_str_eq(text, "7 <loop/49 0> f/0 1 0\n");
}

Test(html, nothing_was_sampled)
{
	_cleanup_free_ char *text = decoded(p, NULL), *both = decoded(p, old);

	cr_assert_str_eq(text, "");
	cr_assert_str_eq(both, "");
}

/* ---------------------------------------------------------------- the page */

static void put_page(struct buf *out, const struct prof *prof)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *file = open_memstream(&text, &len);

	cr_assert_eq(html__write(file, prof, NULL, NULL), 0);
	fclose(file);
	buf__add(out, text, len);
}

static uint32_t digit(char c)
{
	return c >= 'a' ? (uint32_t)(c - 'a' + 26) :
	       c >= 'A' ? (uint32_t)(c - 'A') :
	       c >= '0' ? (uint32_t)(c - '0' + 52) :
	       c == '+' ? 62 :
			  63;
}

static void from_base64(struct buf *out, const char *text, size_t len)
{
	cr_assert_eq(len % 4, 0);
	for (size_t i = 0; i < len; i += 4) {
		uint32_t bits = 0;
		size_t n = text[i + 2] == '=' ? 1 : text[i + 3] == '=' ? 2 : 3;

		for (size_t k = 0; k < 4; k++)
			bits = bits << 6 | (text[i + k] == '=' ? 0 : digit(text[i + k]));
		for (size_t k = 0; k < n; k++)
			buf__putc(out, (char)(bits >> (16 - 8 * k)));
	}
}

static void check_page(void)
{
	static const char before[] = "<script type=\"text/plain\" id=\"data\">";
	_cleanup_(buf__done) struct buf data = {0}, packed = {0}, unpacked = {0}, page = {0};
	uLongf size;
	const char *at, *to;

	html_data__encode(&data, p, NULL, NULL);
	put_page(&page, p);
	cr_assert(strstr(page.data, "default-src 'none'"));
	cr_assert(!strstr(page.data, "@SCRIPT") && !strstr(page.data, "@STYLE"));
	cr_assert(!strstr(page.data, "alert(1)"));
	at = strstr(page.data, before);
	cr_assert(at);
	at += strlen(before);
	to = strstr(at, "</script>");
	from_base64(&packed, at, (size_t)(to - at));
	size = data.len;
	cr_assert_eq(uncompress(buf__room(&unpacked, data.len), &size, (uint8_t *)packed.data,
				packed.len),
		     Z_OK);
	cr_assert_eq(size, data.len);
	cr_assert_eq(memcmp(unpacked.data, data.data, size), 0);
	cr_assert(strstr(to, "</html>"));
}

Test(html, page_has_the_data_and_no_name_as_it_is)
{
	ADD(p, "<img src=x onerror=alert(1)>", 1, 1, 1,
	    place(p, 0, "</script><script>alert(1)</script>", NULL));
	check_page();
	ADD(p, "b", 1, 1, 1, place(p, 0, "g", NULL));
	check_page(); /* another length: another end of the base64 */
	ADD(p, "bc", 1, 1, 1, place(p, 0, "gh", NULL));
	check_page();
}

Test(html, write_that_fails_is_told)
{
	FILE *full = fopen("/dev/full", "w");

	cr_assert_eq(html__write(full, p, NULL, NULL), -ENOSPC);
	fclose(full);
}

Test(html, code_is_behind_the_columns)
{
	_cleanup_(buf__done) struct buf with = {0}, without = {0}, code = {0};

	ADD(p, "a", 1, 1, 10, place(p, 0, "main", NULL));
	buf__puts(&code, "{\"types\": []}");
	html_data__encode(&without, p, NULL, NULL);
	html_data__encode(&with, p, NULL, &code);
	cr_assert_eq(with.len, without.len + code.len);
	cr_expect_eq(with.data[without.len - 1], (char)code.len);
	cr_expect_str_eq(with.data + without.len, code.data);
}
