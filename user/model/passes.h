/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A command that ran several times, because not all events fit into the counters at once. What was
 * counted each time tells how alike the runs were, and so how far events of different runs may be
 * compared.
 */
#ifndef PMUBPF_MODEL_PASSES_H
#define PMUBPF_MODEL_PASSES_H

#include <stddef.h>
#include <stdint.h>

struct pass {
	uint64_t duration_ns;
	int status;       /* of the command: its exit status, or 128 + the signal */
	uint64_t *counts; /* by number of the count; ours */
};

struct passes {
	struct pass *list;
	size_t n;
	size_t n_counts; /* counts that are in all passes */
	char **names;    /* of the counts; ours */
};

/* Beyond this the passes did different work. */
#define PASSES_MAX_SPREAD 0.05

/* (largest - smallest) / mean of a count; 0 if it is always 0. */
double passes__spread(const struct passes *passes, size_t count);
void passes__done(struct passes *passes);

#endif
