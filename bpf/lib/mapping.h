/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which mapping an address of the current process lies in, by the kernel's own tree of them (struct
 * maple_tree, since Linux commit d4af56c5c7c6, in v6.1; before that a red-black tree). No lock is
 * taken, which an NMI may not, and which wouldn't be free: what is read may be just changing. So
 * what the tree leads to is believed if it says itself that it is this process's and holds the
 * address.
 */
#ifndef PMUBPF_BPF_MAPPING_H
#define PMUBPF_BPF_MAPPING_H

#include "lib/arch.h"
#include "lib/maps.h"

/* How a node is told from the pointer to it (lib/maple_tree.c): it lies at a multiple of 256, and
 * its kind is in bits 3 to 6. */
#define MAPLE_NODE(entry) ((entry) & ~255ULL)
#define MAPLE_KIND(entry) ((entry) >> 3 & 15)
enum { MAPLE_LEAF = 1, MAPLE_RANGE = 2, MAPLE_ARANGE = 3 };

enum {
	MAPLE_DEPTH = 8, /* 65,530 mappings, the default limit, need 5 */
	MAPLE_PIVOTS = 15,
	MAPLE_ARANGE_PIVOTS = 9,
	RB_DEPTH = 36, /* 2 log2 of as many, and some */
};

#define MAPPING_SHARED 8ULL /* VM_SHARED */

/* Their contents are no file's: System V's and POSIX' shared memory, memfds; huge pages. */
#define TMPFS_MAGIC 0x01021994
#define HUGETLBFS_MAGIC 0x958458f6

/* What the node has for the address: a node below it, or of a leaf a mapping. 0: nothing. */
static __always_inline __u64 maple_step(__u64 entry, __u64 addr)
{
	const __u64 node = MAPLE_NODE(entry);
	const bool wide = MAPLE_KIND(entry) != MAPLE_ARANGE;
	const __u64 slots = wide ? bpf_core_field_offset(struct maple_range_64, slot) :
				   bpf_core_field_offset(struct maple_arange_64, slot);
	__u64 pivots[MAPLE_PIVOTS], ret = 0;
	__u32 at = 0;

	/* both begin with the parent; of the smaller one what is read behind them are slots */
	if (bpf_probe_read_kernel(pivots, sizeof(pivots),
				  (void *)(node +
					   bpf_core_field_offset(struct maple_range_64, pivot))))
		return 0;
#pragma unroll
	for (int i = 0; i < MAPLE_PIVOTS; i++) {
		if (!pivots[i] || pivots[i] >= addr || (!wide && i == MAPLE_ARANGE_PIVOTS))
			break;
		at++;
	}
	bpf_probe_read_kernel(&ret, sizeof(ret), (void *)(node + slots + at * sizeof(__u64)));
	return ret;
}

static __always_inline struct vm_area_struct *mapping_by_maple(struct mm_struct *mm, __u64 addr)
{
	__u64 entry = (__u64)BPF_CORE_READ(mm, mm_mt.ma_root);

	for (int i = 0; i < MAPLE_DEPTH; i++) {
		__u64 kind = MAPLE_KIND(entry);

		if (kind < MAPLE_LEAF || kind > MAPLE_ARANGE)
			return NULL;
		entry = maple_step(entry, addr);
		if (kind == MAPLE_LEAF)
			return (void *)entry;
	}
	return NULL;
}

static __always_inline struct vm_area_struct *mapping_by_rb(struct mm_struct *mm, __u64 addr)
{
	struct mm_struct___rb *old = (void *)mm;
	struct rb_node *node = BPF_CORE_READ(old, mm_rb.rb_node);

	for (int i = 0; i < RB_DEPTH && node; i++) {
		struct vm_area_struct___rb *vma =
			(void *)((__u64)node -
				 bpf_core_field_offset(struct vm_area_struct___rb, vm_rb));

		if (addr < BPF_CORE_READ(vma, vm_start))
			node = BPF_CORE_READ(node, rb_left);
		else if (addr >= BPF_CORE_READ(vma, vm_end))
			node = BPF_CORE_READ(node, rb_right);
		else
			return (void *)vma;
	}
	return NULL;
}

/* NULL: none, or nobody can tell. */
static __always_inline struct vm_area_struct *mapping_of(struct mm_struct *mm, __u64 addr)
{
	struct vm_area_struct *vma = bpf_core_field_exists(mm->mm_mt) ? mapping_by_maple(mm, addr) :
									mapping_by_rb(mm, addr);

	/* it may have become another one's meanwhile */
	return vma && BPF_CORE_READ(vma, vm_mm) == mm && addr >= BPF_CORE_READ(vma, vm_start) &&
			       addr < BPF_CORE_READ(vma, vm_end) ?
		       vma :
		       NULL;
}

/* On x86-64 the thread pointer of a C library's thread leads to itself, as the ABI has it. That of
 * Go's threads doesn't: it lies on its heap, and so does what it has as stacks. */
static __always_inline bool is_thread_control_block(__u64 own)
{
#if defined(__TARGET_ARCH_x86)
	__u64 self;

	return !bpf_probe_read_user(&self, sizeof(self), (void *)own) && self == own;
#else
	(void)own;
	return true;
#endif
}

static __always_inline bool is_thread_stack(__u64 addr, __u64 sp, __u64 own,
					    struct vm_area_struct *vma)
{
	/* 128: as of the first thread's. Behind it, in the same mapping, are the thread's own
	 * variables, as the C libraries have it; else it is a stack that the program made, of a
	 * goroutine or a coroutine, amid its other data. */
	return sp != ~0ULL && sp >= BPF_CORE_READ(vma, vm_start) && own > sp &&
	       own < BPF_CORE_READ(vma, vm_end) && addr >= sp - 128 && addr < own &&
	       is_thread_control_block(own);
}

/* Of what neither the program nor its heap is: enum pmb_segment. own: the thread pointer. */
static __always_inline __u32 mapped_segment(struct mm_struct *mm, __u64 addr, __u64 sp, __u64 own)
{
	struct vm_area_struct *vma = mapping_of(mm, addr);
	struct file *file;
	__u64 magic;

	if (!vma)
		return PMB_SEGMENT_MAPPED;
	file = BPF_CORE_READ(vma, vm_file);
	if (!file)
		return is_thread_stack(addr, sp, own, vma) ? PMB_SEGMENT_THREAD_STACK :
							     PMB_SEGMENT_ANONYMOUS;
	magic = BPF_CORE_READ(file, f_inode, i_sb, s_magic);
	if (magic != TMPFS_MAGIC && magic != HUGETLBFS_MAGIC)
		return PMB_SEGMENT_FILE;
	if (BPF_CORE_READ(vma, vm_flags) & MAPPING_SHARED)
		return PMB_SEGMENT_SHARED;
	return magic == TMPFS_MAGIC ? PMB_SEGMENT_FILE : PMB_SEGMENT_ANONYMOUS;
}

#endif
