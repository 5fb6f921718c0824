/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Branches that were taken, as the CPU recorded them, and the code between two of them, which ran
 * from its first to its last instruction without one: each pair of places once, with what was
 * counted of it. Only so many as there is memory for; records of further pairs are counted as
 * [other].
 */
#ifndef PMUBPF_MODEL_BRANCH_RECORDS_H
#define PMUBPF_MODEL_BRANCH_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

enum branch_kind {
	BRANCH_TAKEN,   /* from an instruction to another one */
	BRANCH_BETWEEN, /* where one led to, and from where the next one left */
	N_BRANCH_KINDS,
};

struct branch_counts {
	uint64_t records;
	uint64_t foreseen; /* of these, those of which the CPU says whether it foresaw them… */
	uint64_t mispredicted; /* …and those that it didn't */
	uint64_t timed;        /* those of which it says how long ago the branch before was… */
	uint64_t cycles;       /* …and the sum of that */
};

/* Sums of strangers' numbers end where they no longer fit into a file. */
static inline uint64_t branch_sum(uint64_t a, uint64_t b)
{
	return __builtin_add_overflow(a, b, &a) || a > INT64_MAX ? INT64_MAX : a;
}

static inline void branch_counts__add(struct branch_counts *to, const struct branch_counts *from)
{
	to->records = branch_sum(to->records, from->records);
	to->foreseen = branch_sum(to->foreseen, from->foreseen);
	to->mispredicted = branch_sum(to->mispredicted, from->mispredicted);
	to->timed = branch_sum(to->timed, from->timed);
	to->cycles = branch_sum(to->cycles, from->cycles);
}

struct branch_pair {
	struct frame from, to;
	uint64_t kind; /* enum branch_kind */
	struct branch_counts counts;
	uint32_t ids[2]; /* of both in a profile: branch_records__in_profile() */
};

struct branch_records;

/* limit: bytes of memory; 0: any. */
struct branch_records *branch_records__new(size_t limit);
struct branch_records *
branch_records__free(struct branch_records *b); /* NULL is fine; returns NULL */
/* False: there is no room for another pair, so it is counted as [other]. */
bool branch_records__add(struct branch_records *b, enum branch_kind kind, const struct frame *from,
			 const struct frame *to, const struct branch_counts *counts);
/* Borrowed until the next change; in the order in which they were met. */
size_t branch_records__pairs(const struct branch_records *b, const struct branch_pair **ret);
/* What found no room. */
struct branch_counts branch_records__other(const struct branch_records *b, enum branch_kind kind);
/* Gives the places numbers as frames of the profile, so that they are named with all others. NULL
 * is fine. */
void branch_records__in_profile(struct branch_records *b, struct profile *profile);
size_t branch_records__bytes(const struct branch_records *b);

#endif
