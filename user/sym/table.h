/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An unwind table (pmubpf/unwind.h) as the helper process sent it. Hostile until checked;
 * afterwards every index in it may be followed blindly, also by the overflow program.
 */
#ifndef PMUBPF_SYM_TABLE_H
#define PMUBPF_SYM_TABLE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmubpf/unwind.h"

enum {
	UNWIND_TABLE_PAGES_MAX = 1 << 20,
	UNWIND_TABLE_ROWS_MAX = 1 << 21,
};

/* Pages' rows follow one another: page i + 1 begins where page i ends. */
struct unwind_table {
	struct pmb_table_head head;
	const struct pmb_unwind_page *pages;
	const struct pmb_unwind_rule *rules;
	const __u32 *rows;
	void *memory;               /* what the three point into; owned by the table, may be NULL */
	struct pmb_runtime runtime; /* if head.has_runtime */
};

/*
 * bytes: aligned to 8, borrowed by *ret. 0, or -EPROTO unless
 *   - the counts of the head are within their limits, and add up to len exactly;
 *   - pages' runs follow one another, are no longer than PMB_UNWIND_ROW_MAX, and use up all rows;
 *   - each run begins with low 0 and ascends; every row's rule exists;
 *   - the numbers in rules are of their lists, their registers of struct arch_regs;
 *   - what the runtime says lies within its limits (pmubpf/python.h).
 */
int unwind_table__check(const void *bytes, size_t len, struct unwind_table *ret);

/* Of head and all that it announces. */
uint64_t unwind_table__bytes(const struct pmb_table_head *head);

/* Copies the table out of fd (borrowed, of memory_file__new()) and checks the copy. 0, -EPROTO, or
 * another negative errno. */
int unwind_table__read(int fd, struct unwind_table *ret);
void unwind_table__done(struct unwind_table *t);

#endif
