// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Functions of JavaScript take the places of native frames. */
#include <criterion/criterion.h>

#include "assemble/internal.h"
#include "base/mem.h"
#include "model/objects.h"

static struct assembly a;
static struct account to;

static void begin(void)
{
	a = (struct assembly){.profile = profile__new()};
	to = (struct account){0};
}

static void end(void)
{
	profile__free(a.profile);
}

TestSuite(in_stack, .init = begin, .fini = end);

static uint32_t frame(uint8_t kind, uint64_t off)
{
	const struct frame f = {.kind = kind, .off = off};

	return profile__frame(a.profile, &f);
}

/* A native stack, of JIT code at 100, 101, …, but for that which is none; and objects of it. */
static void join(uint32_t n, uint32_t none, const uint64_t *places, uint32_t n_places)
{
	uint32_t ids[16];

	for (uint32_t i = 0; i < n; i++)
		ids[i] = frame(i == none ? FRAME_KERNEL : FRAME_JIT, 100 + i);
	to.key.user_stack = profile__stack(a.profile, ids, n);
	ids[0] = frame(FRAME_OBJECT, placed_object(OBJECT_IN_STACK, 0));
	for (uint32_t i = 0; i < n_places; i++)
		ids[1 + i] = frame(FRAME_OBJECT, places[i]);
	to.python = profile__stack(a.profile, ids, 1 + n_places);
	cr_assert(assembly__is_in_stack(&a, &to));
	assembly__put_in_stack(&a, &to);
	cr_expect_eq(to.python, 0);
}

/* Numbers of objects, or where native frames are. */
static void expect(const uint64_t *want, uint32_t n)
{
	const struct frame *all;
	const uint32_t *ids;

	profile__frames(a.profile, &all);
	cr_assert_eq(profile__stack_frames(a.profile, to.key.user_stack, &ids), n);
	for (uint32_t i = 0; i < n; i++) {
		const struct frame *f = &all[ids[i]];

		cr_expect_eq(f->kind == FRAME_SCRIPT ? object_number(f->off) : f->off, want[i],
			     "frame %u", i);
	}
}

Test(in_stack, each_in_its_place)
{
	const uint64_t places[] = {placed_object(7, 2), placed_object(8, 3)},
		       want[] = {100, 7, 8, 103};

	join(4, UINT32_MAX, places, ARRAY_SIZE(places));
	expect(want, ARRAY_SIZE(want));
}

/* Several have the same: the innermost is the first. */
Test(in_stack, what_is_inlined_comes_before_it)
{
	const uint64_t places[] = {placed_object(1, 1), placed_object(2, 1), placed_object(3, 1),
				   placed_object(4, 3), placed_object(5, 3)},
		       want[] = {1, 2, 3, 101, 4, 5};

	join(3, UINT32_MAX, places, ARRAY_SIZE(places));
	expect(want, ARRAY_SIZE(want));
}

/* Its native frame stays, under what is known to be inlined in it. */
Test(in_stack, what_never_came)
{
	const uint64_t places[] = {placed_object(1, 1), placed_object(OBJECT_UNKNOWN, 1),
				   placed_object(OBJECT_UNKNOWN, 2), placed_object(2, 2),
				   placed_object(OBJECT_UNKNOWN, 3)},
		       want[] = {1, 100, 2, 102};

	join(3, UINT32_MAX, places, ARRAY_SIZE(places));
	expect(want, ARRAY_SIZE(want));
}

Test(in_stack, only_where_there_may_be_one)
{
	const uint64_t places[] = {placed_object(1, 0), placed_object(1, 1), placed_object(2, 2),
				   placed_object(3, 9), placed_object(4, 3)},
		       want[] = {1, 101, 102};

	join(3, 1, places, ARRAY_SIZE(places));
	expect(want, ARRAY_SIZE(want));
}

Test(in_stack, as_many_as_may_travel)
{
	uint64_t places[PMB_MAX_FRAMES];
	uint32_t ids[PMB_MAX_FRAMES + 1], n;
	const uint32_t *joined;

	for (uint32_t i = 0; i < PMB_MAX_FRAMES; i++)
		ids[i] = frame(FRAME_JIT, i);
	to.key.user_stack = profile__stack(a.profile, ids, PMB_MAX_FRAMES);
	ids[0] = frame(FRAME_OBJECT, placed_object(OBJECT_IN_STACK, 0));
	for (uint32_t i = 0; i < PMB_MAX_FRAMES; i++) {
		places[i] = placed_object(1 + i, 1);
		ids[1 + i] = frame(FRAME_OBJECT, places[i]);
	}
	to.python = profile__stack(a.profile, ids, PMB_MAX_FRAMES + 1);
	assembly__put_in_stack(&a, &to);
	n = profile__stack_frames(a.profile, to.key.user_stack, &joined);
	cr_expect_eq(n, 2 * PMB_MAX_FRAMES - 1);
}
