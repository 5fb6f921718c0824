// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "model/profile.h"

static struct profile *p;

static void begin(void)
{
	p = profile__new();
}

static void end(void)
{
	p = profile__free(p);
}

TestSuite(profile, .init = begin, .fini = end);

Test(profile, starts_with_the_unknown_frame_alone)
{
	const struct frame *frames;
	const struct profile_row *rows;

	cr_assert_eq(profile__frames(p, &frames), 1);
	cr_expect_eq(frames[0].kind, FRAME_UNKNOWN);
	cr_expect_eq(profile__rows(p, &rows), 0);
	cr_expect_null(profile__free(NULL));
}

Test(profile, frames_are_found_by_their_id)
{
	const struct frame *frames;
	struct frame a = {FRAME_FILE, 1, 0x10}, b = {FRAME_FILE, 2, 0x10}, c = {FRAME_JIT, 1, 0x10};
	uint32_t ids[] = {profile__frame(p, &a), profile__frame(p, &b), profile__frame(p, &c)};

	cr_expect_eq(profile__frame(p, &a), ids[0]);
	cr_expect_neq(ids[0], ids[1]);
	cr_expect_neq(ids[0], ids[2]);
	cr_assert_eq(profile__frames(p, &frames), 4);
	cr_expect_eq(frames[ids[1]].file, 2);
	cr_expect_eq(frames[ids[2]].kind, FRAME_JIT);
}

Test(profile, stack_zero_has_no_frames)
{
	const uint32_t *frames;

	cr_expect_eq(profile__stack(p, NULL, 0), 0);
	cr_expect_eq(profile__stack_frames(p, 0, &frames), 0);
	cr_expect_eq(profile__stack_frames(p, 77, &frames), 0, "so has one that never was");
}

Test(profile, stacks_keep_the_order_of_their_frames)
{
	const uint32_t ab[] = {1, 2}, ba[] = {2, 1}, *frames;
	uint32_t first = profile__stack(p, ab, 2), second = profile__stack(p, ba, 2);

	cr_expect_neq(first, 0);
	cr_expect_neq(first, second);
	cr_expect_eq(profile__stack(p, ab, 2), first);
	cr_assert_eq(profile__stack_frames(p, second, &frames), 2);
	cr_expect_eq(frames[0], 2);
	cr_expect_eq(frames[1], 1);
}

Test(profile, equal_keys_add_up_and_any_difference_is_a_row)
{
	const struct profile_row *rows;
	struct profile_key key = {.event = 0, .comm = 1, .user_stack = 3}, other;

	profile__add(p, &key, 10);
	profile__add(p, &key, UINT32_MAX);
	profile__add(p, &key, 0);
	other = key, other.event = 1, profile__add(p, &other, 1);
	other = key, other.comm = 2, profile__add(p, &other, 1);
	other = key, other.kernel_stack = 1, profile__add(p, &other, 1);
	other = key, other.user_stack = 4, profile__add(p, &other, 1);
	other = key, other.has_addr = 1, profile__add(p, &other, 1);
	other.addr = 8, profile__add(p, &other, 1);
	cr_assert_eq(profile__rows(p, &rows), 7);
	cr_expect_eq(rows[0].samples, 3);
	cr_expect_eq(rows[0].weight, 10 + (uint64_t)UINT32_MAX);
	for (size_t i = 1; i < 7; i++)
		cr_expect_eq(rows[i].samples, 1);
	cr_expect_eq(rows[6].key.addr, 8);
}

Test(profile, an_address_of_zero_is_an_address)
{
	const struct profile_row *rows;

	profile__add(p, &(struct profile_key){.has_addr = 0}, 1);
	profile__add(p, &(struct profile_key){.has_addr = 1}, 1);
	cr_expect_eq(profile__rows(p, &rows), 2);
}

Test(profile, comms_come_back_and_unknown_ones_are_empty)
{
	uint32_t cat = profile__comm(p, "cat"), none = profile__comm(p, "");

	cr_expect_str_eq(profile__comm_text(p, cat), "cat");
	cr_expect_str_eq(profile__comm_text(p, none), "");
	cr_expect_eq(profile__comm(p, "cat"), cat);
	cr_expect_str_eq(profile__comm_text(p, 999), "");
}

Test(profile, weights_survive_many_rows)
{
	const struct profile_row *rows;
	uint64_t sum = 0;
	size_t n;

	for (uint32_t i = 0; i < 30000; i++)
		profile__add(p, &(struct profile_key){.user_stack = i % 7001}, i);
	n = profile__rows(p, &rows);
	cr_assert_eq(n, 7001);
	for (size_t i = 0; i < n; i++)
		sum += rows[i].weight;
	cr_expect_eq(sum, 30000ULL * 29999 / 2);
}

Test(profile, artificial_functions_are_stacks_of_one_frame)
{
	uint32_t idle = profile__artificial(p, ARTIFICIAL_IDLE);
	uint32_t other = profile__artificial(p, ARTIFICIAL_OTHER);
	const struct frame *frames;
	const uint32_t *ids;

	cr_expect_neq(idle, other);
	cr_expect_eq(profile__artificial(p, ARTIFICIAL_IDLE), idle);
	cr_assert_eq(profile__stack_frames(p, idle, &ids), 1);
	profile__frames(p, &frames);
	cr_expect_eq(frames[ids[0]].kind, FRAME_ARTIFICIAL);
	cr_expect_eq(frames[ids[0]].off, ARTIFICIAL_IDLE);
	cr_expect_str_eq(artificial_names[frames[ids[0]].off], "[idle]");
}

/* ---- more rows than there is room for */

static uint64_t state;
static uint64_t number(void)
{
	state = state * 6364136223846793005 + 1442695040888963407;
	return state >> 33;
}

/* A row whose stack tells what it is: event, comm and two frames. */
static void add_path(uint32_t event, const char *comm, uint64_t path, uint64_t weight)
{
	struct frame leaf = {FRAME_FILE, 1, path}, root = {FRAME_FILE, 2, path % 100};
	uint32_t ids[] = {profile__frame(p, &leaf), profile__frame(p, &root)};
	struct profile_key key = {
		.event = event,
		.comm = profile__comm(p, comm),
		.user_stack = profile__stack(p, ids, 2),
	};

	profile__add(p, &key, weight);
	profile__trim(p);
}

static struct frame leaf_of(const struct profile_row *row)
{
	const struct frame *frames;
	const uint32_t *ids;

	cr_assert_geq(profile__stack_frames(p, row->key.user_stack, &ids), 1);
	profile__frames(p, &frames);
	return frames[ids[0]];
}

static bool is_other(const struct profile_row *row)
{
	struct frame leaf = leaf_of(row);

	return leaf.kind == FRAME_ARTIFICIAL && leaf.off == ARTIFICIAL_OTHER;
}

static const char *comm_of(const struct profile_row *row)
{
	return profile__comm_text(p, row->key.comm);
}

/* Weight of the rows of an event; of a comm, unless NULL; of [other] alone, if wanted. */
static uint64_t weight_of(uint32_t event, const char *comm, bool other)
{
	const struct profile_row *rows;
	size_t n = profile__rows(p, &rows);
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (rows[i].key.event == event && (!comm || strcmp(comm_of(&rows[i]), comm) == 0) &&
		    (!other || is_other(&rows[i])))
			sum += rows[i].weight;
	}
	return sum;
}

static uint64_t weight_of_path(uint32_t event, uint64_t path)
{
	const struct profile_row *rows;
	size_t n = profile__rows(p, &rows);

	for (size_t i = 0; i < n; i++) {
		if (rows[i].key.event == event && !is_other(&rows[i]) &&
		    leaf_of(&rows[i]).off == path)
			return rows[i].weight;
	}
	return 0;
}

Test(profile, without_a_limit_nothing_is_given_up)
{
	const struct profile_row *rows;

	for (uint64_t i = 1; i <= 20000; i++)
		add_path(0, "many", i, 1);
	cr_expect_eq(profile__rows(p, &rows), 20000);
	cr_expect_eq(profile__trims(p), 0);
	cr_expect_eq(profile__other(p, 0).rows, 0);
}

Test(profile, beyond_its_limit_it_stays_small_and_exact)
{
	uint64_t sums[2][3] = {{0}}, big = 1ULL << 40;
	static const char *const comms[] = {"one", "two", "three"};
	struct profile_other other;

	profile__set_limit(p, 200000);
	for (uint64_t i = 0; i < 100000; i++) {
		uint64_t event = number() % 2, comm = number() % 3, weight = big + number();

		add_path((uint32_t)event, comms[comm], number() % 30000, weight);
		sums[event][comm] += weight;
		cr_assert_leq(profile__bytes(p), 200000);
	}
	cr_expect_gt(profile__trims(p), 10);
	for (uint32_t event = 0; event < 2; event++) {
		for (size_t comm = 0; comm < 3; comm++)
			cr_expect_eq(weight_of(event, comms[comm], false), sums[event][comm],
				     "the sums of events and comms stay");
		other = profile__other(p, event);
		cr_expect_eq(weight_of(event, NULL, true), other.weight,
			     "[other] is what was told");
		cr_expect_gt(other.rows, 1000);
		cr_expect_geq(other.samples, other.rows);
	}
}

/* Of each sample as many times as it stands for; none is lost where rows are given up. */
Test(profile, latencies_add_up)
{
	const struct profile_row *rows;
	uint64_t sum = 0, latencies = 0;
	struct profile *other = profile__new();

	profile__set_limit(p, 200000);
	for (uint32_t i = 0; i < 50000; i++) {
		uint32_t frame = profile__frame(p, &(struct frame){FRAME_FILE, 1, i});
		struct profile_key key = {.comm = profile__comm(p, "a"),
					  .user_stack = profile__stack(p, &frame, 1)};

		profile__add_access(p, &key, 1000, i % 100);
		sum += 1000 * (i % 100);
		profile__trim(p);
	}
	cr_expect_gt(profile__trims(p), 1);
	profile__add(p, &(struct profile_key){.comm = profile__comm(p, "a")}, 7);
	profile__merge(other, p);
	for (size_t i = profile__rows(other, &rows); i-- > 0;)
		latencies += rows[i].latency;
	cr_expect_eq(latencies, sum);
	profile__add_access(other, &(struct profile_key){0}, UINT64_MAX / 2, 4);
	cr_assert_gt(profile__rows(other, &rows), 0);
	cr_expect_eq(rows[profile__rows(other, &rows) - 1].latency, UINT64_MAX, "not less again");
	profile__free(other);
}

Test(profile, what_is_heavy_stays_apart)
{
	uint64_t heavy[20] = {0};

	profile__set_limit(p, 200000);
	for (uint64_t i = 0; i < 100000; i++) {
		if (i % 2) {
			add_path(0, "a", i % 40, 10);
			heavy[i % 40 / 2] += 10;
		} else {
			add_path(0, "a", 1000 + i, 10);
		}
	}
	for (uint64_t k = 0; k < 20; k++)
		cr_expect_eq(weight_of_path(0, 2 * k + 1), heavy[k]);
	cr_expect_gt(weight_of(0, "a", true), 0);
}

Test(profile, a_light_event_is_not_given_up_for_a_heavy_one)
{
	profile__set_limit(p, 200000);
	for (uint64_t path = 1; path <= 50; path++)
		add_path(1, "rare", path, 1);
	for (uint64_t i = 0; i < 50000; i++)
		add_path(0, "often", i, 1000000);
	for (uint64_t path = 1; path <= 50; path++)
		cr_expect_eq(weight_of_path(1, path), 1);
	cr_expect_eq(profile__other(p, 1).rows, 0);
	cr_expect_gt(profile__other(p, 0).rows, 0);
}

Test(profile, comms_without_end_become_other_themselves)
{
	char comm[16];

	profile__set_limit(p, 200000);
	for (uint64_t i = 0; i < 50000; i++) {
		snprintf(comm, sizeof(comm), "thread-%u", (unsigned)i);
		add_path(0, comm, i, 3);
		cr_assert_leq(profile__bytes(p), 200000);
	}
	cr_expect_eq(weight_of(0, NULL, false), 150000);
	cr_expect_gt(weight_of(0, "[other]", true), 0);
	cr_expect_eq(weight_of(0, NULL, true), profile__other(p, 0).weight);
	cr_expect_leq(profile__other(p, 0).rows, 50000, "each was given up once");
}

/* The same samples leave the same rows. */
Test(profile, giving_up_is_deterministic)
{
	const struct profile_row *rows;
	static struct profile_row first[4096];
	size_t n = 0;

	for (int run = 0; run < 2; run++) {
		end();
		begin();
		state = 42;
		profile__set_limit(p, 100000);
		for (uint64_t i = 0; i < 30000; i++)
			add_path((uint32_t)(number() % 3), "x", number() % 5000, number() % 4);
		if (run)
			break;
		n = profile__rows(p, &rows);
		cr_assert_leq(n, 4096);
		memcpy(first, rows, n * sizeof(*rows));
	}
	cr_assert_eq(profile__rows(p, &rows), n);
	cr_expect_arr_eq(rows, first, n * sizeof(*rows));
}

Test(profile, addresses_and_kernel_stacks_survive_new_numbers)
{
	struct frame kernel = {FRAME_KERNEL, 0, 0xffffffff81000000};
	const struct profile_row *rows;
	const uint32_t *ids;
	size_t n, found = 0;

	profile__set_limit(p, 200000);
	for (uint64_t i = 0; i < 20000; i++) {
		uint32_t id;

		add_path(0, "filler", i, 1);
		id = profile__frame(p, &kernel);
		profile__add(p,
			     &(struct profile_key){.comm = profile__comm(p, "faulty"),
						   .kernel_stack = profile__stack(p, &id, 1),
						   .addr = 0x1234,
						   .has_addr = 1},
			     5);
	}
	n = profile__rows(p, &rows);
	for (size_t i = 0; i < n; i++) {
		const struct frame *frames;

		if (!rows[i].key.has_addr)
			continue;
		found++;
		cr_expect_eq(rows[i].weight, 100000);
		cr_expect_eq(rows[i].key.addr, 0x1234);
		cr_expect_str_eq(comm_of(&rows[i]), "faulty");
		cr_assert_eq(profile__stack_frames(p, rows[i].key.kernel_stack, &ids), 1);
		profile__frames(p, &frames);
		cr_expect_eq(frames[ids[0]].off, 0xffffffff81000000);
	}
	cr_expect_eq(found, 1);
}

/* Less than the least that can remain: it must neither grow nor make each sample pay. */
Test(profile, a_limit_that_is_too_small)
{
	profile__set_limit(p, 1);
	for (uint64_t i = 0; i < 2000; i++)
		add_path(0, "a", i, 1);
	cr_expect_lt(profile__trims(p), 1000);
	cr_expect_lt(profile__bytes(p), 20000);
	cr_expect_eq(weight_of(0, NULL, false), 2000);
}
