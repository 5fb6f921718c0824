// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <linux/types.h>
#include <string.h>

#include "assemble/chains.h"

enum { CHAIN = 7, OBJECT = 0x4000000 | 2, OTHER = 0x8000000 | 2 };

static void add_object(struct chains *c, uint64_t id, const char *name)
{
	struct pmb_object o = {.rec = {.type = PMB_REC_OBJECT}, .id = id};

	o.name.n_bytes = (uint32_t)strlen(name);
	memcpy(o.bytes, name, strlen(name));
	chains__object(c, &o);
}

static size_t find(uint16_t type, const uint64_t *words, uint32_t n, uint64_t *ret)
{
	struct chains c = {.objects = objects__new(0)};
	struct pmb_stack chain = {.rec = {.type = type}, .id = CHAIN, .n = n};
	size_t found;

	memcpy(chain.frames, words, n * sizeof(*words));
	add_object(&c, OBJECT, "first");
	add_object(&c, OTHER, "second");
	chains__add(&c, &chain);
	found = chains__find(&c, CHAIN, ret);
	chains__done(&c);
	objects__free(c.objects);
	return found;
}

Test(chains, frames_have_numbers_and_boundaries)
{
	const uint64_t words[] = {OBJECT, OTHER | PMB_PY_LAST, OBJECT | 4 | PMB_PY_LAST};
	uint64_t places[2 * PMB_MAX_FRAMES];

	cr_assert_eq(find(PMB_REC_CHAIN, words, 3, places), 5);
	cr_expect_eq(places[0], placed_object(1, 0));
	cr_expect_eq(places[1], placed_object(2, 0));
	cr_expect_eq(places[2], placed_object(OBJECT_BOUNDARY, 0));
	cr_expect_eq(places[3], placed_object(OBJECT_UNKNOWN, 0)); /* another id */
	cr_expect_eq(places[4], placed_object(OBJECT_BOUNDARY, 0));
}

Test(chains, some_are_frames_of_the_stack)
{
	const uint64_t words[] = {OBJECT | 3 << PMB_PY_POSITION_SHIFT,
				  0x20000002 | 5 << PMB_PY_POSITION_SHIFT};
	uint64_t places[2 * PMB_MAX_FRAMES];

	cr_assert_eq(find(PMB_REC_FRAMES_CHAIN, words, 2, places), 3);
	cr_expect_eq(places[0], placed_object(OBJECT_IN_STACK, 0));
	cr_expect_eq(places[1], placed_object(1, 3));
	cr_expect_eq(places[2], placed_object(OBJECT_UNKNOWN, 5));
}

Test(chains, positions_are_no_part_of_ids)
{
	const uint64_t words[] = {OBJECT | 5 << PMB_PY_POSITION_SHIFT,
				  OBJECT | 0xffff << PMB_PY_POSITION_SHIFT | PMB_PY_LAST,
				  0x20000002 | 5 << PMB_PY_POSITION_SHIFT};
	uint64_t places[2 * PMB_MAX_FRAMES];

	cr_assert_eq(find(PMB_REC_PLACED_CHAIN, words, 3, places), 4);
	cr_expect_eq(places[0], placed_object(1, 5));
	cr_expect_eq(places[1], placed_object(1, 0xffff));
	cr_expect_eq(places[2], placed_object(OBJECT_BOUNDARY, 0));
	/* what never came is one frame, wherever it stood */
	cr_expect_eq(places[3], placed_object(OBJECT_UNKNOWN, 0));
	cr_expect_eq(object_number(places[1]), 1);
	cr_expect_eq(object_position(places[1]), 0xffff);
}
