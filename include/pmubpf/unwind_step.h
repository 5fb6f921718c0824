/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The step from a frame to its caller: plain C for the overflow program, user space and the tests.
 * No loops, no unbounded index, no arithmetic that could be undefined: the verifier of 5.10 accepts
 * what a sanitizer accepts.
 *
 * The includer brings integer types, bool and __always_inline, and declares beforehand
 *
 * 	struct unwind_memory;
 * 	static bool unwind_read(struct unwind_memory *, __u64 addr, __u64 *ret);
 * 	static bool unwind_reg(struct unwind_memory *, unsigned index, __u64 *ret);
 *
 * The first reads a word of the program's memory; the second a word of its struct arch_regs, and is
 * asked where the frame has_regs only. Both say false if they can't.
 */
#ifndef PMUBPF_UNWIND_STEP_H
#define PMUBPF_UNWIND_STEP_H

#include "pmubpf/hotspot.h"
#include "pmubpf/unwind_find.h"

/* Where a signal frame keeps the registers, from the stack pointer in the trampoline (ABI). */
#if defined(__TARGET_ARCH_arm64) || (!defined(__TARGET_ARCH_x86) && defined(__aarch64__))
/* siginfo, ucontext up to sigcontext.regs: 312; then x0…x30, sp, pc */
#define UNWIND_SIGNAL_FP (312 + 29 * 8)
#define UNWIND_SIGNAL_LR (312 + 30 * 8)
#define UNWIND_SIGNAL_SP (312 + 31 * 8)
#define UNWIND_SIGNAL_IP (312 + 32 * 8)
/* The pair that a frame pointer points to lies anywhere in its frame: what is above it may be the
 * caller's or not. */
#define UNWIND_SP_LOW 1
#elif defined(__TARGET_ARCH_x86) || defined(__x86_64__)
/* ucontext up to sigcontext: 40; then r8…r15, di, si, bp, bx, dx, ax, cx, sp, ip */
#define UNWIND_SIGNAL_FP (40 + 10 * 8)
#define UNWIND_SIGNAL_SP (40 + 15 * 8)
#define UNWIND_SIGNAL_IP (40 + 16 * 8)
#endif
#if defined(__TARGET_ARCH_x86) || (!defined(__TARGET_ARCH_arm64) && defined(__x86_64__))
#define UNWIND_R13 2 /* a word of struct arch_regs */
#endif
#ifndef UNWIND_SP_LOW
#define UNWIND_SP_LOW 0
#endif

static __always_inline __u64 unwind_add(__u64 addr, __s32 off)
{
	return addr + (__u64)(__s64)off;
}

/* A frame of the kernel's making: what it restores is the interrupted program, to the
 * instruction. */
static __always_inline __u8 unwind_signal(struct pmb_frame *f, struct unwind_memory *mem)
{
#ifdef UNWIND_SIGNAL_IP
	__u64 ip, sp, fp, lr = 0;

	if (UNWIND_SP_LOW && f->sp_low)
		return PMB_END_NO_RULE;
	if (!unwind_read(mem, f->sp + UNWIND_SIGNAL_IP, &ip) ||
	    !unwind_read(mem, f->sp + UNWIND_SIGNAL_SP, &sp) ||
	    !unwind_read(mem, f->sp + UNWIND_SIGNAL_FP, &fp))
		return PMB_END_UNREADABLE;
#ifdef UNWIND_SIGNAL_LR
	if (!unwind_read(mem, f->sp + UNWIND_SIGNAL_LR, &lr))
		return PMB_END_UNREADABLE;
#endif
	f->ip = ip;
	f->sp = sp;
	f->fp = fp;
	f->lr = lr;
	f->exact = 1;
	f->has_regs = 0;
	f->sp_low = 0;
	return PMB_END_NONE;
#else
	(void)f, (void)mem;
	return PMB_END_NO_RULE;
#endif
}

static __always_inline __u8 unwind_to(struct pmb_frame *f, __u64 ip, __u64 sp, __u64 fp)
{
	if (!ip)
		return PMB_END_COMPLETE;
	f->ip = ip;
	f->sp = sp;
	f->fp = fp;
	f->lr = 0;
	f->exact = 0;
	f->has_regs = 0;
	f->sp_low = 0;
	return PMB_END_NONE;
}

/* The frame pointer points to the pair {caller's frame pointer, return address}. */
static __always_inline __u8 unwind_frame(const struct pmb_unwind_rule *rule, struct pmb_frame *f,
					 struct unwind_memory *mem)
{
	__u64 fp, ra;
	__u8 end;

	if (!f->fp)
		return PMB_END_COMPLETE;
	if ((f->fp < f->sp && rule->cfa_off != PMB_OTHER_STACKS) || (f->fp & 7))
		return PMB_END_FP_LEFT;
	if (!unwind_read(mem, f->fp, &fp) || !unwind_read(mem, f->fp + 8, &ra))
		return PMB_END_UNREADABLE;
	end = unwind_to(f, ra, f->fp + 16, fp);
	if (UNWIND_SP_LOW && end == PMB_END_NONE)
		f->sp_low = 1;
	return end;
}

/*
 * A rule over a stack pointer that is only a lower bound. Where the function has saved frame
 * pointer and return address as a pair, the frame pointer points to it (AAPCS64): the one before
 * came from such a pair, too.
 */
static __always_inline bool unwind_sp_from_fp(const struct pmb_unwind_rule *rule,
					      const struct pmb_frame *f, __u64 *ret)
{
	if (rule->cfa != PMB_CFA_SP || rule->fp != PMB_FP_CFA || rule->ra != PMB_RA_CFA ||
	    rule->ra_off != rule->fp_off + 8 || f->fp < f->sp)
		return false;
	*ret = f->fp - (__u64)(__s64)rule->fp_off;
	return true;
}

/* PMB_END_NONE: *ret is the caller's stack pointer. */
static __always_inline __u8 unwind_cfa(const struct pmb_unwind_rule *rule,
				       const struct pmb_frame *f, struct unwind_memory *mem,
				       __u64 *ret)
{
	__u8 cfa = rule->cfa;
	__u64 base;

	if (UNWIND_SP_LOW && f->sp_low && (cfa == PMB_CFA_SP || cfa == PMB_CFA_SP_DEREF))
		return unwind_sp_from_fp(rule, f, ret) ? PMB_END_NONE : PMB_END_NO_RULE;
	if (cfa == PMB_CFA_SP || cfa == PMB_CFA_SP_DEREF) {
		base = f->sp;
	} else if (cfa == PMB_CFA_FP || cfa == PMB_CFA_FP_DEREF) {
		base = f->fp;
	} else if (cfa == PMB_CFA_REG || cfa == PMB_CFA_REG_DEREF) {
		if (!f->has_regs || !unwind_reg(mem, rule->reg, &base))
			return PMB_END_NO_RULE;
	} else if (cfa == PMB_CFA_PLT) {
		*ret = f->sp + ((f->ip & 15) >= (__u64)rule->cfa_off ? 16 : 8);
		return PMB_END_NONE;
	} else {
		return PMB_END_NO_RULE;
	}
	base = unwind_add(base, rule->cfa_off);
	if (cfa >= PMB_CFA_SP_DEREF) {
		if (!unwind_read(mem, base, &base))
			return PMB_END_UNREADABLE;
		base = unwind_add(base, rule->cfa_add);
	}
	*ret = base;
	return PMB_END_NONE;
}

static __always_inline __u8 unwind_ra(const struct pmb_unwind_rule *rule, const struct pmb_frame *f,
				      struct unwind_memory *mem, __u64 cfa, __u64 *ret)
{
	if (rule->ra == PMB_RA_CFA)
		return unwind_read(mem, unwind_add(cfa, rule->ra_off), ret) ? PMB_END_NONE :
									      PMB_END_UNREADABLE;
	if (rule->ra == PMB_RA_FP)
		return unwind_read(mem, unwind_add(f->fp, rule->ra_off), ret) ? PMB_END_NONE :
										PMB_END_UNREADABLE;
	if (rule->ra == PMB_RA_REG)
		return f->has_regs && unwind_reg(mem, rule->reg, ret) ? PMB_END_NONE :
									PMB_END_NO_RULE;
	/* a caller has called: its link register is no longer its own */
	if (!f->exact)
		return PMB_END_CORRUPT;
	*ret = f->lr;
	return PMB_END_NONE;
}

/* What HotSpot's interpreter runs in a frame (pmubpf/hotspot.h); 0: it isn't its frame, or can't be
 * told. While it runs bytecodes itself, a register says where. */
static __always_inline __u64 unwind_method(const struct pmb_unwind_rule *rule,
					   const struct pmb_frame *f, struct unwind_memory *mem)
{
#ifdef UNWIND_R13
	__u64 bytecode, method;

	if (rule->ra != PMB_RA_FP)
		return 0;
	if (f->exact ?
		    !unwind_reg(mem, UNWIND_R13, &bytecode) :
		    !unwind_read(mem, unwind_add(f->fp, PMB_INTERPRETED_BYTECODE(rule)), &bytecode))
		return 0;
	if (!unwind_read(mem, unwind_add(f->fp, PMB_INTERPRETED_METHOD), &method) || !method)
		return 0;
	return PMB_METHOD_WORD(method, bytecode);
#else
	(void)rule, (void)f, (void)mem;
	return 0;
#endif
}

/*
 * PMB_END_NONE: f is the caller's frame now, its ip as it stands on the stack (arm64: the signature
 * of a signed return address still in it). Otherwise how the walk ends, with f as it was.
 */
static __always_inline __u8 unwind_step(const struct pmb_unwind_rule *rule, struct pmb_frame *f,
					struct unwind_memory *mem)
{
	__u64 cfa, ra, at, fp = f->fp;
	__u8 end;

	if (rule->cfa == PMB_CFA_END)
		return PMB_END_COMPLETE;
	if (rule->cfa == PMB_CFA_SIGNAL)
		return unwind_signal(f, mem);
	if (rule->cfa == PMB_CFA_FRAME)
		return unwind_frame(rule, f, mem);
	end = unwind_cfa(rule, f, mem, &cfa);
	if (end != PMB_END_NONE)
		return end;
	/* Stacks grow; only where nothing was pushed yet (or all is popped again) does one stand
	 * still. */
	if (cfa < f->sp || (cfa & 7) || (cfa == f->sp && (!f->exact || rule->ra == PMB_RA_CFA)))
		return PMB_END_CORRUPT;
	end = unwind_ra(rule, f, mem, cfa, &ra);
	if (end != PMB_END_NONE)
		return end;
	if (!ra)
		return PMB_END_COMPLETE;
	at = unwind_add(rule->fp == PMB_FP_CFA ? cfa : f->fp, rule->fp_off);
	/* compilers don't say that an epilogue has popped it: then its place is below the stack
	 * already */
	if (rule->fp != PMB_FP_SAME && at >= f->sp && !unwind_read(mem, at, &fp))
		return PMB_END_UNREADABLE;
	return unwind_to(f, ra, cfa, fp);
}

#endif
