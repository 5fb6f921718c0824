/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is the interrupted task one that was asked for? */
#ifndef PMUBPF_BPF_TARGET_H
#define PMUBPF_BPF_TARGET_H

#include "lib/tasks.h"

/*
 * The cgroup of a task in the v1 hierarchy of a controller, or in the v2 hierarchy (subsys -1);
 * NULL if it can't be read. For the current one in v2 bpf_get_current_ancestor_cgroup_id() would
 * do, but 5.10 refuses a perf_event program that calls it (EINVAL).
 */
static __always_inline struct cgroup *cgroup_of(struct task_struct *task, __s32 subsys)
{
	struct css_set *set = BPF_CORE_READ(task, cgroups);
	struct cgroup_subsys_state *css = NULL;
	void *slot = (void *)set + bpf_core_field_offset(set->subsys) + subsys * sizeof(css);

	if (subsys < 0)
		return BPF_CORE_READ(set, dfl_cgrp);
	if (bpf_probe_read_kernel(&css, sizeof(css), slot) || !css)
		return NULL;
	return BPF_CORE_READ(css, cgroup);
}

static __always_inline __u64 cgroup_ancestor_id(struct cgroup *cgroup, __u32 level)
{
	struct cgroup *ancestor = NULL;
	__u64 id = 0;
	void *slot;

	if (BPF_CORE_READ(cgroup, level) < (int)level)
		return 0;
	if (bpf_core_field_exists(cgroup->ancestors)) {
		slot = (void *)cgroup + bpf_core_field_offset(cgroup->ancestors);
		bpf_probe_read_kernel(&ancestor, sizeof(ancestor), slot + level * sizeof(ancestor));
		return ancestor ? BPF_CORE_READ(ancestor, kn, id) : 0;
	}
	slot = (void *)cgroup +
	       bpf_core_field_offset(((struct cgroup___ids *)cgroup)->ancestor_ids);
	bpf_probe_read_kernel(&id, sizeof(id), slot + level * sizeof(id));
	return id;
}

static __always_inline __u64 current_cgroup_id(const volatile struct pmb_config *cfg)
{
	struct cgroup *cgroup;

	if (cfg->cgroup_subsys < 0)
		return bpf_get_current_cgroup_id();
	cgroup = cgroup_of((void *)bpf_get_current_task(), cfg->cgroup_subsys);
	return cgroup ? BPF_CORE_READ(cgroup, kn, id) : 0;
}

static __always_inline bool is_in_target_cgroup(const volatile struct pmb_config *cfg,
						struct task_struct *task)
{
	struct cgroup *cgroup = cgroup_of(task, cfg->cgroup_subsys);

	return cgroup && cgroup_ancestor_id(cgroup, cfg->cgroup_level) == cfg->cgroup_id;
}

/* One that nobody has looked up yet passes: user space decides, and marks it. */
static __always_inline bool in_target_container(const volatile struct pmb_config *cfg)
{
	__u64 id = current_cgroup_id(cfg);
	__u32 *mark = bpf_map_lookup_elem(&pmb_cgroups, &id);

	return !mark || *mark == PMB_CGROUP_TARGET;
}

static __always_inline bool is_target(const volatile struct pmb_config *cfg, __u32 tid)
{
	__u8 *mark;

	if (cfg->filter == PMB_FILTER_NONE)
		return true;
	if (cfg->filter == PMB_FILTER_CGROUP)
		return is_in_target_cgroup(cfg, (void *)bpf_get_current_task());
	if (cfg->filter == PMB_FILTER_CONTAINERS)
		return in_target_container(cfg);
	mark = task_mark(tid);
	return mark && *mark == PMB_MARK_TARGET;
}

/* Whether a window of the current thread may begin. Not of an idle task: those of all CPUs have one
 * number. Nor does a thread that has lost its window at its exit get another. */
static __always_inline bool current_may_open(void)
{
	enum { PF_EXITING = 4 };
	struct task_struct *task = (void *)bpf_get_current_task();

	return (__u32)bpf_get_current_pid_tgid() && !(BPF_CORE_READ(task, flags) & PF_EXITING);
}

#endif
