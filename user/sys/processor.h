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

/* Threads of a core; 0: the kernel doesn't say. */
int processor_threads(const char *root);
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
	/* Since when, after the beginning, to a second: where it was watched and there was any. */
	bool watched;
	uint64_t stolen_from_ns; /* the first second in which it was STOLEN_MUCH */
	uint64_t throttled_from_ns;
};

enum { STOLEN_MUCH = 1 }; /* percent, worth a line */

struct processor_loss processor_loss(const struct processor_counts *before,
				     const struct processor_counts *after);

/* The same, looked at now and then, so that it is known since when. Times are CLOCK_MONOTONIC. */
struct processor_watch {
	struct processor_counts first, last;
	uint64_t start_ns; /* 0: it hasn't begun */
	uint64_t last_ns, due_ns;
	bool seen_stolen, seen_throttled;
	uint64_t stolen_from_ns, throttled_from_ns;
};
/* Nothing if it has begun. */
void processor_watch__begin(struct processor_watch *watch, const char *root, uint64_t now);
/* Nothing before it is due: a second later, more where looking takes long. */
void processor_watch__look(struct processor_watch *watch, const char *root, uint64_t now);
/* Since the beginning. */
struct processor_loss processor_watch__loss(struct processor_watch *watch, const char *root,
					    uint64_t now);
/* The same, and what follows begins now. */
struct processor_loss processor_watch__cut(struct processor_watch *watch, const char *root,
					   uint64_t now);

#endif
