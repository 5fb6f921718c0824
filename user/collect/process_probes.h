/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Probes of places of a file in one process: all at once where the kernel can, else each. They go
 * with the process that has their descriptors. */
#ifndef PMUBPF_COLLECT_PROCESS_PROBES_H
#define PMUBPF_COLLECT_PROCESS_PROBES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct closer;
struct opener;

struct process_place {
	uint64_t file_off;
	uint64_t cookie; /* what a program that is at all of them is told */
	int program_fd;  /* what is at this one alone */
};

struct process_places {
	struct opener *opener;
	int fd; /* the file, as the opener found it */
	uint64_t mnt_ns;
	pid_t tgid;
	const struct process_place *list;
	size_t n;
	int all_fd; /* the program at all of them; -1: each has its own */
	uint64_t all_id;
	struct closer *closer; /* of those that are put in before one that can't be */
};

/* All 0: none. */
struct process_probes {
	int *fds;
	size_t n;
};

/* All or none: *ret is empty on failure (-errno; -OPENER_SERVED as from opener__uprobe). */
int process_probes__put_in(struct process_probes *ret, const struct process_places *places);
/* It takes the kernel a while, which isn't waited for. */
void process_probes__take_out(struct process_probes *probes, struct closer *closer);

#endif
