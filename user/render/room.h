/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Formats that write out every name of every stack grow with the length of names, which programs
 * choose. They get so much room: what is heaviest stays, the rest becomes [other], and no weight is
 * lost.
 */
#ifndef PMUBPF_RENDER_ROOM_H
#define PMUBPF_RENDER_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmubpf/budgets.h"

/* Of the room, for the rows [other] of commands; each takes about as much. */
enum { ROOM_OTHERS_PART = BUDGET_OTHERS_PART, ROOM_OTHER_BYTES = 256 };

struct room_item {
	uint64_t bytes;
	int64_t weight;
};

/* What did not fit; counted on. */
struct room_cut {
	uint64_t lines;
	int64_t weight; /* as printed */
};

void room_cut__add(struct room_cut *cut, const struct room_item *item); /* NULL is fine */

/* The numbers of the items, the heaviest first; the caller frees them. */
size_t *room__order(const struct room_item *items, size_t n);

/* Sets give_up[i] for those that don't fit into max_bytes (0: all fit), the lightest first; cut may
 * be NULL. True if there are any. */
bool room__share(const struct room_item *items, size_t n, uint64_t max_bytes, bool *give_up,
		 struct room_cut *cut);

#endif
