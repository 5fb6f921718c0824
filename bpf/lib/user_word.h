/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words in the current process's memory. */
#ifndef PMUBPF_BPF_USER_WORD_H
#define PMUBPF_BPF_USER_WORD_H

#include "lib/arch.h"

static __always_inline __u64 word_at(__u64 addr)
{
	__u64 word = 0;

	if (bpf_probe_read_user(&word, sizeof(word), (void *)addr))
		return 0;
	return word;
}

/* Where a call of a program's function returns to, at its entry; 0: not known. */
static __always_inline __u64 return_address(const struct arch_regs *regs)
{
	return ARCH_RETURN_BYTES ? word_at(ARCH_SP(regs)) : ARCH_LR(regs);
}

#endif
