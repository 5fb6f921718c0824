/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An x86-64 instruction, as far as stacks are concerned: how long it is, and what it does to the
 * stack pointer, to the frame pointer and to where the program goes on. No more: registers that are
 * neither don't matter, and instructions that no compiler emits are refused.
 */
#ifndef PMUBPF_SYMD_X86_INSN_H
#define PMUBPF_SYMD_X86_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum x86_kind {
	X86_OTHER,
	X86_PADDING, /* a form of nop */
	X86_TRAP,    /* int3: padding as well, and nothing comes after it */
	X86_PUSH,    /* anything but the frame pointer */
	X86_PUSH_FP,
	X86_POP,
	X86_POP_FP,
	X86_SP_ADD,   /* sp += value */
	X86_SP_FP,    /* sp = fp + value */
	X86_SP_LOST,  /* sp is something else */
	X86_FP_SP,    /* fp = sp + value */
	X86_FP_STORE, /* *(sp + value) = fp */
	X86_FP_LOAD,  /* fp = *(sp + value) */
	X86_FP_ZERO,
	X86_LEAVE,
	X86_CALL,      /* target 0: not said in the code */
	X86_BRANCH,    /* perhaps */
	X86_JUMP,      /* target 0: as above */
	X86_RET,       /* or whatever nothing comes after */
	X86_ADDRESS,   /* takes the address `target` */
	X86_SIGRETURN, /* number 15 into ax: a system call after it leaves a signal handler */
};

struct x86_insn {
	enum x86_kind kind;
	uint32_t len;
	int32_t value;
	uint64_t target;
};

/* The instruction at vaddr, whose bytes these are. False: it isn't one, or they are too few. */
bool x86_insn__read(const uint8_t *bytes, size_t len, uint64_t vaddr, struct x86_insn *ret);
/* A jump on the flags that the kernel carries out itself where it is probed: without a prefix. */
bool x86_insn__is_emulated_jump(const uint8_t *bytes, size_t len);

#endif
