/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whose the counts of the CPUs' counters are: rows that add up to what was counted. */
#ifndef PMUBPF_MODEL_OWNERS_H
#define PMUBPF_MODEL_OWNERS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "pmubpf/owner.h"
#include "sys/perf.h"

struct owner_row {
	struct pmb_owner_key key;
	struct pmb_owner counted;
};

/* Of threads that waited for a CPU, by themselves. */
struct owner_waits {
	uint64_t all_ns;        /* how long, together */
	uint64_t lost, lost_ns; /* of these, whose end was not told: up to so much too much */
	uint64_t unheld;        /* for which there was no room: not among them */
};

struct owners {
	size_t n_counters;
	size_t event[PMB_MAX_READS]; /* by counter: its index in the list of events */
	/* The first is the time that threads waited for a CPU, of no event; the others are of whom
	 * that is, by who had the core's other thread. */
	bool of_waits;
	struct owner_waits waits;
	struct owner_row *rows; /* ours; sorted by key */
	size_t n_rows;
	__u64 own[PMB_N_OWNER_OWN][PMB_MAX_READS]; /* of all CPUs */
	uint64_t no_room;                          /* times that there was no row */
	/* What the counters themselves say. */
	struct perf_count counter[PMB_MAX_READS];
};

/* Of all that rows say, once they are there. */
void owners__sort(struct owners *owners);
/* Rows are added to those of the same key, and come in between. */
void owners__add(struct owners *owners, const struct owner_row *rows, size_t n);
/* to = now - before; rows that counted nothing are left out. */
void owners__set(struct owners *to, const struct owners *now, const struct owners *before);
void owners__done(struct owners *owners);

/* Rows under the names that people know them by. */
struct owner_line {
	char *name; /* ours; "[idle]" and the like are no names */
	bool given; /* by the kernel or by us, and not by a program */
	__u64 count[PMB_MAX_READS];
};
struct owner_lines {
	struct owner_line *list;
	size_t n, cap;
};

/* name: what a row is called, the caller's to free; NULL: it is one of everybody else. Rows of one
 * name are one line. Those with most of the first counter come first, then what is no row. */
void owners__lines(const struct owners *owners,
		   char *(*name)(void *ctx, const struct owner_row *row), void *ctx,
		   struct owner_lines *ret);
/* At most so many lines of programs, and one for those beyond: "[3 more]". 0: all. What is given
 * comes behind them, and stays. */
void owner_lines__limit(struct owner_lines *lines, size_t limit);
void owner_lines__done(struct owner_lines *lines);

#endif
