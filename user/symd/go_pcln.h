/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What Go's table of its functions says of stacks: how far from its frame's end the stack pointer
 * is, for each instruction. Go's code keeps
 * frame pointers, but not in functions without a frame, and its assembly uses the register for
 * anything (crypto's hashes).
 *
 * Every byte is hostile; time is linear in the code, memory a few pages. No more is said than
 * without the table where it is damaged, or of what changes stacks.
 */
#ifndef PMUBPF_SYMD_GO_PCLN_H
#define PMUBPF_SYMD_GO_PCLN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symd/cfi.h"
#include "symd/go_table.h"

struct go_pcln {
	struct go_table table;
	/* Of the caller; borrowed. */
	uint64_t text;               /* the first function's vaddr, where the table doesn't say */
	const struct cfi_code *code; /* segments: sorted, disjoint */
	size_t n_code;
};

/* True: it is such a table, and fits the code. */
bool go_pcln__open(struct go_pcln *g);
/* A cfi_fill_fn, with a struct go_pcln that is open as its context. */
void go_pcln__fill(void *go_pcln, uint64_t file_off, uint64_t end,
		   const struct pmb_unwind_rule *gap, cfi_row_fn row, void *ctx);

#endif
