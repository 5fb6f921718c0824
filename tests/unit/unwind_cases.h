/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the tests of the unwind step share: a stack made by hand, and registers. Included once per
 * test program, after the macro that says whose step it is (__TARGET_ARCH_x86 or
 * __TARGET_ARCH_arm64). The same tests are built twice: with Criterion (and ASan), and with
 * STEP_IN_KERNEL for tests/e2e/step.sh.
 */
#ifndef TESTS_UNWIND_CASES_H
#define TESTS_UNWIND_CASES_H

#include <criterion/criterion.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"

#include "step.h"

#include "pmubpf/unwind_step.h"

static const __u64 STACK = STEP_STACK;

/* Where a test of the search puts its rows. */
static __attribute__((unused)) __u32 *many_rows(void)
{
	static __u32 rows[STEP_ROWS];

	return rows;
}

#ifdef STEP_IN_KERNEL
#include "kernel_step.h"
#endif

static struct unwind_memory mem;

static __attribute__((unused)) void put(__u64 addr, __u64 value)
{
	cr_assert_lt(addr - STACK, sizeof(mem.words));
	memcpy((char *)mem.words + (addr - STACK), &value, 8);
}

static __attribute__((unused)) struct pmb_frame innermost(void)
{
	memset(&mem, 0, sizeof(mem));
	return (struct pmb_frame){
		.ip = 0x401000,
		.sp = STACK,
		.fp = STACK + 0x100,
		.lr = 0x405000,
		.exact = 1,
		.has_regs = 1,
	};
}

static __attribute__((unused)) void expect_frame(const struct pmb_frame *f, __u64 ip, __u64 sp,
						 __u64 fp, bool exact)
{
	cr_expect_eq(f->ip, ip, "ip %llx, not %llx", f->ip, ip);
	cr_expect_eq(f->sp, sp, "sp %llx, not %llx", f->sp, sp);
	cr_expect_eq(f->fp, fp, "fp %llx, not %llx", f->fp, fp);
	cr_expect_eq(f->exact, exact);
	cr_expect_eq(f->has_regs, 0);
	cr_expect_eq(f->sp_low, 0);
}

/* The walk ends, and the frame is what it was. */
static __attribute__((unused)) void expect_end(const struct pmb_unwind_rule *rule,
					       struct pmb_frame f, enum pmb_unwind_status end)
{
	struct pmb_frame before = f;
	__u8 got = unwind_step(rule, &f, &mem);

	cr_expect_eq(got, end, "status %u, not %u", got, end);
	cr_expect_eq(memcmp(&f, &before, sizeof(f)), 0, "the frame has changed");
}

#endif
