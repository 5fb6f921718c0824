/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the tests of the unwind step share: a stack made by hand, and registers. Included once per test
 * program, after the macro that says whose step it is (__TARGET_ARCH_x86 or __TARGET_ARCH_arm64).
 */
#ifndef TESTS_UNWIND_CASES_H
#define TESTS_UNWIND_CASES_H

#include <criterion/criterion.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "pmubpf/unwind.h"

struct unwind_memory {
	__u64 words[128];
	__u64 regs[PMB_UNWIND_REGS];
	unsigned n_reads;
};

static const __u64 STACK = 0x7ffc00001000;

static bool unwind_read(struct unwind_memory *mem, __u64 addr, __u64 *ret)
{
	__u64 off = addr - STACK;

	mem->n_reads++;
	if (off > sizeof(mem->words) - 8)
		return false;
	memcpy(ret, (const char *)mem->words + off, 8);
	return true;
}

static bool unwind_reg(struct unwind_memory *mem, unsigned index, __u64 *ret)
{
	if (index >= PMB_UNWIND_REGS)
		return false;
	*ret = mem->regs[index];
	return true;
}

#include "pmubpf/unwind_step.h"

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
}

/* The walk ends, and the frame is what it was. */
static __attribute__((unused)) void expect_end(const struct pmb_unwind_rule *rule,
					       struct pmb_frame f, enum pmb_ending end)
{
	struct pmb_frame before = f;
	__u8 got = unwind_step(rule, &f, &mem);

	cr_expect_eq(got, end, "ending %u, not %u", got, end);
	cr_expect_eq(memcmp(&f, &before, sizeof(f)), 0, "the frame has changed");
}

#endif
