/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Some addresses, and for each the best of all symbols that are offered, one after the other, in
 * any order: what is kept depends on how many addresses were asked for, not on how many symbols a
 * file has.
 *
 * Which symbol wins an address: the higher prio; then the one that starts last (the innermost);
 * then the higher rank, the shorter name, the name that sorts first, so that aliases are chosen the
 * same way every time.
 */
#ifndef PMUBPF_SYMD_ASKED_H
#define PMUBPF_SYMD_ASKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ASKED_MAX = 4096 }; /* addresses at a time */

/* A symbol, all but its name, which whoever offers it finds again. */
struct candidate {
	uint64_t start, end; /* what it covers */
	uint64_t name;       /* an offset in the strings of table */
	uint32_t len;        /* of the name */
	uint32_t rank;
	uint32_t prio;
	uint8_t table;
	bool is_set;
	bool plt; /* not the function itself: the stub that calls it, to be shown as name@plt */
};

/* Fills in what is told by the name: len and rank. False: it is no symbol to be shown. */
typedef bool (*candidate_name_fn)(void *ctx, struct candidate *c);
/* Negative: a's name is the better one; both are of the same rank and len. */
typedef int (*candidate_compare_fn)(void *ctx, const struct candidate *a,
				    const struct candidate *b);

struct asked {
	uint64_t *addrs; /* ascending, no two the same */
	size_t n;
	size_t hint;            /* where the last symbol began */
	struct candidate *best; /* a tree: n inner nodes, then one for each address */
	candidate_name_fn name;
	candidate_compare_fn compare;
	void *ctx;
};

/* Copies the first addresses, ASKED_MAX at most. */
void asked__init(struct asked *a, const uint64_t *addrs, size_t n);
void asked__done(struct asked *a);

/* The first address that is not below addr. */
size_t asked__from(const struct asked *a, uint64_t addr);
/* To all addresses in [c.start, end). */
void asked__offer(struct asked *a, struct candidate c, uint64_t end);
/* To address i alone, also after they were settled. */
void asked__offer_one(struct asked *a, size_t i, struct candidate c);
/* After the last asked__offer(). */
void asked__settle(struct asked *a);
const struct candidate *asked__best(const struct asked *a, size_t i);

#endif
