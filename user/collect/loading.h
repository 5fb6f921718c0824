/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What loading a BPF object takes, whichever it is: quiet, a sentence when it fails, its maps. */
#ifndef PMUBPF_COLLECT_LOADING_H
#define PMUBPF_COLLECT_LOADING_H

#include <linux/types.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct bpf_map;
struct bpf_object;

struct loading {
	sigset_t before;
};

/* Between the two libbpf is silent, and signals wait. */
void loading__begin(struct loading *loading);
void loading__end(const struct loading *loading);
/* The sentence about `what` that the kernel or libbpf refused with r, in between; returns a
 * negative errno. */
int load_error(struct err *err, const char *what, int r);

/* Before the load: which of the programs that follow fork, exec and exit, if any: those for our pid
 * namespace, of each two. */
void choose_life(struct bpf_object *obj, bool wanted, bool nested);
/* Elements of a map with a byte for each thread; 1 where they aren't followed. */
uint32_t mark_pages(bool follow);
struct bpf_program;
/* Runs a raw_tp program on a CPU, or on each; one that is off has nothing new. */
void run_on_cpu(const struct bpf_program *program, int cpu);
void run_on_cpus(const struct bpf_program *program, int n_cpus);
/* The whole of a map that can be mapped, until it is unmapped; NULL: errno says why. */
void *map_memory(const struct bpf_map *map, size_t *ret_size);

/* How often the kernel didn't call it where it was to, for it was amid one of ours on that CPU:
 * since 7.0 they may be preempted. 0 before 5.12, which doesn't say. */
uint64_t program_missed(const struct bpf_program *program);

#endif
