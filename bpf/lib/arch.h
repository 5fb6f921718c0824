/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What differs between architectures, under the same names for each. */
#ifndef PMUBPF_BPF_ARCH_H
#define PMUBPF_BPF_ARCH_H

#include "lib/port.h"

/*
 * ARCH_IP, ARCH_SP, ARCH_FP: members of struct arch_regs; ARCH_LR: the link register, or 0.
 * ARCH_FRAME_DELTA: from the frame pointer to the pair {caller's frame pointer, return address}.
 * ARCH_RETURN_BYTES: of a return address on the stack at a function's entry; 0: it is in ARCH_LR.
 * ARCH_FLAGS: what conditions of jumps are about, where programs are probed.
 * ARCH_ARG2, ARCH_ARG3: of a system call, at its beginning and at its end.
 * ARCH_CALL1 to 4, ARCH_RESULT: of a function's call, at its beginning and at its end.
 */
#if defined(__TARGET_ARCH_x86)
#define ARCH_IP(regs) ((regs)->ip)
#define ARCH_SP(regs) ((regs)->sp)
#define ARCH_FP(regs) ((regs)->bp)
#define ARCH_LR(regs) 0
#define ARCH_FRAME_DELTA 0
#define ARCH_RETURN_BYTES 8
#define ARCH_FLAGS(regs) ((regs)->flags)
#define ARCH_ARG2(regs) ((regs)->si)
#define ARCH_ARG3(regs) ((regs)->dx)
#define ARCH_CALL1(regs) ((regs)->di)
#define ARCH_SYSCALL1(regs) ((regs)->di)
#define ARCH_CALL2(regs) ((regs)->si)
#define ARCH_CALL3(regs) ((regs)->dx)
#define ARCH_CALL4(regs) ((regs)->cx)
#define ARCH_RESULT(regs) ((regs)->ax)
#elif defined(__TARGET_ARCH_arm64)
#define ARCH_IP(regs) ((regs)->pc)
#define ARCH_SP(regs) ((regs)->sp)
#define ARCH_FP(regs) ((regs)->x[29])
#define ARCH_LR(regs) ((regs)->x[30])
#define ARCH_FRAME_DELTA 0
#define ARCH_RETURN_BYTES 0
#define ARCH_FLAGS(regs) ((regs)->pstate)
#define ARCH_ARG2(regs) ((regs)->x[1])
#define ARCH_ARG3(regs) ((regs)->x[2])
#define ARCH_CALL1(regs) ((regs)->x[0])
#define ARCH_SYSCALL1(regs) ((regs)->x[0])
#define ARCH_CALL2(regs) ((regs)->x[1])
#define ARCH_CALL3(regs) ((regs)->x[2])
#define ARCH_CALL4(regs) ((regs)->x[3])
#define ARCH_RESULT(regs) ((regs)->x[0])
#elif defined(__TARGET_ARCH_riscv)
#define ARCH_IP(regs) ((regs)->pc)
#define ARCH_SP(regs) ((regs)->sp)
#define ARCH_FP(regs) ((regs)->s0)
#define ARCH_LR(regs) ((regs)->ra)
#define ARCH_FRAME_DELTA (-16)
#define ARCH_RETURN_BYTES 0
#define ARCH_FLAGS(regs) 0
#define ARCH_ARG2(regs) ((regs)->a[1])
#define ARCH_ARG3(regs) ((regs)->a[2])
#define ARCH_CALL1(regs) ((regs)->a[0])
/* orig_a0, behind the status, the address and the cause of a trap: a0 is what it returns */
#define ARCH_SYSCALL1(regs) (((__u64 *)((regs) + 1))[3])
#define ARCH_CALL2(regs) ((regs)->a[1])
#define ARCH_CALL3(regs) ((regs)->a[2])
#define ARCH_CALL4(regs) ((regs)->a[3])
#define ARCH_RESULT(regs) ((regs)->a[0])
#endif

/* Kernel addresses have the top bit set on all of them. */
static __always_inline bool is_kernel_address(__u64 addr)
{
	return addr >> 63;
}

/*
 * Before bpf_task_pt_regs() (5.15): where the current task's registers were saved when it entered
 * the kernel; NULL: not known here.
 */
static __always_inline struct arch_regs *arch_saved_at(void)
{
#if defined(__TARGET_ARCH_x86)
	enum { THREAD_SIZE = 16384 };
	struct task_struct *task = (void *)bpf_get_current_task();
	void *stack = BPF_CORE_READ(task, stack);

	return stack + THREAD_SIZE - sizeof(struct arch_regs);
#else
	return NULL;
#endif
}

/* False: not known here, or what lies there are no user registers (a kernel with larger stacks). */
static __always_inline bool arch_saved_regs(struct arch_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	enum { USER_CS = 0x33, USER32_CS = 0x23 };

	return !bpf_probe_read_kernel(regs, sizeof(*regs), arch_saved_at()) &&
	       (regs->cs == USER_CS || regs->cs == USER32_CS);
#else
	(void)regs;
	return false;
#endif
}

#if defined(__TARGET_ARCH_riscv)
enum { ARCH_THREAD_POINTER_IN_REGS = 1 };
#else
enum { ARCH_THREAD_POINTER_IN_REGS = 0 };
#endif

/* Where the current thread's own variables are. regs: what it last had in user space, if that is
 * where it is. */
static __always_inline __u64 arch_thread_pointer(const struct arch_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	struct task_struct *task = (void *)bpf_get_current_task();

	(void)regs;
	return BPF_CORE_READ(task, thread.fsbase);
#elif defined(__TARGET_ARCH_arm64)
	/* as it was when the thread last lost its CPU: it is set once */
	struct task_struct *task = (void *)bpf_get_current_task();
	struct thread_struct___arm64 *thread = (void *)&task->thread;

	(void)regs;
	return BPF_CORE_READ(thread, uw.tp_value);
#else
	return regs->tp;
#endif
}

#if defined(__TARGET_ARCH_x86)
enum { ARCH_SYS_MMAP = 9, ARCH_SYS_BRK = 12, ARCH_SYS_MREMAP = 25 };
#else
enum { ARCH_SYS_MMAP = 222, ARCH_SYS_BRK = 214, ARCH_SYS_MREMAP = 216 };
#endif

/* The number of the system call that these registers entered the kernel with. */
static __always_inline __u64 arch_syscall(struct arch_regs *regs)
{
	__u64 number = ~0ULL;

#if defined(__TARGET_ARCH_x86)
	bpf_probe_read_kernel(&number, sizeof(number), &regs->orig_ax);
#elif defined(__TARGET_ARCH_arm64)
	number = (__u32)BPF_CORE_READ((struct pt_regs *)regs, syscallno);
#elif defined(__TARGET_ARCH_riscv)
	bpf_probe_read_kernel(&number, sizeof(number), &regs->a[7]);
#endif
	return number;
}

/* A 32-bit program on a 64-bit kernel: its frames are not pairs of 64-bit words. */
static __always_inline bool is_compat(const struct arch_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return regs->cs == 0x23; /* __USER32_CS */
#elif defined(__TARGET_ARCH_arm64)
	return regs->pstate & 0x10; /* PSR_MODE32_BIT */
#else
	(void)regs;
	return false; /* the register set doesn't say, and riscv32 programs are hardly met */
#endif
}

#endif
