/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * "Did you mean": of the names offered, the few nearest to the one that was wanted, by edit
 * distance (neighbours swapped count once, upper and lower case are equal).
 */
#ifndef PMUBPF_BASE_NEAREST_H
#define PMUBPF_BASE_NEAREST_H

#include <stddef.h>

#include "base/buf.h"

#define NEAREST_MAX 3

struct nearest {
	const char *wanted; /* borrowed */
	size_t limit;       /* farther names are no help */
	struct {
		char *shown; /* ours */
		size_t distance;
	} best[NEAREST_MAX];
	size_t n;
};

void nearest__init(struct nearest *nearest, const char *wanted);
/* name is compared; shown is what the user should type (NULL: the same). */
void nearest__offer(struct nearest *nearest, const char *name, const char *shown);
/* The same with a distance that the caller knows. */
void nearest__offer_at(struct nearest *nearest, size_t distance, const char *shown);
/* Appends "a, b, c"; nothing if no name was near. */
void nearest__format(const struct nearest *nearest, struct buf *out);
void nearest__done(struct nearest *nearest);

#endif
