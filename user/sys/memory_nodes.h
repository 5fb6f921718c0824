/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which NUMA node physical memory is on, by the blocks that it is plugged in by. */
#ifndef PMUBPF_SYS_MEMORY_NODES_H
#define PMUBPF_SYS_MEMORY_NODES_H

#include <stddef.h>
#include <stdint.h>

struct memory_nodes {
	uint64_t block;    /* bytes; 0: the kernel doesn't say */
	uint16_t *node_of; /* by block: one more than the node's number; 0: none, or several */
	size_t n;
	int n_nodes; /* that have memory */
};

/* As it is now. root: "" or a folder with the files of some machine. Ends with
 * memory_nodes__done. */
void memory_nodes__read(struct memory_nodes *ret, const char *root);
void memory_nodes__done(struct memory_nodes *m);
/* -1: it isn't known. */
int memory_nodes__of(const struct memory_nodes *m, uint64_t phys);

#endif
