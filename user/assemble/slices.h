/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Slices of stacks, by id, between their arrival and that of the sample that names them. */
#ifndef PMUBPF_ASSEMBLE_SLICES_H
#define PMUBPF_ASSEMBLE_SLICES_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "pmubpf/record.h"

struct slice {
	uint64_t id;
	UT_hash_handle hh;
	struct pmb_slice rec; /* with its bytes behind it */
};

struct slices {
	struct slice *by_id;
	size_t bytes, limit; /* of slices, whether their sample has come or not */
	uint64_t refused;    /* beyond the limit */
	bool hurry;          /* one has come since this was last cleared */
};

/* Keeps a copy. */
void slices__add(struct slices *slices, const struct pmb_slice *rec);
/* The caller's, with slices__free; NULL: it never came. */
struct slice *slices__take(struct slices *slices, uint64_t id);
void slices__free(struct slices *slices, struct slice *slice);
/* Forgets those whose sample never came. */
void slices__sweep(struct slices *slices, uint64_t before);
void slices__done(struct slices *slices);

#endif
