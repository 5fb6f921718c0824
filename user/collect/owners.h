/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The programs that tell whose a CPU's counts are (bpf/owner.bpf.c), loaded. Nothing is pinned. */
#ifndef PMUBPF_COLLECT_OWNERS_H
#define PMUBPF_COLLECT_OWNERS_H

#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "model/owners.h"
#include "pmubpf/record.h"

struct owner_opts {
	enum pmb_owner_by by;
	struct pmb_config config; /* of which hierarchy cgroups are */
	size_t n_counters;        /* PMB_MAX_READS at most; one less of waits */
	/* The time that threads wait for a CPU: those of a cgroup (its filter), of a process (0:
	 * none), or all. Counters are of these, then, by who had the core's other thread. */
	bool waits;
	struct pmb_config waiter;
	pid_t process;
};

struct owner_programs;

int owner_programs__load(struct owner_programs **ret, const struct owner_opts *opts,
			 struct err *err);
struct owner_programs *owner_programs__free(struct owner_programs *programs);
/* Counter i of a CPU, opened there, that hasn't counted yet. From here on the CPU's counts are
 * shared out. */
int owner_programs__set_counter(struct owner_programs *programs, size_t i, int cpu, int fd);
/* The same of waits for a CPU. sibling: of its core's other thread, watched as well; -1: none. */
void owner_programs__watch(struct owner_programs *programs, int cpu, int sibling);
/* Before the counters count. -errno with the sentence. */
int owner_programs__attach(struct owner_programs *programs, struct err *err);
/* Of waits: what has been waited by now is shared out, and nothing from here on. */
void owner_programs__stop(struct owner_programs *programs);
/* Rows and what CPUs have of their own, since the load; whoever has a CPU has his counts so far.
 * Wants CAP_BPF. A negative errno if the kernel doesn't give them. */
int owner_programs__read(struct owner_programs *programs, struct owners *ret);
/* Gives up the room of a row that nobody adds to any more. False, and it stays: somebody has, since
 * it was read. */
bool owner_programs__forget(struct owner_programs *programs, const struct owner_row *row);

#endif
