/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stack dumps, by id: between their arrival and that of the sample that names them, and as long as
 * that waits for a table. Where there is no room for one more, the cgroup that has most of it, and
 * in it the process, loses its oldest, unless that is who wants more.
 */
#ifndef PMUBPF_ASSEMBLE_DUMPS_H
#define PMUBPF_ASSEMBLE_DUMPS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fair_room.h"
#include "base/hash.h"
#include "pmubpf/record.h"

struct dump {
	uint64_t id;
	uint64_t leaf;              /* address of the innermost frame */
	uint64_t time;              /* of the record */
	bool lasts;                 /* its sample may come much later */
	struct pmb_stack_dump *rec; /* with its bytes behind it; NULL: it had to go */
	size_t bytes, held;         /* charged to the holder: its own, and what else is kept */
	struct dump_holder *holder;
	struct dump *prev, *next; /* of the holder's that have bytes, oldest first */
	UT_hash_handle hh;
};

struct dumps {
	struct dump *by_id;
	struct dump_holder *holders;
	struct dump_cgroup *cgroups;
	/* of dumps, whether their sample has come or not; of what else is kept; 0: no limit */
	size_t bytes, held, limit;
	uint64_t refused; /* for which there was no room, or no longer */
	size_t gone;      /* dumps without bytes that somebody still has */
	bool hurry;       /* one has come since this was last cleared */
};

/* Keeps a copy. who: is sampled. */
void dumps__add(struct dumps *dumps, const struct pmb_stack_dump *rec, const struct fair_who *who);
/* The caller's, with dumps__free; NULL: it never came, or had to go. */
struct dump *dumps__take(struct dumps *dumps, uint64_t id);
/* The same, where another sample with it is to come, for which a copy is kept. */
struct dump *dumps__lend(struct dumps *dumps, uint64_t id);
/* What else is kept because of it. False: there is no room. */
bool dumps__hold(struct dumps *dumps, struct dump *dump, size_t bytes);
void dumps__free(struct dumps *dumps, struct dump *dump);
/* Forgets those whose sample never came; those that last stay as long as there is room. */
void dumps__sweep(struct dumps *dumps, uint64_t before);
void dumps__done(struct dumps *dumps);

#endif
