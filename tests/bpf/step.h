/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A case of the unwind step as both sides of tests/bpf/step.bpf.c see it, and the memory that it
 * reads: a stack made by hand, and registers. The reads are one text for the host and the kernel,
 * too.
 */
#ifndef TESTS_BPF_STEP_H
#define TESTS_BPF_STEP_H

#include "pmubpf/unwind_find.h"

enum {
	STEP_WORDS = 128,
	STEP_ROWS = 2 * PMB_UNWIND_ROW_MAX, /* a power of two: the largest mask is one less */
};
#define STEP_STACK 0x7ffc00001000ULL

struct unwind_memory {
	__u64 words[STEP_WORDS]; /* from STEP_STACK on */
	__u64 regs[PMB_UNWIND_REGS];
	__u32 n_reads;
	__u32 pad;
};

struct step_case {
	struct unwind_memory mem;
	struct pmb_unwind_rule rule;
	struct pmb_frame frame; /* becomes the caller's */
	__u32 end;
	__u32 pad;
};

struct find_case {
	__u64 first, n, low;
	__u32 mask;
	__u32 row; /* what was found */
};

static __always_inline bool unwind_read(struct unwind_memory *mem, __u64 addr, __u64 *ret)
{
	__u64 off = addr - STEP_STACK;

	mem->n_reads++;
	if (off > (STEP_WORDS - 1) * 8 || (off & 7))
		return false;
	off /= 8;
	/* "math between map_value pointer and register with unbounded min value": clang leaves the
	 * mask out */
	UNWIND_HIDE(off);
	*ret = mem->words[off & (STEP_WORDS - 1)];
	return true;
}

static __always_inline bool unwind_reg(struct unwind_memory *mem, __u32 index, __u64 *ret)
{
	if (index >= PMB_UNWIND_REGS)
		return false;
	*ret = mem->regs[index];
	return true;
}

#endif
