/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The programs that count what units of work cost (bpf/work.bpf.c), loaded. Nothing is pinned. */
#ifndef PMUBPF_COLLECT_WORK_H
#define PMUBPF_COLLECT_WORK_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "collect/gates.h"
#include "model/slices.h"
#include "model/work.h"
#include "pmubpf/record.h"

struct work_opts {
	const struct gates *gates; /* with whose; borrowed, as long as the programs live */
	size_t n_counters;         /* PMB_MAX_READS at most */
	bool inherit;              /* children of targets are targets */
	bool sums;                 /* what is inside and outside of units, too */
	uint64_t longer_ns;        /* only units that last as long */
};

struct work_programs;

int work_programs__load(struct work_programs **ret, const struct work_opts *opts, struct err *err);
struct work_programs *work_programs__free(struct work_programs *work);
/* Counter i of a CPU, opened there. */
int work_programs__set_counter(struct work_programs *work, size_t i, int cpu, int fd);
int work_programs__mark(struct work_programs *work, pid_t tid, enum pmb_mark mark);
/* Units with nothing in them, of this thread: before anything is attached. */
void work_programs__calibrate(struct work_programs *work);
/* What overflows of events run that open and close units. */
struct gate_fds work_programs__gate_fds(const struct work_programs *work);
/* From here on units are counted. -errno with the sentence. */
int work_programs__attach(struct work_programs *work, struct err *err);
/* Probes in programs, which were put in there, are taken out, and put in again; takes CAP_BPF. */
int work_programs__put_in(struct work_programs *work, struct err *err);
int work_programs__take_out(struct work_programs *work);
/* Of goroutines whose processes have ended; to be called often. */
void work_programs__leave_ended(struct work_programs *work, uint64_t now);
struct probe_hits work_programs__hits(const struct work_programs *work);
/* Of sums: what threads that have a CPU have so far is in what is read next; takes CAP_BPF. */
void work_programs__settle(const struct work_programs *work);
/* Since the load; takes no privilege. ret has as many counters. */
void work_programs__read(const struct work_programs *work, struct work_counts *ret);

#endif
