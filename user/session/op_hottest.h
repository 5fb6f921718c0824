/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions of a process that have most of its time, by a clock, and instructions of a
 * class. */
#ifndef PMUBPF_SESSION_OP_HOTTEST_H
#define PMUBPF_SESSION_OP_HOTTEST_H

#include "session/branch_site.h"

enum { OP_FUNCTIONS_MAX = 16 };

struct op_function {
	struct branch_site site;
	uint64_t samples; /* of the clock */
};

struct op_hottest {
	struct op_function of[OP_FUNCTIONS_MAX]; /* with such instructions; the hottest first */
	size_t n;
	size_t n_looked;             /* functions that were looked through for them */
	uint64_t samples, looked;    /* of the clock; in these functions */
	uint64_t took_ns;            /* that the clock looked for */
	size_t n_threads, n_watched; /* the clock was of those of them that used most CPU time */
};

/* whom->class: which. -errno with the sentence, also where nothing is found. */
int op_hottest__find(struct op_hottest *ret, const struct branch_whom *whom, struct err *err);
/* Appends " (the 64 busiest of its 72 threads)" if the clock wasn't of all. */
void op_hottest__put_threads(const struct op_hottest *hottest, struct buf *out);
void op_hottest__done(struct op_hottest *hottest);

#endif
