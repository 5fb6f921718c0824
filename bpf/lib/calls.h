/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which system calls open and close windows. */
#ifndef PMUBPF_BPF_CALLS_H
#define PMUBPF_BPF_CALLS_H

#include "lib/arch.h"

/* calls: PMB_CALLS times enum pmb_call. Those of 32-bit programs have other numbers, and none is
 * meant. */
static __always_inline bool is_meant(const volatile __u8 *calls, struct arch_regs *regs,
				     __u64 number)
{
	enum { FUTEX_COMMAND = 127, FUTEX_WAIT_BITSET = 9, FUTEX_WAIT_REQUEUE_PI = 11 };
	struct arch_regs copy;
	__u8 how;

	if (number >= PMB_CALLS)
		return false;
	how = calls[number];
	if (!how || bpf_probe_read_kernel(&copy, sizeof(copy), regs) || is_compat(&copy))
		return false;
	if (how == PMB_CALL_FUTEX) {
		__u64 command = ARCH_ARG2(&copy) & FUTEX_COMMAND;

		return command == FUTEX_WAIT_BITSET || command == FUTEX_WAIT_REQUEUE_PI;
	}
	return how != PMB_CALL_THIRD || (__u32)ARCH_ARG3(&copy);
}

#endif
