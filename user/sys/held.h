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

/* A cgroup's cpu.stat, or that of one above it. */
struct held_level {
	char *stat;
	size_t group; /* whose: those of one cgroup follow one another */
	uint64_t before;
};

enum { HELD_GROUPS_MAX = 64 };

struct held {
	struct held_level *levels;
	size_t n, cap, n_groups;
	char *process; /* the first one's folder; NULL: none */
	bool has_gpu;  /* one is open in it; to see more of that takes CAP_SYS_PTRACE */
	uint64_t gpu_before;
};

/* The cgroup of that path in its hierarchy; NULL: the one that pid is in. Each is taken once, up to
 * HELD_GROUPS_MAX. What isn't there is no error: it holds nobody. */
void held__add(struct held *held, const char *root, const char *cgroup, pid_t pid);
/* Whose GPU is looked at, and that all later figures are since now. pid 0: nobody's. */
void held__begin(struct held *held, const char *root, pid_t pid);
/* ns, since it was asked before: how long CPUs were withheld from each cgroup, at the level that
 * did so longest, added up; how long the busiest engine worked for the process. */
void held__since(struct held *held, uint64_t *ret_throttled, uint64_t *ret_gpu);
void held__done(struct held *held);

#endif
