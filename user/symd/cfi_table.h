/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rows in the order of the code, made into the unwind table of a file (pmubpf/unwind.h): rules that
 * are equal stored once, rows in pages that each stand for themselves. Memory is that of the table.
 */
#ifndef PMUBPF_SYMD_CFI_TABLE_H
#define PMUBPF_SYMD_CFI_TABLE_H

#include "base/buf.h"
#include "symd/cfi.h"

enum {
	TABLE_PAGES_MAX = 1 << 20, /* 64 GiB of code */
	TABLE_ROWS_MAX = 1 << 21,
};

struct cfi_table {
	uint32_t *rows;
	size_t n_rows, cap_rows;
	struct pmb_unwind_page *pages;
	size_t n_pages, cap_pages;
	struct pmb_unwind_rule *rules;
	size_t n_rules, cap_rules;
	uint32_t *buckets; /* numbers of rules by hash, 0: none */
	uint64_t first_page;
	uint32_t active; /* the rule that holds after the last row */
	uint32_t n_unsupported;
	uint32_t n_bad; /* set by the caller */
	int err;        /* -EFBIG: beyond the limits; the table is of no use */
};

void cfi_table__init(struct cfi_table *t);
void cfi_table__done(struct cfi_table *t);

/* Offsets ascend. A cfi_row_fn, with t as its context. Rules beyond the 65,536th that are new
 * become PMB_CFA_UNSUPPORTED. */
void cfi_table__add(void *t, uint64_t file_off, const struct pmb_unwind_rule *rule);
/* After the last row, which must be PMB_CFA_NONE. 0 or -EFBIG. */
int cfi_table__finish(struct cfi_table *t, struct pmb_table_head *ret);
/* Writes head, pages, rules, rows, and the runtime if the head says so. 0 or negative errno. */
int cfi_table__write(const struct cfi_table *t, const struct pmb_table_head *head,
		     const struct pmb_runtime *runtime, int fd);

#endif
