/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* struct user_regs_struct of riscv (uapi/asm/ptrace.h); the kernel's pt_regs begins with it.
 * ABI. */
struct arch_regs {
	__u64 pc, ra, sp, gp, tp, t0, t1, t2, s0, s1;
	__u64 a[8];
	__u64 s2_to_s11[10];
	__u64 t3, t4, t5, t6;
};
