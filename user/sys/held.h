/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What programs are held by besides their code: the CPU quotas of a cgroup and of those above it
 * (v1 and v2), and the GPU that works for a process (fdinfo, drm-engine-*). root: "" or a folder
 * with the files of some machine.
 */
#ifndef PMUBPF_SYS_HELD_H
#define PMUBPF_SYS_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct held {
	char **stats; /* cpu.stat of each level */
	uint64_t *before;
	size_t n, cap;
	char *process; /* its folder; NULL: none */
	bool has_gpu;  /* one is open in it; to see more of that takes CAP_SYS_PTRACE */
	uint64_t gpu_before;
};

/* Of the cgroup of that path in its hierarchy; NULL: of the one that pid is in. pid 0: no process,
 * and no GPU. What isn't there is no error: it holds nobody. */
void held__find(struct held *held, const char *root, const char *cgroup, pid_t pid);
/* ns, since it was asked before: how long CPUs were withheld, at the level that did so longest; how
 * long the busiest engine worked for the process. */
void held__since(struct held *held, uint64_t *ret_throttled, uint64_t *ret_gpu);
void held__done(struct held *held);

#endif
