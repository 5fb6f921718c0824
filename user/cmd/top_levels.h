/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where one has got to on the screen: a view, and those that it was come to from. Going into a row
 * makes a view of what it is, going back forgets it.
 */
#ifndef PMUBPF_CMD_TOP_LEVELS_H
#define PMUBPF_CMD_TOP_LEVELS_H

#include "cmd/top_view.h"

struct level {
	struct top_view view;
	char *by, *about, *label, *title; /* ours */
	char *filter;                     /* of names of rows; "": all; ours */
	size_t cursor, first;             /* the row it is on, and that at the top */
};

struct levels {
	struct level list[16];
	size_t n;
};

void levels__init(struct levels *levels, const struct top_view *first);
void levels__done(struct levels *levels);
struct level *levels__now(struct levels *levels);

/* Of a process, thread or container: its functions; else who calls the row's function. row is one
 * of rows->group. False: there is nothing in it, or no room for more levels. */
bool levels__into(struct levels *levels, const struct top_rows *rows, uint32_t row);
/* Who calls it, and what it calls, as trees. */
bool levels__callers(struct levels *levels, const struct top_rows *rows, uint32_t row);
bool levels__callees(struct levels *levels, const struct top_rows *rows, uint32_t row);
/* Other rows of the same samples. */
void levels__by(struct levels *levels, const char *by);
bool levels__back(struct levels *levels);

#endif
