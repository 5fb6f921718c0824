/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Places where a function is left, some of them under a condition. */
#ifndef PMUBPF_BPF_EXITS_H
#define PMUBPF_BPF_EXITS_H

#include "lib/arch.h"
#include "lib/condition.h"
#include "pmubpf/record.h"

/* By the last bits of where a probe is in its file, and so in memory; of an exit, 1 + the condition
 * of the jump that it is; 0: it leaves each time. Of any, PMB_EXIT_STEPPED. */
const volatile __u8 pmb_exit_when[PMB_EXIT_PLACES] = {};

/* How far above a call's entry the stack pointer of who catches what left it may be: further up is
 * another stack, or a call that longjmp had left before. */
enum { CATCHER_MAX = 1024 * 1024 };

/* At an exit, or at a return probe, which is behind the return: where the stack pointer was at the
 * entry of the call that is left. */
static __always_inline __u64 exit_sp(const volatile struct pmb_config *cfg,
				     const struct arch_regs *regs)
{
	return ARCH_SP(regs) - (cfg->returns ? ARCH_RETURN_BYTES : 0);
}

/* At an exit: whether it will be taken. */
static __always_inline bool is_left_here(const volatile struct pmb_config *cfg,
					 const struct arch_regs *regs)
{
	__u32 when = pmb_exit_when[ARCH_IP(regs) & (PMB_EXIT_PLACES - 1)] & ~PMB_EXIT_STEPPED;

	return cfg->returns || !when || holds(ARCH_FLAGS(regs), when - 1);
}

/* At a probe: whether the kernel single-steps its instruction. */
static __always_inline bool is_stepped(const struct arch_regs *regs)
{
	return pmb_exit_when[ARCH_IP(regs) & (PMB_EXIT_PLACES - 1)] & PMB_EXIT_STEPPED;
}

#endif
