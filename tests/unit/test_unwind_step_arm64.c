// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The same step as arm64 takes it: a link register, and another signal frame. */
#undef __TARGET_ARCH_x86
#undef __TARGET_ARCH_riscv
#define __TARGET_ARCH_arm64 1
#include "unwind_cases.h"

static const struct pmb_unwind_rule LEAF = {.cfa = PMB_CFA_SP, .ra = PMB_RA_LR};

Test(unwind_step_arm64, a_leaf_pushes_nothing)
{
	struct pmb_frame f = innermost();

	cr_assert_eq(unwind_step(&LEAF, &f, &mem), PMB_END_NONE);
	expect_frame(&f, 0x405000, STACK, STACK + 0x100, false);
	expect_end(&LEAF, f, PMB_END_CORRUPT); /* once only, or it would never end */
	f = innermost();
	f.lr = 0;
	expect_end(&LEAF, f, PMB_END_COMPLETE);
}

Test(unwind_step_arm64, callers_have_called)
{
	struct pmb_unwind_rule rule = {.cfa = PMB_CFA_SP, .cfa_off = 32, .ra = PMB_RA_LR};
	struct pmb_frame f = innermost();

	f.exact = 0;
	expect_end(&rule, f, PMB_END_CORRUPT);
}

Test(unwind_step_arm64, pair_below_the_frame)
{
	struct pmb_unwind_rule rule = {.cfa = PMB_CFA_SP,
				       .cfa_off = 48,
				       .fp = PMB_FP_CFA,
				       .fp_off = -48,
				       .ra_off = -40};
	struct pmb_frame f = innermost();

	put(STACK, STACK + 0x180);
	put(STACK + 8, 0x402000);
	cr_assert_eq(unwind_step(&rule, &f, &mem), PMB_END_NONE);
	expect_frame(&f, 0x402000, STACK + 48, STACK + 0x180, false);
	cr_expect_eq(f.lr, 0);
}

/* The interrupted function may be a leaf: its link register is there, and good for one step. */
Test(unwind_step_arm64, signal_frame)
{
	struct pmb_unwind_rule rule = {.cfa = PMB_CFA_SIGNAL};
	struct pmb_frame f = innermost();

	f.exact = 0;
	put(STACK + 312 + 29 * 8, 0xbbbb);
	put(STACK + 312 + 30 * 8, 0x403000);
	put(STACK + 312 + 31 * 8, STACK + 0x300);
	put(STACK + 312 + 32 * 8, 0x402000);
	cr_assert_eq(unwind_step(&rule, &f, &mem), PMB_END_NONE);
	expect_frame(&f, 0x402000, STACK + 0x300, 0xbbbb, true);
	cr_assert_eq(unwind_step(&LEAF, &f, &mem), PMB_END_NONE);
	expect_frame(&f, 0x403000, STACK + 0x300, 0xbbbb, false);
	expect_end(&LEAF, f, PMB_END_CORRUPT);
}

/* Behind code with frame pointers, of which nobody knows how large its frames are. */
static struct pmb_frame behind_a_frame_pointer(void)
{
	struct pmb_unwind_rule rule = {.cfa = PMB_CFA_FRAME};
	struct pmb_frame f = innermost();

	put(STACK + 0x100, STACK + 0x180);
	put(STACK + 0x108, 0x402000);
	cr_assert_eq(unwind_step(&rule, &f, &mem), PMB_END_NONE);
	cr_expect_eq(f.ip, 0x402000);
	cr_expect_eq(f.fp, STACK + 0x180);
	cr_expect_eq(f.sp_low, 1, "what is above the pair may still be its frame");
	return f;
}

Test(unwind_step_arm64, behind_a_frame_pointer_the_pair_says_where_the_frame_is)
{
	struct pmb_unwind_rule rule = {.cfa = PMB_CFA_SP,
				       .cfa_off = 48,
				       .fp = PMB_FP_CFA,
				       .fp_off = -48,
				       .ra_off = -40};
	struct pmb_frame f = behind_a_frame_pointer();

	put(STACK + 0x180, STACK + 0x300);
	put(STACK + 0x188, 0x403000);
	cr_assert_eq(unwind_step(&rule, &f, &mem), PMB_END_NONE);
	expect_frame(&f, 0x403000, STACK + 0x180 + 48, STACK + 0x300, false);
}

Test(unwind_step_arm64, behind_a_frame_pointer_the_stack_pointer_is_not_believed)
{
	struct pmb_unwind_rule rule = {.cfa = PMB_CFA_SP, .cfa_off = 48, .ra_off = -40};
	struct pmb_frame f = behind_a_frame_pointer();

	put(f.sp + 8, 0x403000);
	expect_end(&rule, f, PMB_END_NO_RULE);
	rule.fp = PMB_FP_CFA; /* not beside the return address */
	rule.fp_off = -16;
	expect_end(&rule, f, PMB_END_NO_RULE);
	rule = (struct pmb_unwind_rule){.cfa = PMB_CFA_SP_DEREF, .ra_off = -8};
	expect_end(&rule, f, PMB_END_NO_RULE);
	rule = (struct pmb_unwind_rule){.cfa = PMB_CFA_SIGNAL};
	expect_end(&rule, f, PMB_END_NO_RULE);
}

Test(unwind_step_arm64, behind_a_frame_pointer_others_find_the_stack_again)
{
	struct pmb_unwind_rule rule = {.cfa = PMB_CFA_FP,
				       .cfa_off = 32,
				       .fp = PMB_FP_CFA,
				       .fp_off = -32,
				       .ra_off = -24};
	struct pmb_frame f = behind_a_frame_pointer();

	put(STACK + 0x180, STACK + 0x300);
	put(STACK + 0x188, 0x403000);
	cr_assert_eq(unwind_step(&rule, &f, &mem), PMB_END_NONE);
	expect_frame(&f, 0x403000, STACK + 0x180 + 32, STACK + 0x300, false);
	f.sp_low = 1;
	f.fp = f.sp - 8; /* below what is known of the stack */
	rule.cfa = PMB_CFA_SP;
	expect_end(&rule, f, PMB_END_NO_RULE);
}
