/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the running kernel can do: found by trying, never by its version. */
#ifndef PMUBPF_COLLECT_FEATURES_H
#define PMUBPF_COLLECT_FEATURES_H

#include <stdbool.h>

/* X(id, what it is, what is lost without it, required) */
#define FEATURES(X)                                                                            \
	X(BTF, "kernel type information (/sys/kernel/btf/vmlinux)", "nothing can be recorded", \
	  true)                                                                                \
	X(PERF_EVENT_PROGRAM, "BPF programs on perf events", "nothing can be recorded", true)  \
	X(RINGBUF, "BPF ring buffer", "nothing can be recorded", true)                         \
	X(RAW_TRACEPOINT, "BPF programs on raw tracepoints",                                   \
	  "commands can only be followed with --per-task", false)                              \
	X(TASK_REGS, "saved user registers in BPF (5.15)",                                     \
	  "user stacks under kernel code come from the kernel's slower walk", false)           \
	X(SNPRINTF, "kernel names of addresses in BPF (5.13)",                                 \
	  "all of /proc/kallsyms is read, 60 ms and some megabytes", false)                    \
	X(UPROBES, "many probes in a program at once (6.12)",                                  \
	  "--alloc: probes leave a program one by one, 90 ms each", false)                     \
	X(HOLD_CPU, "BPF programs that keep their CPU (6.10)",                                 \
	  "units of work amid whose ends a thread loses its CPU are unsure", false)

enum feature {
#define X(id, what, lost, required) FEATURE_##id,
	FEATURES(X) N_FEATURES
#undef X
};

struct feature_info {
	const char *key;
	const char *what;
	const char *lost;
	bool required;
};
extern const struct feature_info feature_infos[N_FEATURES];

/* Tries once, remembers the answer. Without privileges most answers are "no". */
bool feature__has(enum feature feature);

#endif
