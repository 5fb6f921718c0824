/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Jumps between rows of a listing, drawn beside it with plain characters. */
#ifndef PMUBPF_RENDER_JUMPS_H
#define PMUBPF_RENDER_JUMPS_H

#include <stddef.h>

#include "base/buf.h"

enum {
	JUMPS_MAX = 512, /* drawn; of more the shortest ones */
	JUMP_LANES = 6,  /* side by side; what finds no room isn't drawn */
	JUMPS_WIDTH = JUMP_LANES + 1,
};

struct jump {
	size_t from, to; /* rows */
	unsigned lane;   /* 0: nearest to the rows */
};

struct jumps {
	struct jump *list;
	size_t n, cap;
};

void jumps__add(struct jumps *j, size_t from, size_t to);
/* Gives each its lane; those that find none go. */
void jumps__settle(struct jumps *j);
/* Appends JUMPS_WIDTH characters for that row: where jumps leave it, lead to it ('>') and pass. */
void jumps__draw(const struct jumps *j, size_t row, struct buf *out);
/* The same between that row and the next. */
void jumps__draw_between(const struct jumps *j, size_t row, struct buf *out);
void jumps__done(struct jumps *j);

#endif
