// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "assemble/queue.h"

static struct queue q;
static struct buf seen; /* "s10 " a sample of time 10, "l10:/path " a life record */

static void on_life(void *ctx, const struct life *life)
{
	(void)ctx;
	buf__printf(&seen, "l%lu:%s ", (unsigned long)life->time, life->path);
}

static void on_sample(void *ctx, const struct decoded *rec)
{
	(void)ctx;
	buf__printf(&seen, "s%lu", (unsigned long)rec->sample->rec.time);
	if (rec->sample->tid)
		buf__printf(&seen, "/%u", rec->sample->tid);
	if (rec->has_addr)
		buf__printf(&seen, "@%lx", (unsigned long)rec->addr);
	for (size_t i = 0; i < rec->n_reads; i++)
		buf__printf(&seen, "+%u:%lu", rec->reads[i].event,
			    (unsigned long)rec->reads[i].weight);
	buf__putc(&seen, ' ');
}

static const struct queue_fns fns = {.life = on_life, .sample = on_sample};

static void end(void)
{
	queue__done(&q);
	buf__done(&seen);
}

TestSuite(queue, .fini = end);

static void add_sample(uint64_t time, uint32_t tid)
{
	const struct pmb_sample sample = {
		.rec = {.type = PMB_REC_SAMPLE, .size = sizeof(sample), .time = time},
		.tid = tid,
	};

	queue__sample(&q, &sample);
}

static void add_life(uint64_t time, const char *path)
{
	queue__life(&q, &(struct life){.kind = LIFE_MMAP, .time = time, .path = path});
}

static void expect_release(uint64_t horizon, const char *want)
{
	buf__clear(&seen);
	buf__puts(&seen, "");
	queue__release(&q, horizon, &fns);
	cr_expect_str_eq(seen.data, want);
}

Test(queue, nothing_comes_out_of_nothing)
{
	expect_release(UINT64_MAX, "");
}

Test(queue, both_streams_come_out_by_time)
{
	add_sample(30, 0);
	add_sample(10, 0);
	add_life(20, "/b");
	add_life(5, "/a");
	expect_release(UINT64_MAX, "l5:/a s10 l20:/b s30 ");
	expect_release(UINT64_MAX, "");
}

Test(queue, the_horizon_keeps_the_rest)
{
	add_sample(30, 0);
	add_life(40, "/a/long/path/that/is/kept");
	add_sample(10, 0);
	expect_release(9, "");
	expect_release(10, "s10 ");
	add_sample(35, 0);
	expect_release(34, "s30 ");
	expect_release(39, "s35 ");
	expect_release(UINT64_MAX, "l40:/a/long/path/that/is/kept ");
}

Test(queue, records_of_one_time_keep_the_order_of_their_arrival)
{
	for (uint32_t i = 1; i <= 9; i++)
		add_sample(7, i);
	add_life(7, "/x");
	expect_release(7, "s7/1 s7/2 s7/3 s7/4 s7/5 s7/6 s7/7 s7/8 s7/9 l7:/x ");
}

Test(queue, and_keep_it_after_having_been_kept)
{
	add_sample(7, 1);
	add_sample(7, 2);
	add_sample(1, 0);
	expect_release(1, "s1 ");
	add_sample(7, 3);
	add_sample(2, 0);
	expect_release(2, "s2 ");
	add_life(7, "/4");
	expect_release(7, "s7/1 s7/2 s7/3 l7:/4 ");
}

Test(queue, what_is_late_comes_at_once)
{
	add_sample(100, 0);
	expect_release(100, "s100 ");
	add_sample(50, 0);
	expect_release(100, "s50 ");
}

/* The blocks of a round are those of the next but one; those of a burst aren't kept. */
Test(queue, blocks_are_used_again)
{
	enum { FEW = 100, BURST = 100000 };
	uint64_t time = 1;
	void *blocks[4];
	size_t large;

	for (int round = 0; round < 4; round++) {
		for (int i = 0; i < FEW; i++)
			add_sample(time, 1);
		blocks[round] = q.bytes;
		queue__release(&q, time++, &fns);
	}
	cr_expect_eq(blocks[0], blocks[2]);
	cr_expect_eq(blocks[1], blocks[3]);
	for (int i = 0; i < BURST; i++)
		add_sample(time, 1);
	large = q.cap_bytes;
	queue__release(&q, time++, &fns);
	for (int round = 0; round < 3; round++) {
		add_sample(time, 1);
		queue__release(&q, time++, &fns);
	}
	cr_expect_lt(q.cap_bytes + q.cap_spare_bytes, large / 4);
	cr_expect_lt(q.cap + q.cap_spare, BURST / 4);
}

/* Parts one after the other, as many as there are. */
struct with_parts {
	struct pmb_sample sample;
	struct pmb_part_addr addr;
	struct pmb_part unknown;
	struct pmb_part reads;
	struct pmb_reading list[2];
};

static struct with_parts with_parts(uint64_t time, uint64_t addr)
{
	return (struct with_parts){
		.sample = {.rec = {.type = PMB_REC_SAMPLE,
				   .size = sizeof(struct with_parts),
				   .parts = 3,
				   .time = time}},
		.addr = {.part = {.size = sizeof(struct pmb_part_addr), .type = PMB_PART_ADDR},
			 .addr = addr},
		.unknown = {.size = sizeof(struct pmb_part), .type = UINT8_MAX},
		.reads = {.size = sizeof(struct pmb_part) + 2 * sizeof(struct pmb_reading),
			  .type = PMB_PART_READS},
		.list = {{.event = 1, .weight = 10}, {.event = 2, .weight = 20}},
	};
}

Test(queue, all_parts_travel_with_their_samples)
{
	struct with_parts later = with_parts(6, 0), sample = with_parts(5, 0xbeef);

	queue__sample(&q, &later.sample);
	later.list[0].weight = 99; /* a copy of it waits */
	sample.list[0].weight = 11;
	queue__sample(&q, &sample.sample);
	add_sample(7, 0);
	expect_release(5, "s5@beef+1:11+2:20 ");
	expect_release(7, "s6@0+1:10+2:20 s7 ");
}

Test(queue, paths_are_copies_and_may_be_missing)
{
	char path[] = "/gone";

	add_life(1, path);
	memset(path, 'x', sizeof(path) - 1);
	add_life(2, NULL);
	add_life(3, "");
	expect_release(UINT64_MAX, "l1:/gone l2: l3: ");
}

static uint64_t last, handed;

static void in_order(void *ctx, const struct decoded *rec)
{
	(void)ctx;
	cr_assert_geq(rec->sample->rec.time, last);
	last = rec->sample->rec.time;
	handed++;
}

Test(queue, many_rounds_lose_nothing_and_never_step_back)
{
	const struct queue_fns counting = {.sample = in_order};
	uint64_t added = 0;

	srand(11);
	for (uint64_t round = 1; round <= 300; round++) {
		for (int i = 0; i < 50; i++, added++)
			add_sample(round * 1000 + (uint64_t)rand() % 3000, 0);
		queue__release(&q, round * 1000, &counting);
		cr_assert_leq(last, round * 1000);
	}
	queue__release(&q, UINT64_MAX, &counting);
	cr_expect_eq(handed, added);
}

static void copy_life(void *ctx, const struct life *life)
{
	*(struct life *)ctx = *life;
}

/* It takes less room than a mapping, and waits through a round. */
Test(queue, a_fork_keeps_what_it_says)
{
	const struct life fork = {.kind = LIFE_FORK,
				  .tgid = 2,
				  .tid = 3,
				  .parent_tgid = 1,
				  .time = 20};
	struct life got = {0};
	const struct queue_fns copy = {.life = copy_life, .sample = on_sample, .ctx = &got};

	cr_expect_lt(queue_life_bytes(&fork),
		     queue_life_bytes(&(struct life){.kind = LIFE_MMAP, .path = ""}));
	queue__life(&q, &fork);
	add_sample(10, 0);
	queue__release(&q, 15, &copy);
	cr_expect_eq(got.time, 0, "not yet");
	queue__release(&q, 20, &copy);
	cr_expect_eq(got.kind, LIFE_FORK);
	cr_expect_eq(got.tgid, 2);
	cr_expect_eq(got.tid, 3);
	cr_expect_eq(got.parent_tgid, 1);
	cr_expect_eq(got.time, 20);
	cr_expect_eq(got.start, 0);
	cr_expect_str_eq(got.path, "");
}
