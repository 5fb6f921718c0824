/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Windows that are calls of a function. A call is known by its stack pointer, which at each exit is
 * where it was at the entry: lower, and it is a call inside, or a jump that doesn't leave; higher,
 * and the call is over though no exit was met (an exception, longjmp).
 */
#ifndef PMUBPF_BPF_CALL_H
#define PMUBPF_BPF_CALL_H

#include "lib/maps.h"
#include "lib/user_word.h"

/* Signatures of return addresses, and what processors let pass, are above. */
#define ADDRESS_BITS ((1ULL << 39) - 1)

/* Whether a chain of frames leads through one; so it does where that isn't certain. */
static __always_inline bool leads_through(__u64 frame, __u64 through)
{
	enum { FRAMES = 32 };

	for (int i = 0; i < FRAMES; i++) {
		__u64 next;

		if (frame >= through)
			return frame == through;
		next = word_at(frame);
		if (next <= frame)
			return true;
		frame = next;
	}
	return true;
}

/* Where a call puts the address into its frame itself, later ones needn't write over it; but their
 * frames' chain passes its frame by. Until then the address is in the link register. */
static __always_inline bool is_kept(const struct arch_regs *regs, __u64 kept, __u64 returns_to)
{
	const __u64 now = ARCH_SP(regs) > kept ? ARCH_LR(regs) : word_at(kept);

	if ((now ^ returns_to) & ADDRESS_BITS)
		return false;
	return ARCH_SP(regs) > kept || leads_through(ARCH_FP(regs), kept - sizeof(__u64));
}

/*
 * Whether the thread is still in the call, by its stack pointer. Others may be as deep, later; they
 * have written over its return address, as a rule. Somebody's return probe has, too. regs, NULL:
 * not known.
 */
static __always_inline bool is_in_call(const volatile struct pmb_config *cfg,
				       const struct gate *gate, const struct arch_regs *regs)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 kept = gate->sp - cfg->kept, now;

	if (!regs)
		return true;
	if (ARCH_SP(regs) > gate->sp)
		return false;
	if (cfg->kept == PMB_KEPT_UNKNOWN || !gate->returns_to)
		return true;
	if (ARCH_RETURN_BYTES) {
		now = word_at(kept);
		if (!now || now == gate->returns_to)
			return true;
	} else if (is_kept(regs, kept, gate->returns_to)) {
		return true;
	}
	return bpf_core_field_exists(task->utask) &&
	       BPF_CORE_READ(task, utask, return_instances) != NULL;
}

#endif
