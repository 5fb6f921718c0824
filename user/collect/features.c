// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/features.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

const struct feature_info feature_infos[N_FEATURES] = {
#define X(id, what, lost, required) [FEATURE_##id] = {#id, what, lost, required},
	FEATURES(X)
#undef X
};

static bool has_helper(enum bpf_prog_type type, enum bpf_func_id helper)
{
	/* libbpf takes a refused load for a missing privilege, not for a missing helper */
	return feature__has(FEATURE_PERF_EVENT_PROGRAM) &&
	       libbpf_probe_bpf_helper(type, helper, NULL) == 1;
}

/* Of the kernel's own. */
static bool has_function(const char *name)
{
	struct btf *btf = btf__load_vmlinux_btf();
	bool has = btf && btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) > 0;

	btf__free(btf);
	return has;
}

static bool feature__try(enum feature feature)
{
	const enum bpf_prog_type type = BPF_PROG_TYPE_PERF_EVENT;

	switch (feature) {
	case FEATURE_BTF:
		return access("/sys/kernel/btf/vmlinux", R_OK) == 0;
	case FEATURE_PERF_EVENT_PROGRAM:
		return libbpf_probe_bpf_prog_type(type, NULL) == 1;
	case FEATURE_RINGBUF:
		return libbpf_probe_bpf_map_type(BPF_MAP_TYPE_RINGBUF, NULL) == 1;
	case FEATURE_RAW_TRACEPOINT:
		return libbpf_probe_bpf_prog_type(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL) == 1;
	case FEATURE_TASK_REGS:
		return has_helper(type, BPF_FUNC_task_pt_regs) &&
		       has_helper(type, BPF_FUNC_get_current_task_btf);
	case FEATURE_SNPRINTF:
		return has_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_snprintf);
	case FEATURE_UPROBES:
		/* They came with Linux 6.6, and first took a process for its first thread; since it
		 * has this function they leave together. */
		return has_function("uprobe_unregister_nosync");
	case FEATURE_HOLD_CPU:
		return has_function("bpf_preempt_disable"); /* bpf_preempt_enable came with it */
	case N_FEATURES:
		break;
	}
	return false;
}

bool feature__has(enum feature feature)
{
	static signed char known[N_FEATURES]; /* 0: not tried yet */

	if (!known[feature])
		known[feature] = feature__try(feature) ? 1 : -1;
	return known[feature] > 0;
}
