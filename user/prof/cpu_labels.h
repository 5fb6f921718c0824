/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a sample's CPU is, as labels: its number, core, kind of core, NUMA
 * node, and who chooses its frequency. */
#ifndef PMUBPF_PROF_CPU_LABELS_H
#define PMUBPF_PROF_CPU_LABELS_H

#include <stddef.h>
#include <stdint.h>

#include "prof/prof.h"
#include "sys/cpu_place.h"

/* Each CPU's place is read once. Zeroed: none is known. */
struct cpu_labels {
	struct at_cpu {
		uint32_t cpu;
		struct cpu_place place;
	} * items;
	size_t n, cap;
};

void cpu_labels__add(struct cpu_labels *c, struct prof *prof, struct prof_label_list *to,
		     uint32_t cpu);
void cpu_labels__done(struct cpu_labels *c);

#endif
