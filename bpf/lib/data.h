/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The data that an overflow is about. The address is in the context; its source and the latency are
 * behind it, in the kernel's own struct perf_sample_data, which changed with time: a plain number
 * became a union, and since 6.1 flags say what of it is set at all.
 */
#ifndef PMUBPF_BPF_DATA_H
#define PMUBPF_BPF_DATA_H

#include "lib/arch.h"
#include "lib/mapping.h"
#include "lib/maps.h"

/* Bits of sample_flags (uapi/linux/perf_event.h, enum perf_event_sample_format). */
enum {
	SAMPLE_ADDR = 1U << 3,
	SAMPLE_WEIGHT = 1U << 14,
	SAMPLE_DATA_SRC = 1U << 15,
	SAMPLE_PHYS_ADDR = 1U << 19,
	SAMPLE_WEIGHT_STRUCT = 1U << 24,
};

static __always_inline __u64 data_weight(struct perf_sample_data *data)
{
	struct perf_sample_data___plain *plain = (void *)data;

	return bpf_core_type_exists(union perf_sample_weight) ? BPF_CORE_READ(data, weight.full) :
								BPF_CORE_READ(plain, weight);
}

/* Nothing else is mapped as near below the first thread's stack (mm/util.c: mmap_base()). */
#define STACK_GAP (128ULL << 20)
#define STACK_PAGE 4096ULL /* at least: of larger ones it is a part */

/* The first thread's stack, which may just be about to grow. Of another thread all that is mapped
 * higher lies above its stack pointer, too. */
static __always_inline bool is_stack(__u64 addr, __u64 sp, struct mm_struct *mm)
{
	__u64 start = BPF_CORE_READ(mm, start_stack);

	/* 128: what leaf functions use below it (the red zone), and pushes */
	if (sp == ~0ULL || addr < sp - 128 || addr >= start)
		return false;
	return start - addr < STACK_GAP || start - addr <= BPF_CORE_READ(mm, stack_vm) * STACK_PAGE;
}

/* sp: what the task last had in user space; ~0: not known. own: its thread pointer. */
static __noinline __u32 data_segment(__u64 addr, __u64 sp, __u64 own)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct mm_struct *mm = BPF_CORE_READ(task, mm);
	__u64 brk = BPF_CORE_READ(mm, start_brk);

	if (!addr)
		return PMB_SEGMENT_NONE;
	if (is_kernel_address(addr))
		return PMB_SEGMENT_KERNEL;
	if (addr >= brk && addr < BPF_CORE_READ(mm, brk))
		return PMB_SEGMENT_HEAP;
	if (addr >= BPF_CORE_READ(mm, start_code) && addr < brk)
		return PMB_SEGMENT_PROGRAM;
	if (is_stack(addr, sp, mm))
		return PMB_SEGMENT_STACK;
	return mapped_segment(mm, addr, sp, own);
}

/* What the interrupted instruction may have been addressed by; 0: it is the kernel's, or of 32
 * bits. */
static __always_inline __u32 data_regs(const struct bpf_perf_event_data *ctx, __u64 *ret)
{
	const struct arch_regs *regs = &ctx->regs;

	if (is_kernel_address(ARCH_IP(regs)) || is_compat(regs))
		return 0;
#if defined(__TARGET_ARCH_x86)
	struct task_struct *task = (void *)bpf_get_current_task();

	ret[0] = regs->ax;
	ret[1] = regs->cx;
	ret[2] = regs->dx;
	ret[3] = regs->bx;
	ret[4] = regs->sp;
	ret[5] = regs->bp;
	ret[6] = regs->si;
	ret[7] = regs->di;
	ret[8] = regs->r8;
	ret[9] = regs->r9;
	ret[10] = regs->r10;
	ret[11] = regs->r11;
	ret[12] = regs->r12;
	ret[13] = regs->r13;
	ret[14] = regs->r14;
	ret[15] = regs->r15;
	ret[PMB_DATA_FS] = BPF_CORE_READ(task, thread.fsbase);
#elif defined(__TARGET_ARCH_arm64)
#pragma unroll
	for (int i = 0; i < 31; i++)
		ret[i] = regs->x[i];
	ret[31] = regs->sp;
#elif defined(__TARGET_ARCH_riscv)
	/* from ra on they stand there in their order; x0 is 0 */
	const __u64 *all = (const __u64 *)regs;

	ret[0] = 0;
#pragma unroll
	for (int i = 1; i < 32; i++)
		ret[i] = all[i];
#endif
	ret[PMB_DATA_IP] = ARCH_IP(regs);
	return PMB_DATA_REGS;
}

/* Only the address, if there is one. Fills the part in; returns its size, or 0. */
static __always_inline __u64 addr_part(const struct bpf_perf_event_data *ctx,
				       struct pmb_part_addr *part)
{
	if (!ctx->addr)
		return 0;
	part->part.size = sizeof(*part);
	part->part.type = PMB_PART_ADDR;
	part->part.pad = 0;
	part->addr = ctx->addr;
	return sizeof(*part);
}

/* Fills the part in; returns its size. regs: what the task last had in user space; NULL: not
 * known. */
static __always_inline __u64 data_part(struct bpf_perf_event_data *ctx,
				       const struct arch_regs *regs, struct pmb_part_data *part)
{
	struct bpf_perf_event_data_kern *kern = (void *)ctx;
	struct perf_sample_data *data = BPF_CORE_READ(kern, data);
	__u64 flags = ~0ULL, size;

	if (bpf_core_field_exists(data->sample_flags))
		flags = BPF_CORE_READ(data, sample_flags);
	part->part.type = PMB_PART_DATA;
	part->part.pad = 0;
	/* where nobody set it, what an earlier function left on the stack: a clock's since 6.1 */
	part->addr = flags & SAMPLE_ADDR ? ctx->addr : 0;
	part->data_src = flags & SAMPLE_DATA_SRC ? BPF_CORE_READ(data, data_src.val) : 0;
	part->weight = flags & (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT) ? data_weight(data) : 0;
	/* before 6.3 the kernel looks for it when programs have run */
	part->phys = 0;
	if (bpf_core_field_exists(data->sample_flags) && flags & SAMPLE_PHYS_ADDR)
		part->phys = BPF_CORE_READ(data, phys_addr);
	part->segment = data_segment(part->addr, regs ? ARCH_SP(regs) : ~0ULL,
				     regs ? arch_thread_pointer(regs) : 0);
	part->n_regs = data_regs(ctx, part->regs);
	size = part->n_regs ? sizeof(*part) : offsetof(struct pmb_part_data, regs);
	part->part.size = size;
	return size;
}

#endif
