/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where uprobes have put the kernel's code in place of the program's: return probes (a debugger's,
 * bpftrace's, anybody's) the kernel's trampoline in place of return addresses, others a copy of the
 * instruction that is executed elsewhere, in the same mapping, [uprobes]. The kernel keeps the true
 * addresses:
 *
 *   task->utask->return_instances ──► {stack, orig_ret_vaddr, next} ──► {…} ──► the outermost
 *              ->vaddr: of the instruction whose copy stands at ->xol_vaddr
 *
 * `stack` is the stack pointer at the function's first instruction: on x86-64 where the return
 * address lies, elsewhere the CFA. Instances that a longjmp has jumped over stay in the list for a
 * while, and a tail call has two of one place: so each is found by its place, not by its turn.
 */
#ifndef PMUBPF_BPF_URETPROBE_H
#define PMUBPF_BPF_URETPROBE_H

#include "lib/arch.h"
#include "lib/maps.h"

enum {
	RETURNS_SKIPPED = 8,   /* instances between two frames: jumped over, or of tail calls */
	TRAMPOLINE_BYTES = 64, /* at least what one has: three pushes and a system call */
	XOL_SLOT_BYTES = 64,   /* the same, of an instruction's copy and a jump */
};

/*
 * RETURN_SLOT_BYTES: of the return address that a call pushes. RETURN_SLACK: what the trampoline
 * itself pushes; elsewhere frame pointers say where a frame begins, not where it ends.
 */
#if defined(__TARGET_ARCH_x86)
#define RETURN_SLOT_BYTES 8
#define RETURN_SLACK 24
#else
#define RETURN_SLOT_BYTES 0
#define RETURN_SLACK (~0ULL)
#endif

/* One read of a pointer where no uprobe was ever hit. Kernels without uprobes have no utask. */
static __always_inline void returns_begin(struct returns *ret, struct task_struct *task)
{
	struct uprobe_task *utask = NULL;

	ret->trampoline = NO_TRAMPOLINE;
	ret->next = 0;
	if (bpf_core_field_exists(task->utask))
		utask = BPF_CORE_READ(task, utask);
	ret->utask = (__u64)utask;
	if (!utask)
		return;
	ret->next = (__u64)BPF_CORE_READ(utask, return_instances);
	if (ret->next)
		ret->trampoline = BPF_CORE_READ(task, mm, uprobes_state.xol_area, vaddr);
	if (!ret->trampoline)
		ret->trampoline = NO_TRAMPOLINE; /* a child that isn't made ready yet */
}

/*
 * Where the function returns to whose caller's stack pointer is `sp`, or above it where the walk
 * knows no better: the trampoline itself if that isn't known. A function of its own for the
 * verifier.
 */
__noinline __u64 pmb_return_to(__u64 sp)
{
	__u32 zero = 0;
	struct scratch *s = bpf_map_lookup_elem(&pmb_scratch, &zero);
	struct return_instance *at;

	if (!s)
		return 0;
	at = (void *)s->returns.next;
	for (int i = 0; i < RETURNS_SKIPPED && at; i++) {
		s->returns.next = (__u64)at;
		s->returns.at = BPF_CORE_READ(at, stack) + RETURN_SLOT_BYTES;
		if (s->returns.at >= sp && s->returns.at - sp <= RETURN_SLACK)
			return BPF_CORE_READ(at, orig_ret_vaddr);
		if (s->returns.at > sp) /* of a caller: this function's is just being made */
			break;
		at = BPF_CORE_READ(at, next);
	}
	return s->returns.trampoline;
}

/* The registers in scratch, of a task that was interrupted in [uprobes], become those that it would
 * have without: in front of the instruction, or back in the caller. */
__noinline int pmb_leave_uprobe(void)
{
	__u32 zero = 0;
	struct scratch *s = bpf_map_lookup_elem(&pmb_scratch, &zero);
	struct uprobe_task *utask;
	__u64 ip, off;

	if (!s)
		return 0;
	utask = (void *)s->returns.utask;
	ip = ARCH_IP(&s->regs);
	off = ip - BPF_CORE_READ(utask, xol_vaddr);
	if (BPF_CORE_READ(utask, active_uprobe) && off < XOL_SLOT_BYTES) {
		ARCH_IP(&s->regs) = BPF_CORE_READ(utask, vaddr) + off;
	} else if (s->returns.next && ip - s->returns.trampoline < TRAMPOLINE_BYTES) {
		__u64 to = pmb_return_to(ARCH_SP(&s->regs));

		if (to != s->returns.trampoline) {
			ARCH_IP(&s->regs) = to;
			ARCH_SP(&s->regs) = s->returns.at;
		}
	}
	return 0;
}

#endif
