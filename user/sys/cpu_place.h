/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where a CPU is: which core it is a thread of, of which kind that is, whose memory is near, and
 * who chooses its frequency. Of sysfs: topology/, nodeN and cpufreq/ of each CPU, cpus of each kind
 * of core's PMU.
 */
#ifndef PMUBPF_SYS_CPU_PLACE_H
#define PMUBPF_SYS_CPU_PLACE_H

struct cpu_place {
	char *core;     /* "core PACKAGE:CORE", the same for its threads; NULL: not said */
	char *type;     /* the PMU of such cores, "cpu_atom"; NULL: all are alike */
	int node;       /* of NUMA; -1: not said */
	char *governor; /* who chooses its frequency, "powersave"; NULL: not said */
};

/* root: "" or a folder with the files of some machine. */
void cpu_place__read(struct cpu_place *ret, const char *root, int cpu);
void cpu_place__done(struct cpu_place *place);

#endif
