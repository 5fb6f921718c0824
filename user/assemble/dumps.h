/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stack dumps, by id, between their arrival and that of the sample that names them. */
#ifndef PMUBPF_ASSEMBLE_DUMPS_H
#define PMUBPF_ASSEMBLE_DUMPS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "pmubpf/record.h"

struct dump {
	uint64_t id;
	UT_hash_handle hh;
	struct pmb_stack_dump rec; /* with its bytes behind it */
};

struct dumps {
	struct dump *by_id;
	size_t bytes, limit; /* of dumps, whether their sample has come or not */
	uint64_t refused;    /* beyond the limit */
	bool hurry;          /* one has come since this was last cleared */
};

/* Keeps a copy. */
void dumps__add(struct dumps *dumps, const struct pmb_stack_dump *rec);
/* The caller's, with dumps__free; NULL: it never came. */
struct dump *dumps__take(struct dumps *dumps, uint64_t id);
void dumps__free(struct dumps *dumps, struct dump *dump);
/* Forgets those whose sample never came. */
void dumps__sweep(struct dumps *dumps, uint64_t before);
void dumps__done(struct dumps *dumps);

#endif
