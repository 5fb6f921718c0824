// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Walks in user space over a stack dump. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "unwind/walk.h"

#if defined(__x86_64__)

static struct pmb_chunk *new_chunk(void *ctx, uint32_t index)
{
	(void)ctx;
	(void)index;
	return xcalloc(1, sizeof(struct pmb_chunk)); /* one; the process ends soon */
}

static const struct pmb_unwind_rule rules[] = {
	{.cfa = PMB_CFA_SP, .cfa_off = 24, .ra_off = -8},
	{.cfa = PMB_CFA_END},
	{.cfa = PMB_CFA_NONE},
	{.cfa = PMB_CFA_SP, .cfa_off = 16, .ra_off = -8, .fp = PMB_FP_CFA, .fp_off = -16},
	{.cfa = PMB_CFA_REG, .reg = 5, .cfa_off = 24, .ra_off = -8},
	{.cfa = PMB_CFA_SP, .cfa_off = 24, .ra_off = -8, .saved = 2},
	{.cfa = PMB_CFA_SP, .cfa_off = 16, .ra_off = -8, .saved = PMB_SAVED_UNKNOWN},
	{.cfa = PMB_CFA_SIGNAL},
	{.cfa = PMB_CFA_FRAME, .cfa_off = PMB_WITHOUT_RULE},
};
static const struct pmb_unwind_page pages[] = {{0, 9}};
/* [0, 0x100) two words of locals; [0x100, 0x200) outermost; [0x200, 0x300) nothing known; then
 * pushes rbp; 0x400: CFA in rbx; 0x500: rbx is the second push; 0x600: it may be anywhere; 0x700: a
 * signal frame; 0x800: a runtime's */
static const __u32 rows[] = {PMB_ROW(0, 0),     PMB_ROW(0x100, 1), PMB_ROW(0x200, 2),
			     PMB_ROW(0x300, 3), PMB_ROW(0x400, 4), PMB_ROW(0x500, 5),
			     PMB_ROW(0x600, 6), PMB_ROW(0x700, 7), PMB_ROW(0x800, 8)};
static const struct unwind_table table = {
	.head = {.n_pages = 1, .n_rules = 9, .n_rows = 9},
	.pages = pages,
	.rules = rules,
	.rows = rows,
};

enum { FILE_KNOWN = 1, FILE_UNKNOWN = 2, FILE_FRAMES = 3 };
static struct store *store;
static struct mappings *maps;
static struct {
	struct pmb_stack_dump head;
	uint64_t words[64];
} dump;
static struct late_stack got;
static const struct walk_limits limits = {PMB_MAX_FRAMES, (1ULL << 47) - 1};

static void map(uint64_t start, uint32_t file)
{
	struct mapping m = {start, start + 0x10000, 0, file, false};

	maps = mappings__add(maps, &m);
}

static void begin(void)
{
	struct store_memory memory = {.code = xcalloc(1, sizeof(struct pmb_code)),
				      .mappings = xcalloc(1, sizeof(struct pmb_mappings)),
				      .new_chunk = new_chunk};

	store = store__new(&memory, 1 << 20);
	cr_assert(store__put(store, FILE_KNOWN, &table));
	store__put_frames(store, FILE_FRAMES);
	map(0x400000, FILE_KNOWN);
	map(0x500000, FILE_UNKNOWN);
	map(0x600000, FILE_FRAMES);
	dump.head.n = 1;
	dump.head.from =
		(struct pmb_frame){.ip = 0x400010, .sp = 0x7000, .exact = 1, .has_regs = 1};
	dump.head.frames[0] = 0x400010;
	dump.head.n_bytes = sizeof(dump.words);
}

static enum pmb_unwind_status walk_with(const struct walk_limits *by)
{
	static union {
		struct pmb_stack_dump head;
		char bytes[sizeof(dump)];
	} rec;

	/* as it travels: the copy follows the last frame */
	rec.head = dump.head;
	memcpy(&rec.head.frames[dump.head.n], dump.words, sizeof(dump.words));
	return unwind_walk(store, maps, &rec.head, by, &got);
}

static enum pmb_unwind_status walk(void)
{
	return walk_with(&limits);
}

TestSuite(walk, .init = begin);

Test(walk, to_the_outermost_frame)
{
	dump.words[2] = 0x400350; /* the caller, which pushed rbp */
	dump.words[3] = 0x1234;   /* its rbp */
	dump.words[4] = 0x400110;
	cr_assert_eq(walk(), PMB_END_COMPLETE);
	cr_assert_eq(got.n, 3);
	cr_assert_eq(got.frames[1], 0x400350);
	cr_assert_eq(got.frames[2], 0x400110);
}

Test(walk, goes_on_where_the_kernel_side_stopped)
{
	dump.head.n = 3;
	dump.head.frames[1] = 0x401111;
	dump.head.frames[2] = 0x400310;
	dump.head.from = (struct pmb_frame){.ip = 0x400310, .sp = 0x7000};
	dump.words[1] = 0x400110;
	cr_assert_eq(walk(), PMB_END_COMPLETE);
	cr_assert_eq(got.n, 4);
	cr_assert_eq(got.frames[1], 0x401111);
	cr_assert_eq(got.frames[3], 0x400110);
}

Test(walk, names_the_file_whose_table_is_missing)
{
	dump.words[2] = 0x500010;
	cr_assert_eq(walk(), PMB_END_NO_TABLE);
	cr_assert_eq(got.missing, FILE_UNKNOWN);
	cr_assert_eq(got.n, 2);
	store__never(store, FILE_UNKNOWN);
	cr_assert_eq(walk(), PMB_END_NO_RULE);
}

Test(walk, from_a_table_to_frame_pointers_and_back)
{
	dump.words[2] =
		0x600010; /* a caller with a frame pointer: from a row that leaves rbp as it is */
	dump.head.from.fp = 0x7000 + 5 * 8;
	dump.words[5] = 0x9999;
	dump.words[6] = 0x400310;
	dump.words[8] = 0x400110;
	cr_assert_eq(walk(), PMB_END_COMPLETE);
	cr_assert_eq(got.n, 4);
	cr_assert_eq(got.frames[2], 0x400310);
	cr_assert_eq(got.frames[3], 0x400110);
}

Test(walk, code_without_a_rule)
{
	dump.words[2] = 0x400210;
	cr_assert_eq(walk(), PMB_END_NO_RULE);
	cr_assert_eq(got.n, 2);
}

/* A file that has a table, and a runtime's code of which it says nothing: by the frame pointer, and
 * said so. */
Test(walk, a_runtimes_code)
{
	dump.words[2] = 0x400810;
	dump.head.from.fp = 0x7000 + 5 * 8;
	dump.words[5] = 0x9999;
	dump.words[6] = 0x400310;
	dump.words[8] = 0x400110;
	cr_assert_eq(walk(), PMB_END_COMPLETE_BY_FP);
	cr_assert_eq(got.n, 4);
	cr_assert_eq(got.frames[2], 0x400310);
	dump.head.from.fp = 0x6000; /* not a frame of this stack: the register was something else */
	cr_assert_eq(walk(), PMB_END_FP_LEFT);
	cr_assert_eq(got.n, 2);
}

Test(walk, a_return_address_in_no_mapping)
{
	dump.words[2] = 0x900000;
	cr_assert_eq(walk(), PMB_END_CORRUPT);
}

Test(walk, a_process_of_which_nothing_is_known)
{
	maps = NULL;
	cr_assert_eq(walk(), PMB_END_NO_TABLE);
	cr_assert_eq(got.missing, 0);
	cr_assert_eq(got.n, 1);
}

Test(walk, beyond_the_dump)
{
	dump.head.n_bytes = 16;
	cr_assert_eq(walk(), PMB_END_UNREADABLE);
	dump.head.n_bytes = 0;
	cr_assert_eq(walk(), PMB_END_UNREADABLE);
}

/* As ld.so's _start, for which its instructions make a rule. */
Test(walk, the_first_function_has_no_caller)
{
	dump.words[2] = 0x400310;
	dump.words[3] = 0x1234;
	dump.words[4] = 0x400010;
	dump.head.stack_top = dump.head.from.sp + 5 * 8;
	dump.words[7] = 1; /* argc, where a return address would be */
	cr_assert_eq(walk(), PMB_END_COMPLETE);
	cr_assert_eq(got.n, 3);
}

/* A guessed rule for a program's first function leads above what the kernel began the stack
 * with. */
Test(walk, above_the_first_function)
{
	dump.head.n_bytes = 24;
	dump.head.stack_top = dump.head.from.sp + 24;
	dump.words[2] = 0x400010;
	cr_assert_eq(walk(), PMB_END_COMPLETE);
	cr_assert_eq(got.n, 2);
	dump.head.stack_top += 16;
	cr_assert_eq(walk(), PMB_END_UNREADABLE);
}

/* _dl_runtime_resolve, and what it calls */
Test(walk, a_cfa_in_a_register_that_functions_below_have_saved)
{
	dump.words[2] = 0x400510;        /* leaves rbx as it is */
	dump.words[3] = 0x7000 + 10 * 8; /* rbx, as the second push */
	dump.words[5] = 0x400410;
	dump.words[12] = 0x400110;
	cr_assert_eq(walk(), PMB_END_COMPLETE);
	cr_assert_eq(got.n, 4);
	cr_assert_eq(got.frames[3], 0x400110);
}

Test(walk, a_cfa_in_a_register_that_nobody_has_touched)
{
	dump.head.regs[5] = 0x7000 + 10 * 8;
	dump.words[2] = 0x400410;
	dump.words[12] = 0x400110;
	cr_assert_eq(walk(), PMB_END_COMPLETE);
	cr_assert_eq(got.n, 3);
	dump.head.from.has_regs = 0; /* the kernel side's walk has left it behind */
	cr_assert_eq(walk(), PMB_END_NO_RULE);
}

Test(walk, a_cfa_in_a_register_that_may_be_anywhere)
{
	dump.head.regs[5] = 0x7000 + 10 * 8;
	dump.words[2] = 0x400610;
	dump.words[4] = 0x400410;
	dump.words[12] = 0x400110;
	cr_assert_eq(walk(), PMB_END_NO_RULE);
	cr_assert_eq(got.n, 3);
	dump.head.regs[5] = 0;
	dump.words[2] = 0x600010; /* through code with frame pointers */
	dump.head.from.fp = 0x7000 + 5 * 8;
	dump.words[6] = 0x400410;
	cr_assert_eq(walk(), PMB_END_NO_RULE);
}

Test(walk, a_cfa_in_a_register_that_a_signal_frame_has)
{
	enum { FRAME = 3 }; /* words */

	dump.head.regs[5] = 8;
	dump.words[2] = 0x400710;
	dump.words[FRAME + (40 + 11 * 8) / 8] = 0x7000 + 40 * 8;
	dump.words[FRAME + (40 + 15 * 8) / 8] = 0x7000 + 30 * 8;
	dump.words[FRAME + (40 + 16 * 8) / 8] = 0x400400;
	dump.words[42] = 0x400110;
	cr_assert_eq(walk(), PMB_END_COMPLETE);
	cr_assert_eq(got.n, 4);
	cr_assert_eq(got.frames[2], 0x400400);
}

Test(walk, deeper_than_the_limit)
{
	for (int i = 0; i < 64; i++)
		dump.words[i] = 0x400010;
	cr_assert_eq(walk_with(&(struct walk_limits){5, ~0ULL}), PMB_END_TRUNCATED);
	cr_assert_eq(got.n, 5);
}

#endif
