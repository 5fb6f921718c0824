/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the processors are besides their model, and what was taken from all programs while something
 * ran: by a hypervisor, by heat. root: "" or a folder with the files of some machine.
 */
#ifndef PMUBPF_SYS_PROCESSOR_H
#define PMUBPF_SYS_PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Appends ", 2 threads a core, 2 NUMA nodes, governor powersave", as far as the kernel says. */
void processor_describe(const char *root, struct buf *out);

/* The other thread of a CPU's core; -1: there is none, or there are several. */
int processor_sibling(const char *root, int cpu);

/* Since boot, of all CPUs. */
struct processor_counts {
	uint64_t ticks, stolen;
	uint64_t throttled; /* times that a core became too hot */
	bool knows_heat;    /* the kernel counts these */
};
void processor_count(const char *root, struct processor_counts *ret);

struct processor_loss {
	double stolen_percent; /* of the CPUs' time */
	uint64_t throttled;
	bool knows_heat;
};
struct processor_loss processor_loss(const struct processor_counts *before,
				     const struct processor_counts *after);

#endif
