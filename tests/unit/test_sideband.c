// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "collect/sideband.h"

/* Records are built field by field, as perf_event_open(2) lists them, not with the decoder's
 * structs. */
static void put32(struct buf *b, uint32_t v)
{
	buf__add(b, &v, sizeof(v));
}

static void put64(struct buf *b, uint64_t v)
{
	buf__add(b, &v, sizeof(v));
}

static void begin(struct buf *b, uint32_t type, uint16_t misc)
{
	struct perf_event_header h = {.type = type, .misc = misc};

	buf__clear(b);
	buf__add(b, &h, sizeof(h));
}

/* The trailer of sample_id_all with TID | TIME, and the final size. */
static const struct perf_event_header *finish(struct buf *b, uint64_t time)
{
	put32(b, 501);
	put32(b, 502);
	put64(b, time);
	((struct perf_event_header *)b->data)->size = (uint16_t)b->len;
	return (const void *)b->data;
}

static void put_mmap2(struct buf *b, uint64_t addr, uint64_t len, const char *path,
		      size_t path_size)
{
	begin(b, PERF_RECORD_MMAP2, 0);
	put32(b, 11), put32(b, 12);
	put64(b, addr), put64(b, len), put64(b, 0x3000);
	put32(b, 8), put32(b, 1), put64(b, 4242), put64(b, 99);
	put32(b, 5), put32(b, 2);
	buf__add(b, path, path_size);
}

Test(sideband, fork_and_exit)
{
	struct buf b = {0};
	struct life life;

	begin(&b, PERF_RECORD_FORK, 0);
	put32(&b, 20), put32(&b, 10), put32(&b, 21), put32(&b, 11), put64(&b, 5);
	cr_assert_eq(sideband_decode(finish(&b, 1000), &life), 1);
	cr_expect_eq(life.kind, LIFE_FORK);
	cr_expect_eq(life.tgid, 20);
	cr_expect_eq(life.parent_tgid, 10);
	cr_expect_eq(life.tid, 21);
	cr_expect_eq(life.time, 1000, "the time is the trailer's");

	((struct perf_event_header *)b.data)->type = PERF_RECORD_EXIT;
	cr_assert_eq(sideband_decode((void *)b.data, &life), 1);
	cr_expect_eq(life.kind, LIFE_EXIT);
	cr_expect_eq(life.tgid, 20);
	cr_expect_eq(life.tid, 21);
	buf__done(&b);
}

Test(sideband, a_comm_is_an_exec_only_if_it_says_so)
{
	struct buf b = {0};
	struct life life;

	begin(&b, PERF_RECORD_COMM, 0);
	put32(&b, 7), put32(&b, 7), buf__add(&b, "sh\0\0\0\0\0\0", 8);
	cr_expect_eq(sideband_decode(finish(&b, 1), &life), 0);
	begin(&b, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	put32(&b, 7), put32(&b, 7), buf__add(&b, "sh\0\0\0\0\0\0", 8);
	cr_assert_eq(sideband_decode(finish(&b, 55), &life), 1);
	cr_expect_eq(life.kind, LIFE_EXEC);
	cr_expect_eq(life.tgid, 7);
	cr_expect_eq(life.time, 55);
	buf__done(&b);
}

Test(sideband, mmap2)
{
	struct buf b = {0};
	struct life life;

	put_mmap2(&b, 0x7000, 0x1000, "/usr/bin/cat\0\0\0\0", 16);
	cr_assert_eq(sideband_decode(finish(&b, 9), &life), 1);
	cr_expect_eq(life.kind, LIFE_MMAP);
	cr_expect_eq(life.tgid, 11);
	cr_expect_eq(life.start, 0x7000);
	cr_expect_eq(life.end, 0x8000);
	cr_expect_eq(life.file_off, 0x3000);
	cr_expect_eq(life.dev_major, 8);
	cr_expect_eq(life.dev_minor, 1);
	cr_expect_eq(life.inode, 4242);
	cr_expect_str_eq(life.path, "/usr/bin/cat");
	cr_expect_eq(life.time, 9);
	buf__done(&b);
}

Test(sideband, a_path_without_its_end_is_refused)
{
	struct buf b = {0};
	struct life life;

	put_mmap2(&b, 0x7000, 0x1000, "/usr/bin/catxxxx", 16);
	cr_expect_eq(sideband_decode(finish(&b, 0), &life), -EINVAL,
		     "a NUL in the trailer isn't the path's");
	buf__done(&b);
}

Test(sideband, a_mapping_around_the_end_of_the_address_space_is_refused)
{
	struct buf b = {0};
	struct life life;

	put_mmap2(&b, UINT64_MAX - 10, 11, "/x\0\0\0\0\0\0", 8);
	cr_expect_eq(sideband_decode(finish(&b, 0), &life), -EINVAL);
	put_mmap2(&b, UINT64_MAX - 11, 11, "/x\0\0\0\0\0\0", 8);
	cr_expect_eq(sideband_decode(finish(&b, 0), &life), 1);
	buf__done(&b);
}

Test(sideband, records_of_no_interest)
{
	static const uint32_t types[] = {0, PERF_RECORD_MMAP, PERF_RECORD_LOST, PERF_RECORD_SAMPLE,
					 999};
	struct perf_event_header h = {.size = sizeof(h)};
	struct life life;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		h.type = types[i];
		cr_expect_eq(sideband_decode(&h, &life), 0);
	}
}

/* Each record, cut at every length: never taken while a field is missing, never read past its
 * size. */
Test(sideband, truncated)
{
	static const struct {
		uint32_t type;
		size_t least;
	} cases[] = {
		{PERF_RECORD_FORK, 8 + 24 + 16},
		{PERF_RECORD_EXIT, 8 + 24 + 16},
		{PERF_RECORD_COMM, 8 + 8 + 16},
		{PERF_RECORD_MMAP2, 8 + 64 + 1 + 16},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (size_t size = sizeof(struct perf_event_header); size < 120; size += 8) {
			struct perf_event_header *h = xcalloc(1, size);
			struct life life;
			int r;

			h->type = cases[i].type;
			h->misc = PERF_RECORD_MISC_COMM_EXEC;
			h->size = (uint16_t)size;
			r = sideband_decode(h, &life);
			cr_expect_eq(r, size < cases[i].least ? -EINVAL : 1, "type %u, %zu bytes",
				     cases[i].type, size);
			free(h);
		}
	}
}

Test(sideband, garbage)
{
	unsigned taken = 0;

	srand(5);
	for (int round = 0; round < 200000; round++) {
		static const uint32_t types[] = {PERF_RECORD_FORK, PERF_RECORD_EXIT,
						 PERF_RECORD_COMM, PERF_RECORD_MMAP2};
		size_t size = 8 + (size_t)rand() % 24 * 8;
		uint8_t *data = xcalloc(1, size);
		struct perf_event_header *h = (void *)data;
		struct life life;

		for (size_t i = 0; i < size; i++)
			data[i] = (uint8_t)rand();
		h->size = (uint16_t)size;
		if (round % 8)
			h->type = types[rand() % 4];
		if (sideband_decode(h, &life) > 0) {
			taken++;
			if (life.kind == LIFE_MMAP) {
				cr_assert_lt(strlen(life.path), size);
				cr_assert_leq(life.start, life.end);
			}
		}
		free(data);
	}
	cr_expect_gt(taken, 1000);
}
