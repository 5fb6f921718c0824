/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* struct user_pt_regs of arm64 (uapi/asm/ptrace.h); the kernel's own pt_regs begins with it.
 * ABI. */
struct arch_regs {
	__u64 x[31];
	__u64 sp, pc, pstate;
};
