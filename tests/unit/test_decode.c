// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "collect/decode.h"

enum { N_EVENTS = 3, FIXED_STACK = offsetof(struct pmb_stack, frames) };

/* A sample with one address behind it. */
struct addr_sample {
	struct pmb_sample fixed;
	struct pmb_part_addr addr;
};

static struct addr_sample good_sample(void)
{
	return (struct addr_sample){
		.fixed = {.rec = {sizeof(struct addr_sample), PMB_REC_SAMPLE, 1, 77},
			  .tgid = 5,
			  .event = N_EVENTS - 1,
			  .user_end = PMB_N_UNWIND_STATUSES - 1,
			  .kernel_end = PMB_N_UNWIND_STATUSES - 1,
			  .uid = 4294967294},
		.addr = {{sizeof(struct pmb_part_addr), PMB_PART_ADDR, 0}, 0xabc},
	};
}

/* Decodes a copy of exactly `size` bytes, so that ASan sees any step beyond. */
static int decode(const void *data, size_t size, struct decoded *ret)
{
	void *copy = xmemdup(data, size);
	int r = record_decode(copy, size, N_EVENTS, ret);

	free(copy);
	return r;
}

static void expect_reject(const void *data, size_t size, enum reject want)
{
	struct decoded rec;
	int got = decode(data, size, &rec);

	cr_expect_eq(got, want, "got %d (%s) instead of %s", got,
		     got < 0 ? "taken" : reject_keys[got], reject_keys[want]);
}

Test(decode, a_sample_with_its_address)
{
	struct addr_sample s = good_sample();
	struct decoded rec;

	cr_assert_eq(record_decode(&s, sizeof(s), N_EVENTS, &rec), -1);
	cr_expect_eq(rec.type, PMB_REC_SAMPLE);
	cr_expect_eq(rec.sample, &s.fixed);
	cr_expect_eq(rec.sample->uid, 4294967294);
	cr_expect_null(rec.stack);
	cr_expect(rec.has_addr);
	cr_expect_eq(rec.addr, 0xabc);
}

Test(decode, a_sample_without_parts)
{
	struct addr_sample s = good_sample();
	struct decoded rec;

	s.fixed.rec.parts = 0;
	s.fixed.rec.size = sizeof(s.fixed);
	cr_assert_eq(decode(&s, sizeof(s.fixed), &rec), -1);
	cr_expect(!rec.has_addr);
}

Test(decode, a_stack)
{
	struct pmb_stack s = {.rec = {.type = PMB_REC_STACK}, .id = 9, .n = 2, .frames = {1, 2}};
	struct decoded rec;

	s.rec.size = FIXED_STACK + 16;
	cr_assert_eq(record_decode(&s, s.rec.size, N_EVENTS, &rec), -1);
	cr_expect_eq(rec.type, PMB_REC_STACK);
	cr_expect_eq(rec.stack, &s);
	cr_expect_null(rec.sample);
	s.n = 0;
	cr_expect_eq(decode(&s, s.rec.size, &rec), -1);
	s.n = PMB_MAX_FRAMES;
	s.rec.size = sizeof(s);
	cr_expect_eq(decode(&s, sizeof(s), &rec), -1);
}

Test(decode, short)
{
	struct addr_sample s = good_sample();
	struct pmb_stack stack = {.rec = {FIXED_STACK - 8, PMB_REC_STACK, 0, 0}};

	for (size_t size = 0; size < sizeof(s.fixed.rec); size++)
		expect_reject(&s, size, REJECT_SHORT);
	for (size_t size = sizeof(s.fixed.rec); size < sizeof(s.fixed); size++) {
		s.fixed.rec.size = (uint32_t)size;
		expect_reject(&s, size, REJECT_SHORT);
	}
	expect_reject(&stack, FIXED_STACK - 8, REJECT_SHORT);
}

Test(decode, size)
{
	struct addr_sample s = good_sample();

	s.fixed.rec.size = sizeof(s) + 8;
	expect_reject(&s, sizeof(s), REJECT_SIZE);
	s.fixed.rec.size = sizeof(s) - 8;
	expect_reject(&s, sizeof(s), REJECT_SIZE);
	s.fixed.rec.size = 0;
	expect_reject(&s, sizeof(s), REJECT_SIZE);
}

Test(decode, type)
{
	struct addr_sample s = good_sample();

	s.fixed.rec.type = 0;
	expect_reject(&s, sizeof(s), REJECT_TYPE);
	s.fixed.rec.type = PMB_REC_BREAK + 1;
	expect_reject(&s, sizeof(s), REJECT_TYPE);
}

Test(decode, event)
{
	struct addr_sample s = good_sample();
	struct decoded rec;

	s.fixed.event = N_EVENTS;
	expect_reject(&s, sizeof(s), REJECT_EVENT);
	s.fixed.event = 0;
	cr_expect_eq(record_decode(&s, sizeof(s), 0, &rec), REJECT_EVENT);
}

Test(decode, status)
{
	struct addr_sample s = good_sample();

	s.fixed.user_end = PMB_N_UNWIND_STATUSES;
	expect_reject(&s, sizeof(s), REJECT_UNWIND_STATUS);
	s = good_sample();
	s.fixed.kernel_end = 255;
	expect_reject(&s, sizeof(s), REJECT_UNWIND_STATUS);
}

Test(decode, part)
{
	static const uint16_t sizes[] = {0, 4, 7, 8, 12, 24, 65535};
	struct addr_sample s = good_sample();

	s.fixed.rec.parts = 2; /* one more than there is */
	expect_reject(&s, sizeof(s), REJECT_PART);
	s = good_sample();
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		s.addr.part.size = sizes[i];
		expect_reject(&s, sizeof(s), REJECT_PART);
	}
	s = good_sample();
	s.fixed.rec.size = sizeof(s) - 8; /* its header fits, its payload doesn't */
	expect_reject(&s, sizeof(s) - 8, REJECT_PART);
}

/* A sample that says what data it is about. */
struct data_sample {
	struct pmb_sample fixed;
	struct pmb_part_data data;
};

Test(decode, data)
{
	struct data_sample s = {
		.fixed = good_sample().fixed,
		.data = {.part = {.size = sizeof(s.data), .type = PMB_PART_DATA},
			 .addr = 0xabc,
			 .data_src = 1,
			 .weight = 2,
			 .segment = PMB_SEGMENT_HEAP},
	};
	struct decoded rec;

	s.fixed.rec.size = sizeof(s);
	s.fixed.rec.parts = 1;
	cr_assert_eq(record_decode(&s, sizeof(s), N_EVENTS, &rec), -1);
	cr_expect(rec.has_addr && rec.addr == 0xabc);
	cr_expect(rec.data == &s.data);
	s.data.addr = 0;
	cr_assert_eq(record_decode(&s, sizeof(s), N_EVENTS, &rec), -1);
	cr_expect(!rec.has_addr && rec.data);
	s.data.segment = PMB_N_SEGMENTS;
	expect_reject(&s, sizeof(s), REJECT_PART);
	s.data.segment = PMB_SEGMENT_HEAP;
	s.data.n_regs = PMB_DATA_REGS;
	cr_assert_eq(record_decode(&s, sizeof(s), N_EVENTS, &rec), -1);
	s.data.n_regs--;
	expect_reject(&s, sizeof(s), REJECT_PART);
	s.data.n_regs = PMB_DATA_REGS;
	s.data.part.size -= 8;
	expect_reject(&s, sizeof(s), REJECT_PART);
	s.data.n_regs = 0;
	s.data.part.size = offsetof(struct pmb_part_data, regs);
	cr_assert_eq(record_decode(&s, sizeof(s), N_EVENTS, &rec), -1);
	s.data.part.size -= 8;
	expect_reject(&s, sizeof(s), REJECT_PART);
}

Test(decode, time_without_a_cpu)
{
	struct {
		struct pmb_sample fixed;
		struct pmb_part_off off;
	} s = {
		.fixed = good_sample().fixed,
		.off = {.part = {.size = sizeof(s.off), .type = PMB_PART_OFF},
			.state = PMB_OFF_WAITING,
			.call = PMB_CALLS},
	};
	struct decoded rec;

	s.fixed.rec.size = sizeof(s);
	s.fixed.rec.parts = 1;
	cr_assert_eq(record_decode(&s, sizeof(s), N_EVENTS, &rec), -1);
	cr_expect(rec.off == &s.off);
	s.off.call++;
	expect_reject(&s, sizeof(s), REJECT_PART);
	s.off.call = 0;
	s.off.state = PMB_N_OFF_STATES;
	expect_reject(&s, sizeof(s), REJECT_PART);
	s.off.state = PMB_OFF_NONE;
	s.off.part.size -= 8;
	expect_reject(&s, sizeof(s), REJECT_PART);
}

Test(decode, who_had_the_cores_other_thread)
{
	struct {
		struct pmb_sample fixed;
		struct pmb_part_sibling sibling;
	} s = {
		.fixed = good_sample().fixed,
		.sibling = {.part = {.size = sizeof(s.sibling), .type = PMB_PART_SIBLING},
			    .who = PMB_SIBLING_OTHER,
			    .comm = "redis-server"},
	};
	struct decoded rec;

	s.fixed.rec.size = sizeof(s);
	s.fixed.rec.parts = 1;
	cr_assert_eq(record_decode(&s, sizeof(s), N_EVENTS, &rec), -1);
	cr_expect(rec.sibling == &s.sibling);
	s.sibling.who = PMB_N_SIBLING_WHO;
	expect_reject(&s, sizeof(s), REJECT_PART);
	s.sibling.who = PMB_SIBLING_IDLE;
	s.sibling.part.size -= 8;
	expect_reject(&s, sizeof(s), REJECT_PART);
}

/* A sample with the readings of three counters behind it. */
struct read_sample {
	struct pmb_sample fixed;
	struct pmb_part part;
	struct pmb_reading list[PMB_MAX_READS + 1];
};

static struct read_sample good_reads(size_t n)
{
	struct read_sample s = {
		.fixed = good_sample().fixed,
		.part = {(uint16_t)(sizeof(s.part) + n * sizeof(s.list[0])), PMB_PART_READS, 0},
	};

	for (size_t i = 0; i < n; i++)
		s.list[i] = (struct pmb_reading){.event = i % N_EVENTS, .weight = 100 + i};
	s.fixed.rec.size = (uint32_t)(sizeof(s.fixed) + s.part.size);
	return s;
}

Test(decode, a_sample_with_readings)
{
	for (size_t n = 0; n <= PMB_MAX_READS; n++) {
		struct read_sample s = good_reads(n);
		struct decoded rec;

		cr_assert_eq(record_decode(&s, s.fixed.rec.size, N_EVENTS, &rec), -1);
		cr_assert_eq(rec.n_reads, n);
		cr_expect(!rec.has_addr);
		for (size_t i = 0; i < n; i++) {
			cr_expect_eq(rec.reads[i].event, i % N_EVENTS);
			cr_expect_eq(rec.reads[i].weight, 100 + i);
		}
	}
}

Test(decode, readings_that_make_no_sense)
{
	static const uint16_t sizes[] = {0, 7, 16, 32, 48, 65528};
	struct read_sample s = good_reads(PMB_MAX_READS + 1);

	expect_reject(&s, s.fixed.rec.size, REJECT_PART);
	s = good_reads(2);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		s.part.size = sizes[i];
		expect_reject(&s, s.fixed.rec.size, REJECT_PART);
	}
	s = good_reads(3);
	s.fixed.rec.size -= 8; /* the last one is cut */
	expect_reject(&s, s.fixed.rec.size, REJECT_PART);
	s = good_reads(3);
	s.list[2].event = N_EVENTS;
	expect_reject(&s, s.fixed.rec.size, REJECT_EVENT);
	s.list[2].event = UINT32_MAX;
	expect_reject(&s, s.fixed.rec.size, REJECT_EVENT);
}

Test(decode, unknown_parts_are_skipped)
{
	struct {
		struct pmb_sample fixed;
		struct pmb_part unknown;
		uint64_t payload[2];
		struct pmb_part_addr addr;
	} s = {good_sample().fixed, {24, 999, 0}, {1, 2}, good_sample().addr};
	struct decoded rec;

	s.fixed.rec.size = sizeof(s);
	s.fixed.rec.parts = 2;
	cr_assert_eq(decode(&s, sizeof(s), &rec), -1);
	cr_expect_eq(rec.addr, 0xabc);
}

Test(decode, frames)
{
	struct pmb_stack s = {.rec = {FIXED_STACK + 16, PMB_REC_STACK, 0, 0}, .n = 3};

	expect_reject(&s, s.rec.size, REJECT_FRAMES);
	s.n = UINT32_MAX;
	expect_reject(&s, s.rec.size, REJECT_FRAMES);
	s.n = 1U << 29; /* times 8 is 0 in 32 bits */
	expect_reject(&s, s.rec.size, REJECT_FRAMES);
}

Test(decode, more_frames_than_the_limit_even_if_they_are_there)
{
	struct {
		struct pmb_stack s;
		uint64_t more[8];
	} big = {.s = {.rec = {sizeof(big), PMB_REC_STACK, 0, 0}, .n = PMB_MAX_FRAMES + 1}};

	expect_reject(&big, sizeof(big), REJECT_FRAMES);
}

/* Whatever is taken can be read to its end. */
static uint64_t read_all(const struct decoded *rec)
{
	uint64_t sum = 0;

	if (rec->sample)
		sum += rec->sample->weight + rec->sample->comm[PMB_COMM_LEN - 1];
	for (size_t i = 0; i < rec->n_reads; i++)
		sum += rec->reads[i].weight + rec->reads[i].event;
	for (uint32_t i = 0; rec->stack && i < rec->stack->n; i++)
		sum += rec->stack->frames[i];
	return sum;
}

Test(decode, random_bytes)
{
	volatile uint64_t sum = 0;
	unsigned taken = 0;

	srand(3);
	for (int round = 0; round < 200000; round++) {
		struct addr_sample good = good_sample();
		size_t size = (size_t)rand() % 40 * 8;
		uint8_t *data = xcalloc(1, size);
		struct decoded rec;
		int r;

		for (size_t i = 0; i < size; i++)
			data[i] = (uint8_t)rand();
		if (round % 4)
			memcpy(data, &good, size < sizeof(good) ? size : sizeof(good));
		if (round % 16 == 7 && size > sizeof(good.fixed) + sizeof(struct pmb_part)) {
			struct pmb_part *part = (void *)(data + sizeof(good.fixed));

			part->type = PMB_PART_READS;
			part->size = (uint16_t)(rand() % 20 * 8);
		}
		if (round % 4 == 3 && size)
			data[(size_t)rand() % size] = (uint8_t)rand();
		if (size >= FIXED_STACK && round % 4 == 1)
			memset(data + offsetof(struct pmb_stack, n), 0, 4);
		if (size >= sizeof(struct pmb_rec) && round % 8) {
			((struct pmb_rec *)data)->size = (uint32_t)size;
			((struct pmb_rec *)data)->type = (uint16_t)(1 + rand() % 2);
			((struct pmb_rec *)data)->parts = (uint16_t)(rand() % 4);
		}
		if (size >= FIXED_STACK && round % 2)
			data[offsetof(struct pmb_stack, n)] = (uint8_t)(rand() % 40);
		r = record_decode(data, size, N_EVENTS, &rec);
		cr_assert(r >= -1 && r < N_REJECTS);
		if (r < 0) {
			sum += read_all(&rec);
			taken++;
		}
		free(data);
	}
	cr_expect_gt(taken, 1000, "the generator meets the inside of the decoder");
}

/* --- objects of interpreters --- */

static int decode_object_with(uint16_t parts, uint32_t table_bytes, size_t left_out)
{
	struct pmb_object o = {.rec = {.type = PMB_REC_OBJECT, .parts = parts}};
	struct pmb_py_table table = {.n_bytes = table_bytes};
	struct decoded rec;
	size_t size;

	o.name.n_bytes = 5;
	o.file.n_bytes = 4;
	memcpy(o.bytes + 16, &table, sizeof(table));
	size = offsetof(struct pmb_object, bytes) + 16 + sizeof(table) + 16 - left_out;
	o.rec.size = (uint32_t)size;
	return record_decode(&o, size, N_EVENTS, &rec);
}

Test(decode, line_tables_of_objects)
{
	cr_expect_lt(decode_object_with(0, 99, 0), 0); /* it has none */
	cr_expect_lt(decode_object_with(1, 16, 0), 0);
	cr_expect_eq(decode_object_with(1, 17, 0), REJECT_PART);
	cr_expect_eq(decode_object_with(1, UINT32_MAX, 0), REJECT_PART);
	cr_expect_lt(decode_object_with(1, 0, 16), 0);
	cr_expect_eq(decode_object_with(1, 0, 17), REJECT_PART);
	cr_expect_eq(decode_object_with(1, 0, 33), REJECT_PART); /* its head is missing */
	cr_expect_eq(decode_object_with(2, 0, 0), REJECT_PART);
}

Test(decode, blocks_and_what_is_freed)
{
	struct pmb_block block = {
		.sample.rec = {.type = PMB_REC_BLOCK, .size = sizeof(block)},
		.addr = 0x1000,
		.size = 16,
	};
	struct pmb_freed freed = {.rec = {.type = PMB_REC_FREED, .size = sizeof(freed)}};
	struct decoded rec;

	cr_assert_eq(record_decode(&block, sizeof(block), 0, &rec), -1);
	cr_expect_eq(rec.block, &block);
	cr_expect_null(rec.sample, "it is none");
	cr_assert_eq(record_decode(&freed, sizeof(freed), 0, &rec), -1);
	cr_expect_eq(rec.freed, &freed);
	block.sample.user_end = PMB_N_UNWIND_STATUSES;
	expect_reject(&block, sizeof(block), REJECT_UNWIND_STATUS);
	freed.rec.size -= 8;
	block.sample.rec.size = sizeof(block) - 8;
	expect_reject(&block, sizeof(block) - 8, REJECT_SHORT);
	expect_reject(&freed, sizeof(freed) - 8, REJECT_SHORT);
}

struct branch_sample {
	struct pmb_sample fixed;
	struct pmb_part_branches branches;
};

Test(decode, branch_records_end_with_their_part)
{
	struct branch_sample s = {.fixed = good_sample().fixed};
	size_t fixed = offsetof(struct pmb_part_branches, list), one = sizeof(struct pmb_branch);
	struct decoded rec;

	s.branches.part.type = PMB_PART_BRANCHES;
	s.branches.part.size = (__u16)(fixed + 2 * one);
	s.branches.n = 2;
	s.branches.whole = 9;
	s.fixed.rec.size = (uint32_t)(sizeof(s.fixed) + fixed + 2 * one);
	cr_assert_eq(record_decode(&s, s.fixed.rec.size, N_EVENTS, &rec), -1);
	cr_expect_eq(rec.branches, &s.branches);
	s.branches.n = 3;
	expect_reject(&s, s.fixed.rec.size, REJECT_PART);
	s.branches.n = UINT32_MAX;
	expect_reject(&s, s.fixed.rec.size, REJECT_PART);
	s.branches.n = 2;
	s.branches.whole = 1;
	expect_reject(&s, s.fixed.rec.size, REJECT_PART);
	s.branches.part.size = (__u16)(fixed - 8);
	expect_reject(&s, s.fixed.rec.size, REJECT_PART);
}
