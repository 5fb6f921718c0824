/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The texts of names, each once however many frames have it, for as long as the set lives. Programs
 * choose them, so they are bounded: in length (what is longer is cut, and says so), and all
 * together.
 */
#ifndef PMUBPF_SYM_TEXTS_H
#define PMUBPF_SYM_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmubpf/budgets.h"

enum {
	TEXT_MAX = BUDGET_NAME_BYTES, /* bytes of a name, with the mark of what is cut */
	TEXT_SHORT = 96,              /* the same, of a group that has used up its share */
	TEXTS_GROUPS_FULL =
		BUDGET_NAMES_SHARE, /* so many groups of names with full shares fill the set */
};

struct texts;

struct texts *texts__new(size_t limit_bytes); /* 0: any */
struct texts *texts__free(struct texts *t);   /* NULL is fine; returns NULL */

/* The same text has the same address. Never fails: who adds what a program chose asks for room
 * first. */
const char *texts__add(struct texts *t, const char *text, size_t len);
/* However long it is, and not cut. NULL: there is no room for it. */
const char *texts__add_whole(struct texts *t, const char *text, size_t len);
/* False: it is full. Counts what is then refused. */
bool texts__has_room(struct texts *t);
/* What belongs to the names, and lies elsewhere. */
void texts__charge(struct texts *t, size_t bytes);
/* The names that follow are of another file or program. */
void texts__next_group(struct texts *t);

struct texts_totals {
	uint64_t bytes, cut, refused;
};
struct texts_totals texts__totals(const struct texts *t);

#endif
