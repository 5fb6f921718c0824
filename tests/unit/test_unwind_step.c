// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The step from a frame to its caller on x86-64, and the search for a row, over stacks made by
 * hand. */
#undef __TARGET_ARCH_arm64
#undef __TARGET_ARCH_riscv
#define __TARGET_ARCH_x86 1
#include "unwind_cases.h"

static const struct pmb_unwind_rule ENTRY = {.cfa = PMB_CFA_SP, .cfa_off = 8, .ra_off = -8};

Test(unwind_step, at_the_first_instruction)
{
	struct pmb_frame f = innermost();

	put(STACK, 0x402000);
	cr_assert_eq(unwind_step(&ENTRY, &f, &mem), PMB_END_NONE);
	expect_frame(&f, 0x402000, STACK + 8, STACK + 0x100, false);
	cr_expect_eq(mem.n_reads, 1);
}

Test(unwind_step, frame_pointer_saved_and_used)
{
	struct pmb_unwind_rule rule = {.cfa = PMB_CFA_FP,
				       .cfa_off = 16,
				       .fp = PMB_FP_CFA,
				       .fp_off = -16,
				       .ra_off = -8};
	struct pmb_frame f = innermost();

	put(STACK + 0x100, STACK + 0x180);
	put(STACK + 0x108, 0x402000);
	cr_assert_eq(unwind_step(&rule, &f, &mem), PMB_END_NONE);
	expect_frame(&f, 0x402000, STACK + 0x110, STACK + 0x180, false);
}

/* gcc's functions that realign their stack: CFA = *(rbp - 8), the caller's rbp at rbp. */
Test(unwind_step, realigned_stack)
{
	struct pmb_unwind_rule rule = {.cfa = PMB_CFA_FP_DEREF,
				       .cfa_off = -8,
				       .fp = PMB_FP_FP,
				       .ra_off = -8};
	struct pmb_frame f = innermost();

	put(STACK + 0xf8, STACK + 0x140);
	put(STACK + 0x100, 0x1234);
	put(STACK + 0x138, 0x402000);
	cr_assert_eq(unwind_step(&rule, &f, &mem), PMB_END_NONE);
	expect_frame(&f, 0x402000, STACK + 0x140, 0x1234, false);
}

/* libcrypto's assembly: CFA = *(rsp + 0x28) + 8. */
Test(unwind_step, stack_pointer_saved_on_the_stack)
{
	struct pmb_unwind_rule rule = {.cfa = PMB_CFA_SP_DEREF,
				       .cfa_off = 0x28,
				       .cfa_add = 8,
				       .ra_off = -8};
	struct pmb_frame f = innermost();

	put(STACK + 0x28, STACK + 0x80);
	put(STACK + 0x80, 0x402000);
	cr_assert_eq(unwind_step(&rule, &f, &mem), PMB_END_NONE);
	expect_frame(&f, 0x402000, STACK + 0x88, STACK + 0x100, false);
}

Test(unwind_step, registers_are_known_in_the_innermost_frame_only)
{
	struct pmb_unwind_rule rule = {.cfa = PMB_CFA_REG, .reg = 7, .cfa_off = 8, .ra_off = -8};
	struct pmb_unwind_rule deref = {.cfa = PMB_CFA_REG_DEREF, .reg = 7, .ra_off = -8};
	struct pmb_frame f = innermost();

	mem.regs[7] = STACK + 0x40;
	put(STACK + 0x40, 0x402000);
	cr_assert_eq(unwind_step(&rule, &f, &mem), PMB_END_NONE);
	expect_frame(&f, 0x402000, STACK + 0x48, STACK + 0x100, false);
	expect_end(&rule, f, PMB_END_NO_RULE);
	expect_end(&deref, f, PMB_END_NO_RULE);

	f = innermost();
	mem.regs[7] = STACK + 0x40;
	put(STACK + 0x40, STACK + 0x60);
	put(STACK + 0x58, 0x403000);
	cr_assert_eq(unwind_step(&deref, &f, &mem), PMB_END_NONE);
	expect_frame(&f, 0x403000, STACK + 0x60, STACK + 0x100, false);
}

/* glibc's vfork keeps its return address in rdi while the child runs on the same stack. */
Test(unwind_step, return_address_in_a_register)
{
	struct pmb_unwind_rule rule = {.cfa = PMB_CFA_SP, .reg = 14, .ra = PMB_RA_REG};
	struct pmb_frame f = innermost();

	mem.regs[14] = 0x402000;
	cr_assert_eq(unwind_step(&rule, &f, &mem), PMB_END_NONE);
	expect_frame(&f, 0x402000, STACK, STACK + 0x100, false);
	expect_end(&rule, f, PMB_END_CORRUPT);
	f.sp -= 8;
	rule.cfa_off = 8;
	expect_end(&rule, f, PMB_END_NO_RULE);
}

/* Java's interpreter: the caller's stack pointer isn't next to the return address, for the caller's
 * frame may have grown by locals. */
Test(unwind_step, return_address_at_the_frame_pointer)
{
	struct pmb_unwind_rule rule = {
		.cfa = PMB_CFA_FP_DEREF,
		.cfa_off = -8,
		.ra = PMB_RA_FP,
		.ra_off = 8,
		.fp = PMB_FP_FP,
	};
	struct pmb_frame f = innermost();

	f.fp = STACK + 0x40;
	put(STACK + 0x38, STACK + 0x80);
	put(STACK + 0x40, STACK + 0x100);
	put(STACK + 0x48, 0x402000);
	cr_assert_eq(unwind_step(&rule, &f, &mem), PMB_END_NONE);
	expect_frame(&f, 0x402000, STACK + 0x80, STACK + 0x100, false);
	f.fp = 0x10;
	expect_end(&rule, f, PMB_END_UNREADABLE);
}

#ifndef STEP_IN_KERNEL
/* Which method: the frame says so, and at which bytecode, but of the innermost. */
Test(unwind_step, what_an_interpreter_runs)
{
	struct pmb_unwind_rule rule = {.ra = PMB_RA_FP, .reg = 8};
	struct pmb_frame f = innermost();

	put(STACK + 0x100 - 24, 0x7f1234567890);
	put(STACK + 0x100 - 64, 0x7f9876543210);
	mem.regs[UNWIND_R13] = 0x7f987654abcd;
	cr_expect_eq(unwind_method(&rule, &f, &mem), 0x4abcdfe2468acf12ULL);
	f.exact = 0;
	cr_expect_eq(unwind_method(&rule, &f, &mem), PMB_METHOD_WORD(0x7f1234567890ULL, 0x3210ULL));
	cr_expect_eq(PMB_METHOD_OF(unwind_method(&rule, &f, &mem)), 0x7f1234567890);
	rule.ra = PMB_RA_CFA;
	cr_expect_eq(unwind_method(&rule, &f, &mem), 0, "another's frame");
	rule.ra = PMB_RA_FP;
	put(STACK + 0x100 - 24, 0);
	cr_expect_eq(unwind_method(&rule, &f, &mem), 0);
	f.fp = 0x10;
	cr_expect_eq(unwind_method(&rule, &f, &mem), 0);
}
#endif

Test(unwind_step, stubs)
{
	struct pmb_unwind_rule rule = {.cfa = PMB_CFA_PLT, .cfa_off = 11, .ra_off = -8};

	for (__u64 byte = 0; byte < 16; byte++) {
		struct pmb_frame f = innermost();
		__u64 size = byte >= 11 ? 16 : 8;

		f.ip = 0x401000 + byte;
		put(STACK + size - 8, 0x402000);
		cr_assert_eq(unwind_step(&rule, &f, &mem), PMB_END_NONE);
		expect_frame(&f, 0x402000, STACK + size, STACK + 0x100, false);
	}
}

Test(unwind_step, signal_frame)
{
	struct pmb_unwind_rule rule = {.cfa = PMB_CFA_SIGNAL};
	struct pmb_frame f = innermost();

	f.exact = 0;
	put(STACK + 40 + 10 * 8, 0xbbbb);
	put(STACK + 40 + 15 * 8, 0x1000); /* another stack, further down */
	put(STACK + 40 + 16 * 8, 0x402000);
	cr_assert_eq(unwind_step(&rule, &f, &mem), PMB_END_NONE);
	expect_frame(&f, 0x402000, 0x1000, 0xbbbb, true);
	f.sp = STACK + sizeof(mem.words) - 100;
	expect_end(&rule, f, PMB_END_UNREADABLE);
}

Test(unwind_step, code_with_frame_pointers)
{
	struct pmb_unwind_rule rule = {.cfa = PMB_CFA_FRAME};
	struct pmb_frame f = innermost();

	put(STACK + 0x100, 0);
	put(STACK + 0x108, 0x402000);
	cr_assert_eq(unwind_step(&rule, &f, &mem), PMB_END_NONE);
	expect_frame(&f, 0x402000, STACK + 0x110, 0, false);
	expect_end(&rule, f, PMB_END_COMPLETE);
	f.fp = STACK + 0x108;
	expect_end(&rule, f, PMB_END_FP_LEFT);
	rule.cfa_off =
		PMB_OTHER_STACKS; /* {saved, return address} below: the words are 0 and 0x402000 */
	f.fp = STACK + 0x100;
	cr_assert_eq(unwind_step(&rule, &f, &mem), PMB_END_NONE);
	expect_frame(&f, 0x402000, STACK + 0x110, 0, false);
	rule.cfa_off = 0;
	f.fp = STACK + 0x114;
	expect_end(&rule, f, PMB_END_FP_LEFT);
	f.fp = STACK + 0x200;
	expect_end(&rule, f, PMB_END_COMPLETE); /* its return address is 0 */
	f.fp = STACK + sizeof(mem.words) - 8;
	expect_end(&rule, f, PMB_END_UNREADABLE);
}

/* On x86-64 the pair is where a frame ends: what is behind it is the caller's. */
Test(unwind_step, behind_a_frame_pointer_the_stack_pointer_is_known)
{
	struct pmb_unwind_rule rule = {.cfa = PMB_CFA_FRAME};
	struct pmb_frame f = innermost();

	put(STACK + 0x100, STACK + 0x180);
	put(STACK + 0x108, 0x402000);
	put(STACK + 0x110, 0x403000);
	cr_assert_eq(unwind_step(&rule, &f, &mem), PMB_END_NONE);
	expect_frame(&f, 0x402000, STACK + 0x110, STACK + 0x180, false);
	cr_assert_eq(unwind_step(&ENTRY, &f, &mem), PMB_END_NONE);
	expect_frame(&f, 0x403000, STACK + 0x118, STACK + 0x180, false);
}

Test(unwind_step, ends)
{
	struct pmb_unwind_rule rule = {.cfa = PMB_CFA_END};
	struct pmb_frame f = innermost();

	expect_end(&rule, f, PMB_END_COMPLETE);
	expect_end(&ENTRY, f, PMB_END_COMPLETE); /* return address 0 */
	rule.cfa = PMB_CFA_NONE;
	expect_end(&rule, f, PMB_END_NO_RULE);
	rule.cfa = PMB_CFA_UNSUPPORTED;
	expect_end(&rule, f, PMB_END_NO_RULE);
	rule.cfa = PMB_N_CFA;
	expect_end(&rule, f, PMB_END_NO_RULE);
}

Test(unwind_step, what_the_stack_cannot_be)
{
	struct pmb_unwind_rule rule = {.cfa = PMB_CFA_FP, .cfa_off = -0x108, .ra_off = -8};
	struct pmb_frame f = innermost();

	expect_end(&rule, f, PMB_END_CORRUPT); /* below the stack pointer */
	rule.cfa_off = -0x100;
	expect_end(&rule, f, PMB_END_CORRUPT); /* at it: the return address is below */
	rule.cfa_off = 4;
	expect_end(&rule, f, PMB_END_CORRUPT);
	rule = (struct pmb_unwind_rule){.cfa = PMB_CFA_SP, .cfa_off = INT32_MIN, .ra_off = -8};
	expect_end(&rule, f, PMB_END_CORRUPT);
	rule.cfa_off = INT32_MAX & ~7;
	expect_end(&rule, f, PMB_END_UNREADABLE);
	f.sp = ~7ULL; /* wraps */
	rule.cfa_off = 8;
	expect_end(&rule, f, PMB_END_CORRUPT);
	f.sp = STACK;
	rule.fp = PMB_FP_CFA;
	rule.fp_off = INT16_MAX & ~7;
	put(STACK, 0x402000);
	expect_end(&rule, f, PMB_END_UNREADABLE);
	rule = (struct pmb_unwind_rule){.cfa = PMB_CFA_SP_DEREF, .cfa_off = -8};
	expect_end(&rule, f, PMB_END_UNREADABLE);
}

/* An epilogue has popped it, and the rule still says where it was. */
Test(unwind_step, a_frame_pointer_saved_below_the_stack_is_restored_already)
{
	struct pmb_unwind_rule rule = {.cfa = PMB_CFA_SP,
				       .cfa_off = 8,
				       .ra_off = -8,
				       .fp = PMB_FP_CFA,
				       .fp_off = -48};
	struct pmb_frame f = innermost();
	__u64 fp = f.fp;

	put(f.sp, 0x402000);
	cr_assert_eq(unwind_step(&rule, &f, &mem), PMB_END_NONE);
	cr_assert_eq(f.fp, fp);
}

/* Against a search that can't be wrong, for lengths around each power of two. */
Test(unwind_find, every_length)
{
	__u32 *rows = many_rows();
	static const unsigned lengths[] = {1,    2,    3,     4,     5,     15,   16,
					   17,   31,   255,   256,   257,   258,  4095,
					   4096, 4097, 32767, 32768, 40000, 65536};

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		unsigned n = lengths[i], step = PMB_UNWIND_ROW_MAX / n;

		rows[2] = PMB_ROW(0, 7);
		for (unsigned j = 1; j < n; j++)
			rows[2 + j] = PMB_ROW(j * step, j);
		for (unsigned low = 0; low<PMB_UNWIND_ROW_MAX; low += n> 300 ? 7 : 1) {
			unsigned want = low / step < n ? low / step : n - 1;

			cr_assert_eq(unwind_find(rows, 2, ~0U, n, low), rows[2 + want],
				     "n %u, low %u", n, low);
		}
	}
}

/* As the kernel has it: one large array, of which the mask says the size. */
Test(unwind_find, mask)
{
	__u32 rows[8] = {PMB_ROW(0, 1), PMB_ROW(5, 2), 0, 0, 0, 0, 0, PMB_ROW(0, 9)};

	cr_assert_eq(unwind_find(rows, 0, 7, 2, 4), PMB_ROW(0, 1));
	cr_assert_eq(unwind_find(rows, 0, 7, 2, 5), PMB_ROW(5, 2));
	cr_assert_eq(unwind_find(rows, 8, 7, 2, 5), PMB_ROW(5, 2));
	cr_assert_eq(unwind_find(rows, 7, 7, 1, 0xffff), PMB_ROW(0, 9));
}
