// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "prof/foreign.h"
#include "prof/pprof_read.h"
#include "render/pprof.h"

static struct err err;

static int read_limited(struct prof **ret, const void *data, size_t len, uint64_t max)
{
	const struct pprof_limits limits = {max};
	_cleanup_close_ int fd = memfd_create("profile", MFD_CLOEXEC);

	cr_assert_eq(pwrite(fd, data, len, 0), (ssize_t)len);
	err = (struct err){0};
	return pprof__read(ret, fd, "'it'", &limits, &err);
}

static int read_bytes(struct prof **ret, const void *data, size_t len)
{
	return read_limited(ret, data, len, 0);
}

static void write_bytes(const struct prof *p, char **ret, size_t *ret_len)
{
	_cleanup_fclose_ FILE *file = open_memstream(ret, ret_len);

	cr_assert_eq(pprof__write(file, p), 0);
}

/* ---- a message by hand */

static void varint(struct buf *b, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		buf__putc(b, (char)(value | 0x80));
	buf__putc(b, (char)value);
}

static void number(struct buf *b, uint64_t field, uint64_t value)
{
	varint(b, field << 3);
	varint(b, value);
}

static void text(struct buf *b, uint64_t field, const void *data, size_t len)
{
	varint(b, field << 3 | 2);
	varint(b, len);
	buf__add(b, data, len);
}

/* Pairs of field and value, up to a field 0, as the message that is `field` of b. */
#define MESSAGE(b, field, ...) message(b, field, (const uint64_t[]){__VA_ARGS__, 0})
static void message(struct buf *b, uint64_t field, const uint64_t *pairs)
{
	_cleanup_(buf__done) struct buf inner = {0};

	for (; pairs[0]; pairs += 2)
		number(&inner, pairs[0], pairs[1]);
	text(b, field, inner.data, inner.len);
}

enum { TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING };

/* One type, "main" as function 1, location 1 and mapping 1. */
static void begin(struct buf *b)
{
	text(b, STRING, "", 0);
	text(b, STRING, "main", 4);
	MESSAGE(b, TYPE, 1, 1, 2, 1);
	MESSAGE(b, MAPPING, 1, 1, 5, 1);
	MESSAGE(b, FUNCTION, 1, 1, 2, 1);
	MESSAGE(b, LOCATION, 1, 1, 2, 1, 3, 0x1234);
	MESSAGE(b, SAMPLE, 1, 1, 2, 7);
}

static void expect_error(const struct buf *b, const char *words)
{
	struct prof *p = NULL;
	int r = read_bytes(&p, b->data, b->len);

	cr_expect_lt(r, 0, "expected: %s", words);
	cr_expect_null(p);
	cr_expect_not_null(strstr(err.text, words), "'%s' says nothing of '%s'", err.text, words);
	cr_expect_null(strchr(err.text, '\n'));
	cr_expect_eq(strncmp(err.text, "'it' ", 5), 0, "%s", err.text);
	prof__free(p);
}

Test(pprof_read, what_is_in_it)
{
	_cleanup_(buf__done) struct buf b = {0};
	struct prof *p = NULL;
	const uint32_t *stack;

	begin(&b);
	cr_assert_eq(read_bytes(&p, b.data, b.len), 0, "%s", err.text);
	cr_assert_eq(p->n_samples, 1);
	cr_expect_eq(prof__values(p, 0)[0], 7);
	cr_assert_eq(prof__stack_locations(p, p->samples[0].stack, &stack), 1);
	cr_expect_eq(p->locations[stack[0]].address, 0x1234);
	cr_expect_str_eq(prof__text(p, p->mappings[p->locations[stack[0]].mapping].file), "main");
	prof__free(p);
}

Test(pprof_read, tables_may_come_after_who_uses_them_and_ids_are_any)
{
	_cleanup_(buf__done) struct buf b = {0};
	struct prof *p = NULL;
	const uint32_t *stack;

	MESSAGE(&b, SAMPLE, 1, UINT64_MAX, 1, 7, 2, 5);
	MESSAGE(&b, LOCATION, 1, 7, 3, 70);
	MESSAGE(&b, LOCATION, 1, UINT64_MAX, 3, 90);
	MESSAGE(&b, TYPE, 1, 1);
	text(&b, STRING, "", 0);
	text(&b, STRING, "cpu", 3);
	cr_assert_eq(read_bytes(&p, b.data, b.len), 0, "%s", err.text);
	cr_assert_eq(prof__stack_locations(p, p->samples[0].stack, &stack), 2);
	cr_expect_eq(p->locations[stack[0]].address, 90);
	cr_expect_eq(p->locations[stack[1]].address, 70);
	prof__free(p);
}

Test(pprof_read, what_does_not_fit_together)
{
	static const struct {
		uint64_t field, pairs[8];
		const char *words;
	} cases[] = {
		{SAMPLE, {1, 2, 2, 1}, "sample 1 has the location 2, which isn't there"},
		{SAMPLE, {1, 0, 2, 1}, "sample 1 has the location 0"},
		{SAMPLE, {1, 1}, "sample 1 has 0 values, and there are 1 sample types"},
		{SAMPLE, {2, 1, 2, 1}, "sample 1 has 2 values"},
		{SAMPLE, {2, INT64_MAX}, "sample 1 makes the sum of the values of type 0 larger"},
		{SAMPLE, {2, (uint64_t)INT64_MIN}, "sample 1 makes the sum"},
		{MAPPING, {5, 1}, "mapping 1 has the id 0"},
		{MAPPING, {1, 1}, "two mappings have the id 1"},
		{MAPPING, {1, 2, 5, 2}, "mapping 1 names string 2 of 2"},
		{MAPPING, {1, 2, 6, UINT64_MAX}, "mapping 1 names string -1 of 2"},
		{FUNCTION, {2, 1}, "function 1 has the id 0"},
		{FUNCTION, {1, 1}, "two functions have the id 1"},
		{FUNCTION, {1, 2, 4, 77}, "function 1 names string 77"},
		{LOCATION, {1, 1}, "two locations have the id 1"},
		{LOCATION, {1, 2, 2, 9}, "location 1 has the mapping 9, which isn't there"},
		{TYPE, {1, 2}, "sample type 1 names string 2 of 2"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(buf__done) struct buf b = {0};

		begin(&b);
		message(&b, cases[i].field, cases[i].pairs);
		expect_error(&b, cases[i].words);
	}
}

Test(pprof_read, what_is_no_message)
{
	_cleanup_(buf__done) struct buf claim = {0}, zero = {0}, group = {0}, label = {0};

	begin(&claim);
	buf__add(&claim, "\x12\xff\xff\xff\xff\x0f", 6);
	expect_error(&claim, "begins no field"); /* a sample of 4 GB */
	begin(&zero);
	buf__add(&zero, "\0\0", 2);
	expect_error(&zero, "begins no field");
	begin(&group);
	buf__add(&group, "\x13\x14", 2);
	expect_error(&group, "begins no field");
	begin(&label);
	text(&label, SAMPLE, "\x1a\x05\x08", 3);
	expect_error(&label, "sample 1 isn't one");
}

Test(pprof_read, the_first_text_is_empty_and_others_may_have_zeros)
{
	_cleanup_(buf__done) struct buf b = {0}, zeros = {0};
	struct prof *p = NULL;

	text(&b, STRING, "x", 1);
	MESSAGE(&b, TYPE, 1, 0);
	expect_error(&b, "string 0 isn't empty");
	text(&zeros, STRING, "", 0);
	text(&zeros, STRING, "\0a\0", 3);
	MESSAGE(&zeros, TYPE, 1, 1);
	cr_assert_eq(read_bytes(&p, zeros.data, zeros.len), 0, "%s", err.text);
	cr_expect_str_eq(prof__text(p, p->types[0].name), "\u2400a\u2400");
	prof__free(p);
}

Test(pprof_read, no_types_are_no_profile)
{
	_cleanup_(buf__done) struct buf b = {0};

	text(&b, STRING, "", 0);
	expect_error(&b, "it has 0 sample types");
}

Test(pprof_read, too_deep)
{
	_cleanup_(buf__done) struct buf b = {0}, ids = {0}, sample = {0};

	for (int i = 0; i < 65537; i++)
		buf__putc(&ids, 1);
	begin(&b);
	text(&sample, 1, ids.data, ids.len);
	number(&sample, 2, 1);
	text(&b, SAMPLE, sample.data, sample.len);
	expect_error(&b, "a stack of 65537 locations");
}

/* A million in one sample, and the million-and-first is too many. */
Test(pprof_read, a_million_labels)
{
	_cleanup_(buf__done) struct buf sample = {0}, b = {0};
	const struct prof_label *labels;
	struct prof *p = NULL;

	number(&sample, 2, 1);
	for (int i = 0; i < 1 << 20; i++)
		MESSAGE(&sample, 3, 1, 1, 3, (uint64_t)i);
	begin(&b);
	text(&b, SAMPLE, sample.data, sample.len);
	cr_assert_eq(read_bytes(&p, b.data, b.len), 0, "%s", err.text);
	cr_assert_eq(p->n_samples, 2);
	cr_expect_eq(prof__label_set(p, p->samples[1].labels, &labels), 1 << 20);
	prof__free(p);
	MESSAGE(&sample, 3, 1, 1);
	text(&b, SAMPLE, sample.data, sample.len);
	expect_error(&b, "has 1048577 labels");
}

/* Small messages cost more than their bytes. */
Test(pprof_read, memory_has_a_limit_of_its_own)
{
	_cleanup_(buf__done) struct buf b = {0};
	struct prof *p = NULL;

	begin(&b);
	for (uint64_t i = 0; i < 200000; i++)
		MESSAGE(&b, LOCATION, 1, i + 2, 3, i);
	cr_assert_lt(b.len, 3 << 20);
	cr_expect_eq(read_limited(&p, b.data, b.len, 3 << 20), -EFBIG);
	cr_expect_not_null(strstr(err.text, "would take more than 12 MB of memory"), "%s",
			   err.text);
	cr_assert_eq(read_limited(&p, b.data, b.len, 30 << 20), 0, "%s", err.text);
	cr_expect_eq(p->n_locations, 200002);
	prof__free(p);
}

/* ---- gzip */

static void gzip(const void *data, size_t len, struct buf *out)
{
	z_stream zip = {0};
	uint8_t block[4096];

	cr_assert_eq(deflateInit2(&zip, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	zip.next_in = (uint8_t *)data;
	zip.avail_in = (uInt)len;
	do {
		zip.next_out = block;
		zip.avail_out = sizeof(block);
		deflate(&zip, Z_FINISH);
		buf__add(out, block, sizeof(block) - zip.avail_out);
	} while (zip.avail_out == 0);
	deflateEnd(&zip);
}

Test(pprof_read, gzip_in_one_piece_or_several)
{
	_cleanup_(buf__done) struct buf b = {0}, whole = {0}, parts = {0};
	struct prof *p = NULL;

	begin(&b);
	gzip(b.data, b.len, &whole);
	cr_assert_eq(read_bytes(&p, whole.data, whole.len), 0, "%s", err.text);
	cr_expect_eq(prof__values(p, 0)[0], 7);
	p = prof__free(p);
	gzip(b.data, 10, &parts);
	gzip(b.data + 10, b.len - 10, &parts);
	cr_assert_eq(read_bytes(&p, parts.data, parts.len), 0, "%s", err.text);
	cr_expect_eq(prof__values(p, 0)[0], 7);
	p = prof__free(p);
	buf__puts(&parts, "what follows is no gzip");
	cr_assert_eq(read_bytes(&p, parts.data, parts.len), 0, "%s", err.text);
	cr_expect_eq(prof__values(p, 0)[0], 7);
	prof__free(p);
}

Test(pprof_read, every_cut_and_every_flipped_bit_is_survived)
{
	_cleanup_(buf__done) struct buf b = {0}, zipped = {0};
	struct prof *p = NULL;
	size_t refused = 0, unseen = 0;

	begin(&b);
	gzip(b.data, b.len, &zipped);
	for (size_t len = 0; len < zipped.len; len++)
		cr_expect_lt(read_bytes(&p, zipped.data, len), 0, "cut at %zu", len);
	for (size_t bit = 0; bit < 8 * b.len; bit++) {
		b.data[bit / 8] ^= (char)(1 << bit % 8);
		if (read_bytes(&p, b.data, b.len) < 0) {
			refused++;
			cr_expect_neq(err.text[0], '\0');
		}
		p = prof__free(p);
		b.data[bit / 8] ^= (char)(1 << bit % 8);
	}
	cr_expect_gt(refused, b.len, "only %zu of %zu flips were seen", refused, 8 * b.len);
	for (size_t i = 10; i < zipped.len; i++) { /* behind the header, the checksum sees all */
		zipped.data[i] ^= 4;
		if (read_bytes(&p, zipped.data, zipped.len) == 0) {
			cr_expect_eq(prof__values(p, 0)[0], 7, "flip in byte %zu", i);
			unseen++;
		}
		p = prof__free(p);
		zipped.data[i] ^= 4;
	}
	cr_expect_leq(unseen, 1, "only what fills the last byte up means nothing");
}

Test(pprof_read, a_bomb_is_left_alone)
{
	_cleanup_free_ char *zeros = xcalloc(1, 32 << 20);
	_cleanup_(buf__done) struct buf bomb = {0};
	struct prof *p = NULL;

	gzip(zeros, 32 << 20, &bomb);
	cr_assert_lt(bomb.len, 64 << 10);
	cr_expect_eq(read_limited(&p, bomb.data, bomb.len, 1 << 20), -EFBIG);
	cr_expect_str_eq(err.text,
			 "'it' holds more than 1 MB uncompressed; --max-size raises the limit");
	cr_expect_eq(read_limited(&p, zeros, 32 << 20, 1 << 20), -EFBIG);
}

Test(pprof_read, the_limit_itself_is_allowed)
{
	static const char big[1 << 20] = "x";
	_cleanup_(buf__done) struct buf b = {0};
	struct prof *p = NULL;

	begin(&b);
	text(&b, STRING, big, sizeof(big));
	cr_expect_eq(read_limited(&p, b.data, b.len, b.len), 0, "%s", err.text);
	p = prof__free(p);
	cr_expect_eq(read_limited(&p, b.data, b.len, b.len - 1), -EFBIG);
}

/* ---- other formats */

Test(pprof_read, other_formats_are_named)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *words;
	} cases[] = {
#define C(bytes, words) {bytes, sizeof(bytes) - 1, words}
		C("", "is empty"),
		C("PERFILE2\x68\0\0\0", "is perf.data, not pprof"),
		C("\177ELF\2\1\1\0", "is an ELF program"),
		C("PK\3\4\x14\0", "is a zip archive"),
		C("\x28\xb5\x2f\xfd\x04", "compressed by zstd"),
		C("{\"shared\":{}}", "is JSON"),
		C(" \n [1]", "is JSON"),
		C("main;work 12\nmain 3\n", "is folded stacks"),
		C("comm with blanks;a 1\n", "is folded stacks"),
		C("swapper 0 [000] 1.5: cycles:\n\tffff f (k)\n",
		  "is text like that of perf script"),
		C("hello\n", "is text, not pprof"),
		C("<!doctype html>\n", "is HTML"),
		C("heap profile: 1: 2", "debug=1"),
		C("heap profile: 1: 32 [2: 64] @ heap/1048576\n", "of Go's heap profile"),
		C("heap profile:   1:   32 [  2:  64] @ heapprofile\n", "of a C++ heap profile"),
		C("heap profile: 1: 32 [2: 64] @ heap_v2/524288\n", "of a C++ heap profile"),
		C("heap profile: 1: 32 [2: 64] @ growthz\n", "of a C++ heap profile"),
		C("heap_v2/524288\n  t*: 1: 2 [0: 0]\n", "jemalloc's"),
		C("--- heapz 1 ---\nformat = java\n", "of a Java heap profile"),
		C("--- contentionz 1 ---\nformat = java\n", "of a Java lock profile"),
		C("--- contention:\ncycles/second=1\n", "of a profile of Go"),
		C("\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0x", "gperftools"),
		C("\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0x", "java.cpu"),
		C("\0\0\0\0\3\0\0\0\0\0\0\0x", "gperftools"),
		C("\0\0\0\0\3\0\0\0\1\0\0\0x", "java.cpu"),
		C("\0\0\0\0\0\0\0\3\0\0\0\1x", "java.cpu"),
		C("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\1x", "java.cpu"),
		C("\xde\xad\xbe\xef\x00\x01\x02", "is not a pprof profile, or is damaged: byte"),
#undef C
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(buf__done) struct buf b = {0}, zipped = {0};

		buf__add(&b, cases[i].bytes, cases[i].len);
		expect_error(&b, cases[i].words);
		gzip(cases[i].bytes, cases[i].len, &zipped);
		expect_error(&zipped, cases[i].words);
	}
}

Test(pprof_read, gzip_within_gzip_is_named)
{
	_cleanup_(buf__done) struct buf b = {0}, once = {0}, twice = {0};

	begin(&b);
	gzip(b.data, b.len, &once);
	gzip(once.data, once.len, &twice);
	expect_error(&twice, "gzip'd twice");
}

/* ---- ours come back as they were */

static uint64_t state;
static uint32_t pick(uint32_t n)
{
	state = state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(state >> 33) % n;
}

static uint32_t any_text(struct prof *p)
{
	char bytes[12];
	size_t len = pick(sizeof(bytes));

	for (size_t i = 0; i < len; i++)
		bytes[i] = (char)(1 + pick(255));
	return pick(3) ? prof__string_n(p, bytes, len) : 0;
}

static int64_t any_value(void)
{
	int64_t value = (int64_t)pick(1u << 31) << pick(24);

	return pick(8) ? value : -value;
}

static void add_tables(struct prof *p)
{
	struct prof_line lines[4];

	for (uint32_t i = pick(4); i; i--)
		prof__mapping(p, &(struct prof_mapping){
					 .start = pick(1u << 31),
					 .limit = UINT64_MAX - pick(9),
					 .offset = pick(99),
					 .file = any_text(p),
					 .build_id = any_text(p),
					 .has_functions = pick(2),
					 .has_filenames = pick(2),
					 .has_lines = pick(2),
					 .has_inlined = pick(2),
				 });
	for (uint32_t i = pick(20); i; i--)
		prof__function(p, &(struct prof_function){.name = any_text(p),
							  .system_name = any_text(p),
							  .file = any_text(p),
							  .start_line = any_value()});
	for (uint32_t i = pick(40); i; i--) {
		uint32_t n = pick(ARRAY_SIZE(lines));

		for (uint32_t k = 0; k < n; k++)
			lines[k] = (struct prof_line){pick((uint32_t)p->n_functions), any_value()};
		prof__location(p, pick((uint32_t)p->n_mappings), any_value() & 0xffff, lines, n);
	}
}

static void add_samples(struct prof *p)
{
	for (uint32_t i = pick(200); i; i--) {
		struct prof_label labels[5];
		uint32_t stack[10], depth = pick(ARRAY_SIZE(stack)), n = pick(ARRAY_SIZE(labels));
		int64_t *values;

		if (p->n_locations == 1)
			depth = 0;
		for (uint32_t k = 0; k < depth; k++)
			stack[k] = 1 + pick((uint32_t)p->n_locations - 1);
		for (uint32_t k = 0; k < n; k++) {
			labels[k] = (struct prof_label){.key = any_text(p), .text = any_text(p)};
			if (labels[k].text)
				continue;
			labels[k].number = any_value();
			labels[k].unit = any_text(p);
		}
		values = prof__sample(p, prof__stack(p, stack, depth), prof__labels(p, labels, n));
		for (size_t t = 0; t < p->n_types; t++)
			values[t] += any_value() / 1000;
	}
}

static struct prof *any_profile(void)
{
	struct prof *p = prof__new();

	for (uint32_t i = 1 + pick(4); i; i--) {
		prof__type(p, "", "");
		p->types[p->n_types - 1] = (struct prof_type){any_text(p), any_text(p)};
	}
	add_tables(p);
	add_samples(p);
	for (uint32_t i = pick(4); i; i--)
		prof__comment(p, prof__text(p, any_text(p)));
	p->time_ns = any_value();
	p->duration_ns = any_value();
	if (pick(2)) {
		p->period_type =
			(struct prof_type){prof__string(p, "period"), prof__string(p, "count")};
		p->period = any_value();
	}
	p->default_type = any_text(p);
	return p;
}

#define EXPECT_SAME(a, b, field)                                                   \
	do {                                                                       \
		cr_assert_eq((a)->n_##field, (b)->n_##field, "profile %d", round); \
		if ((a)->n_##field)                                                \
			cr_expect_arr_eq((a)->field, (b)->field,                   \
					 (a)->n_##field * sizeof(*(a)->field));    \
	} while (0)

static void expect_same_mappings(const struct prof *a, const struct prof *b)
{
	cr_assert_eq(a->n_mappings, b->n_mappings);
	for (size_t i = 0; i < a->n_mappings; i++) {
		const struct prof_mapping *x = &a->mappings[i], *y = &b->mappings[i];

		cr_expect(x->start == y->start && x->limit == y->limit && x->offset == y->offset &&
			  x->file == y->file && x->build_id == y->build_id &&
			  x->has_functions == y->has_functions && x->has_lines == y->has_lines &&
			  x->has_filenames == y->has_filenames && x->has_inlined == y->has_inlined);
	}
}

static void expect_same_locations(const struct prof *a, const struct prof *b)
{
	cr_assert_eq(a->n_locations, b->n_locations);
	cr_assert_eq(a->n_lines, b->n_lines);
	for (size_t i = 0; i < a->n_locations; i++) {
		const struct prof_location *x = &a->locations[i], *y = &b->locations[i];

		cr_expect(x->mapping == y->mapping && x->address == y->address &&
			  x->first_line == y->first_line && x->n_lines == y->n_lines);
	}
	for (size_t i = 0; i < a->n_lines; i++)
		cr_expect(a->lines[i].function == b->lines[i].function &&
			  a->lines[i].line == b->lines[i].line);
}

Test(pprof_read, written_and_read_is_the_same, .timeout = 60)
{
	size_t samples = 0;

	for (int round = 0; round < 400; round++) {
		_cleanup_free_ char *first = NULL, *second = NULL;
		struct prof *p, *again = NULL;
		size_t n_first, n_second;

		state = (uint64_t)round;
		p = any_profile();
		write_bytes(p, &first, &n_first);
		cr_assert_eq(read_bytes(&again, first, n_first), 0, "profile %d: %s", round,
			     err.text);
		EXPECT_SAME(p, again, types);
		expect_same_mappings(p, again);
		EXPECT_SAME(p, again, functions);
		expect_same_locations(p, again);
		EXPECT_SAME(p, again, samples);
		EXPECT_SAME(p, again, values);
		EXPECT_SAME(p, again, comments);
		cr_expect_eq(p->time_ns, again->time_ns);
		cr_expect_eq(p->duration_ns, again->duration_ns);
		cr_expect_eq(p->period, again->period);
		cr_expect_eq(p->default_type, again->default_type);
		write_bytes(again, &second, &n_second);
		cr_assert_eq(n_first, n_second, "profile %d", round);
		cr_expect_arr_eq(first, second, n_first);
		samples += p->n_samples;
		prof__free(p);
		prof__free(again);
	}
	cr_expect_gt(samples, 10000);
}
