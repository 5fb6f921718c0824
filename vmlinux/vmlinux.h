/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel types that the BPF side reads, and only their members that it reads. CO-RE relocates
 * every access against the running kernel's BTF, so order and size here mean nothing.
 */
#ifndef PMUBPF_VMLINUX_H
#define PMUBPF_VMLINUX_H

#if defined(__TARGET_ARCH_x86)
#include "x86.h"
#elif defined(__TARGET_ARCH_arm64)
#include "arm64.h"
#elif defined(__TARGET_ARCH_riscv)
#include "riscv.h"
#else
#error "no registers for this architecture: add vmlinux/ARCH.h and bpf/lib/arch.h"
#endif

/* What a perf_event program is handed (uapi/linux/bpf_perf_event.h). ABI: not relocated. */
struct bpf_perf_event_data {
	struct arch_regs regs;
	__u64 sample_period;
	__u64 addr;
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct kernfs_node {
	__u64 id;
};

struct cgroup {
	struct kernfs_node *kn;
	int level;
	struct cgroup *ancestors[1]; /* since 6.1 */
};

/* Before Linux commit 7f203bc89eb6 ("cgroup: Replace cgroup->ancestor_ids[] with ->ancestors[]",
 * in v6.1). Can go when the floor is 6.1. */
struct cgroup___ids {
	__u64 ancestor_ids[1];
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

struct css_set {
	struct cgroup_subsys_state *subsys[1];
	struct cgroup *dfl_cgrp;
};

/* Where the kernel puts what uprobes execute. Its first bytes are the trampoline of return
 * probes. */
struct xol_area {
	unsigned long vaddr;
};

struct uprobes_state {
	struct xol_area *xol_area;
};

/* A function that a return probe waits for. */
struct return_instance {
	unsigned long stack, orig_ret_vaddr;
	struct return_instance *next; /* outwards */
};

struct uprobe_task {
	struct return_instance *return_instances;
	unsigned long vaddr, xol_vaddr;
	void *active_uprobe; /* while the copy of its instruction is executed */
};

/* Of a process's mappings, since 6.1. */
struct maple_tree {
	void *ma_root;
};

struct maple_range_64 {
	unsigned long pivot[15];
	void *slot[16];
};

struct maple_arange_64 {
	void *slot[10];
};

struct super_block {
	unsigned long s_magic;
};

struct inode {
	struct super_block *i_sb;
};

struct file {
	struct inode *f_inode;
};

struct vm_area_struct {
	unsigned long vm_start, vm_end, vm_flags;
	struct mm_struct *vm_mm;
	struct file *vm_file;
};

/* Before Linux commit 524e00b36e8c, in v6.1. */
struct rb_node {
	struct rb_node *rb_right, *rb_left;
};

struct rb_root {
	struct rb_node *rb_node;
};

struct vm_area_struct___rb {
	unsigned long vm_start, vm_end;
	struct rb_node vm_rb;
};

struct mm_struct___rb {
	struct rb_root mm_rb;
};

struct mm_struct {
	struct maple_tree mm_mt;
	unsigned long start_stack, stack_vm;
	unsigned long start_code, start_brk, brk;
	struct uprobes_state uprobes_state;
};

struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1]; /* one for each level */
};

/* x86 only */
struct thread_struct {
	unsigned long fsbase;
};

struct thread_struct___arm64 {
	struct {
		unsigned long tp_value;
	} uw;
};

struct thread_info {
	unsigned int cpu; /* since Linux commit bcf9033e5449, in v5.16 */
};

struct sched_info {
	unsigned long long run_delay; /* ns that it waited for a CPU, ready to run */
};

struct signal_struct {
	struct {
		int counter;
	} live; /* atomic_t: threads that have not begun to exit */
};

struct task_struct {
	struct thread_struct thread;
	struct signal_struct *signal;
	int pid, tgid;
	unsigned int flags;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct mm_struct *mm;
	void *stack;
	struct css_set *cgroups;
	struct uprobe_task *utask;
	unsigned long nvcsw, nivcsw; /* times it was switched out, by itself and by force */
	__u64 start_time;            /* CLOCK_MONOTONIC, ns */
	__u64 self_exec_id;          /* since Linux 5.7 this wide */
	char comm[16];
	struct sched_info sched_info;
	struct thread_info thread_info;
	unsigned int on_cpu;  /* an int; in v7.2 a byte, which only one without a sign stands for */
	unsigned int __state; /* since Linux commit 2f064a59a11f, in v5.14 */
	unsigned in_iowait : 1;
};

/* Before that of struct thread_info. Can go when the floor is 5.16. */
struct task_struct___cpu {
	unsigned int cpu;
};

/* Before that of __state. Can go when the floor is 5.14. */
struct task_struct___state {
	long state;
};

#if defined(__TARGET_ARCH_arm64)
/* Behind struct arch_regs, with which it begins. */
struct pt_regs {
	int syscallno;
};
#endif

struct hw_perf_event {
	__u64 sample_period;
};

struct perf_event {
	struct {
		__u64 word;
	} count; /* local64_t: CO-RE matches no member of it, a structure by its place */
	struct hw_perf_event hw;
};

union perf_mem_data_src {
	__u64 val;
};

/* Since Linux commit 2a6c6b7d7ad3 ("perf/core: Add PERF_SAMPLE_WEIGHT_STRUCT", in v5.12). */
union perf_sample_weight {
	__u64 full;
};

struct perf_sample_data {
	/* Which of the others are set. Since Linux commit 838d9bb62d13 ("perf: Use sample_flags
	 * for data_src" and others, in v6.1). */
	__u64 sample_flags;
	union perf_mem_data_src data_src;
	union perf_sample_weight weight;
	__u64 phys_addr;
};

/* Before these. Can go when the floor is 5.12. */
struct perf_sample_data___plain {
	__u64 weight;
};

/* What struct bpf_perf_event_data stands for in the kernel. */
struct bpf_perf_event_data_kern {
	struct perf_sample_data *data;
	struct perf_event *event;
};

#pragma clang attribute pop

#endif
