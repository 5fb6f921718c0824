/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sets of CPUs as the kernel writes them ("0-3,8"), their number, their nominal clock. */
#ifndef PMUBPF_SYS_CPUS_H
#define PMUBPF_SYS_CPUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct cpus {
	int *cpu; /* ascending, distinct */
	int n;
};

/* Parses a list; -EINVAL or -ERANGE with nothing in *ret. */
int cpus__parse(const char *text, struct cpus *ret);
void cpus__done(struct cpus *cpus);
/* Those that are in both; the caller owns ret. */
void cpus__both(const struct cpus *a, const struct cpus *b, struct cpus *ret);
bool cpus__has(const struct cpus *cpus, int cpu);
/* The first CPU of a list in the kernel's words; 0 where nothing is said (NULL) or understood. */
int cpus_first(const char *text);

int cpus__online(struct cpus *ret, struct err *err);
/* Those of -C are all online? A usage error else. */
int cpus__check(const struct cpus *asked, const struct cpus *online, struct err *err);
int cpus_possible(void); /* the number of possible CPUs, for maps that the kernel indexes by CPU */

/* The clock rate that the machine claims for a CPU, Hz; 0 if it doesn't say. */
uint64_t cpu_nominal_hz(int cpu);

#endif
