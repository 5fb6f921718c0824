/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* struct pt_regs of x86_64 (uapi/asm/ptrace.h): the registers of an interrupted task. ABI. */
struct arch_regs {
	__u64 r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax;
	__u64 ip, cs, flags, sp, ss;
};
