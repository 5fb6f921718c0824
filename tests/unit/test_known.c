// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "sym/known.h"
#include "sym/texts.h"

static struct known *known;

static void begin(void)
{
	known = known__new(0);
}

static void end(void)
{
	known = known__free(known);
}

TestSuite(known, .init = begin, .fini = end);

static void keep(uint64_t file, uint64_t off, const char *text, enum sym_reason reason)
{
	const struct sym_name name = {
		.frame.name = text ? texts__add(known__texts(known), text, strlen(text)) : NULL,
		.vaddr = off + 0x1000,
		.reason = reason,
	};

	known__begin(known);
	known__keep(known, file, off, &name);
}

static const char *found(uint64_t file, uint64_t off)
{
	static struct sym_name name;

	if (!known__find(known, file, off, false, &name))
		return "unknown";
	cr_expect_eq(name.vaddr, off + 0x1000);
	return name.frame.name ? name.frame.name : "none";
}

Test(known, a_place_is_a_file_and_an_offset)
{
	keep(1, 0x10, "one", SYM_NAMED);
	keep(2, 0x10, "two", SYM_NAMED);
	cr_expect_str_eq(found(1, 0x10), "one");
	cr_expect_str_eq(found(2, 0x10), "two");
	cr_expect_str_eq(found(1, 0x20), "unknown");
	cr_expect(known__has(known, 1, 0x10));
	cr_expect_not(known__has(known, 3, 0x10));
}

Test(known, what_may_be_answered_otherwise_later_is_asked_again)
{
	keep(1, 0x10, NULL, SYM_NO_SYMBOL);
	keep(1, 0x20, NULL, SYM_TIME);
	keep(1, 0x30, NULL, SYM_HELPER);
	keep(1, 0x40, NULL, SYM_ROOM);
	keep(1, 0x50, NULL, SYM_NO_FILE);
	cr_expect_str_eq(found(1, 0x10), "none");
	cr_expect_eq(known__count(known), 1);
}

Test(known, inlined_calls_are_copied)
{
	struct sym_frame calls[2] = {{.name = "outer"}, {.name = "inner"}};
	struct sym_name name = {.inlined = calls, .n_inlined = 2}, copy;

	known__keep(known, 1, 0x10, &name);
	calls[0].name = "changed";
	cr_assert(known__find(known, 1, 0x10, false, &copy));
	cr_assert_eq(copy.n_inlined, 2);
	cr_expect_str_eq(copy.inlined[0].name, "outer");
	cr_expect_str_eq(copy.inlined[1].name, "inner");
	sym_name__done(&copy);
}

/* Where nobody was interrupted in the first part, somebody may be in the next one. */
Test(known, a_block_is_asked_for_where_it_is_wanted)
{
	struct sym_name name = {.reason = SYM_NO_SYMBOL}, copy;

	known__keep(known, 1, 0x10, &name);
	cr_expect_not(known__find(known, 1, 0x10, true, &copy));
	name.block = 3;
	name.insn = 4;
	name.block_asked = true;
	known__keep(known, 1, 0x10, &name);
	cr_assert(known__find(known, 1, 0x10, true, &copy));
	cr_expect_eq(copy.block, 3);
	cr_expect_eq(copy.insn, 4);
	cr_expect_eq(known__count(known), 1);
	name.block = 0;
	name.block_asked = false;
	known__keep(known, 1, 0x10, &name);
	cr_assert(known__find(known, 1, 0x10, true, &copy));
	cr_expect_eq(copy.block, 3);
}

Test(known, build_ids)
{
	cr_expect_null(known__build_id(known, 1));
	known__keep_build_id(known, 1, NULL);
	cr_expect_null(known__build_id(known, 1));
	known__keep_build_id(known, 1, "abcd");
	known__keep_build_id(known, 1, "ffff");
	cr_expect_str_eq(known__build_id(known, 1), "abcd");
}

/* Days of new programs: memory stays within its bound, and the names of late are there. */
Test(known, beyond_its_room_all_is_forgotten)
{
	enum { MAX = 1 << 20 };
	size_t most = 0;

	known__free(known);
	known = known__new(MAX);
	for (uint64_t i = 1; i < 50000; i++) {
		char text[32];

		snprintf(text, sizeof(text), "function_%lu", (unsigned long)i);
		known__begin(known);
		keep(i, 0x10, text, SYM_NAMED);
		most = known__bytes(known) > most ? known__bytes(known) : most;
	}
	cr_expect_str_eq(found(49999, 0x10), "function_49999");
	cr_expect_str_eq(found(1, 0x10), "unknown");
	cr_expect_lt(most, MAX);
	cr_expect_gt(known__count(known), 100);
}
