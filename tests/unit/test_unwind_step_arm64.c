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
