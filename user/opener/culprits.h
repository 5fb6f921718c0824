/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who kept an opener waiting, and until when nothing of theirs is touched: a page that main and
 * openers share. Main writes the list; the opener says whom it is about to touch, so that main
 * knows it of one that does not come back. A process is left alone at once, a user, a mount
 * namespace or, of root's processes, a cgroup after four times; for twice as long each time.
 *
 * The spawner adds who is to blame for openers that could not be killed. Each is a process, so
 * there are at most CULPRIT_STUCK of one user, mount namespace, cgroup or device at a time, and one
 * once half of all places are taken.
 */
#ifndef PMUBPF_OPENER_CULPRITS_H
#define PMUBPF_OPENER_CULPRITS_H

#include <stdbool.h>
#include <stdint.h>

#include "opener/answer.h"
#include "pmubpf/budgets.h"

enum {
	MAX_CULPRITS = 128,
	CULPRIT_STRIKES = BUDGET_STRIKES,  /* of others than processes */
	CULPRIT_STUCK = BUDGET_STUCK_EACH, /* of others than processes */
	MAX_STUCK = BUDGET_STUCK,          /* of all together: then nothing is opened any more */
};

enum culprit_kind { CULPRIT_PROCESS = 1, CULPRIT_USER, CULPRIT_CGROUP, CULPRIT_MOUNTS };

struct culprit {
	uint64_t id;
	uint64_t until_ns; /* CLOCK_MONOTONIC */
	uint32_t kind;     /* 0: a free place */
	uint32_t strikes;
};

struct culprits {
	struct opener_subject now; /* the opener's: whom it is at */
	uint32_t seq;              /* …and which question that is */
	struct culprit list[MAX_CULPRITS];
	struct opener_subject stuck[MAX_STUCK]; /* the spawner's */
	uint32_t n_stuck, most_stuck;
};

/* True if nothing of this one may be touched now. */
bool culprits__refuse(const struct culprits *all, const struct opener_subject *who,
		      uint64_t now_ns);
/* It kept one waiting. */
void culprits__strike(struct culprits *all, const struct opener_subject *who, uint64_t now_ns);

#endif
