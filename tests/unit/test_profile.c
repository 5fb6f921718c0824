// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>

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
