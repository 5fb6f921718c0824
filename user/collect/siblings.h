/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples that say who had the core's other thread: which CPUs share a core, and where the kernel
 * says whom they run. */
#ifndef PMUBPF_COLLECT_SIBLINGS_H
#define PMUBPF_COLLECT_SIBLINGS_H

#include <stdbool.h>
#include <stddef.h>

struct recording_bpf;
struct programs_opts;

/* By any event. */
bool siblings__wanted(const struct programs_opts *opts);
/* What the instance loads, and how much room it has. */
void siblings__choose(struct recording_bpf *skel, const struct programs_opts *opts, bool first,
		      int n_cpus);
/* Of a CPU that is there, or has come, and of its sibling; none has any where nobody asks. */
void siblings__tell(struct recording_bpf *skel, int cpu);
/* How many CPUs have a sibling of which it is known whom it runs; *ret_pairs: that have any. */
int siblings__known(const struct recording_bpf *skel, int n_cpus, int *ret_pairs);

#endif
