/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The room for tables is shared by whatever runs. Who holds how much of it, which tables samples go
 * through, and which of them have to go where there is no room for another:
 * docs/design/0020-room-for-tables.md. Nothing here touches a table.
 */
#ifndef PMUBPF_UNWIND_SHARES_H
#define PMUBPF_UNWIND_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmubpf/budgets.h"

/* What a table takes. */
struct table_room {
	uint32_t pages, rules, rows;
};

enum {
	SHARES_SAMPLE = 1 << 10, /* the credit of one sample: its tables have equal parts of it */
	SHARES_OF_CGROUP =
		BUDGET_TABLES_OF_CGROUP, /* a cgroup's share is one in so many of all there is */
	SHARES_OF_FILE =
		/* a file, all its parts, never has more than that of pages or rows */
	BUDGET_TABLES_OF_FILE,
	SHARES_RULES_OF_FILE =
		/* and of rules; the most that was met, in 250 large files: 1,293 of 131,072 */
	BUDGET_RULES_OF_FILE,
};

/* Who wants room. By numbers of unwind/parts.h, as everything here; file: one for all its parts. */
struct claim {
	uint32_t number;
	uint32_t file;
	uint64_t cgroup;
	struct table_room need;
};

/* Where a table lies: pages and rules in one piece each, rows wherever there are some. */
struct table_offsets {
	uint32_t pages_at, rules_at;
};

struct shares;

struct shares *shares__new(const struct table_room *all);
struct shares *shares__free(struct shares *s); /* NULL is fine; returns NULL */

/* There is less room than was thought. */
void shares__resize(struct shares *s, const struct table_room *all);
/* It has got its table. */
void shares__hold(struct shares *s, const struct claim *claim, struct table_offsets offsets,
		  uint64_t now_ns);
/* Its table is gone. Returns since when it was there. */
uint64_t shares__release(struct shares *s, uint32_t number);
/* What it was given its table for. */
struct claim shares__claim(const struct shares *s, uint32_t number);
/* The number means another file from now on. */
void shares__forget(struct shares *s, uint32_t number);
/* False: more than one file may have. */
bool shares__may(const struct shares *s, const struct claim *claim);
/*
 * True while room is short, or may be soon: samples are to be counted. While it is plenty that
 * would be for nothing. The credit of a sample fades: half of it is gone after some seconds.
 */
bool shares__short(const struct shares *s);
void shares__credit(struct shares *s, uint32_t number, uint32_t credit);
uint32_t shares__credit_of(const struct shares *s, uint32_t number);
void shares__tick(struct shares *s, uint64_t now_ns);
/* True if nobody has to go for it (who went lately may still be in the way). */
bool shares__fits(const struct shares *s, const struct claim *claim);
/*
 * Whose tables have to go for the claim, that does not fit: their numbers, `ret` has room for
 * PMB_FILES_MAX. 0: it is not worth it. used: by number of a file, n_used of them: some process has
 * it mapped.
 */
size_t shares__victims(const struct shares *s, const struct claim *claim, const bool *used,
		       size_t n_used, uint32_t *ret);

#endif
