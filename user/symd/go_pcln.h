/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Go's own table of its functions, .gopclntab (of Go 1.18 and later), which also stripped programs
 * have: how far from its frame's end the stack pointer is, for each instruction. Go's code keeps
 * frame pointers, but not in functions without a frame, and its assembly uses the register for
 * anything (crypto's hashes). x86-64 only.
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

enum {
	GO_PCLN_WINDOW = 4096,
	GO_PCLN_FUNCS_MAX = 1 << 21,
};

/* A part of the table that was read. */
struct go_window {
	uint8_t bytes[GO_PCLN_WINDOW];
	uint64_t at;
	size_t len;
};

struct go_pcln {
	/* Of the caller; borrowed. */
	int fd;
	uint64_t file_off, size;     /* of the table in the file */
	uint64_t text;               /* the first function's vaddr, where the table doesn't say */
	const struct cfi_code *code; /* segments: sorted, disjoint */
	size_t n_code;
	/* Of this file's own. */
	uint64_t base; /* the vaddr that the functions' offsets start from */
	uint32_t n_funcs;
	uint64_t funcs, values; /* where the functions, and the values by pc, begin in the table */
	uint32_t flags_at;      /* of a function */
	struct go_window list, func, value;
};

/* Whether these 8 bytes are the first of such a table. */
bool go_pcln_begins(const uint8_t bytes[8]);
/* True: it is such a table, and fits the code. */
bool go_pcln__open(struct go_pcln *g);
/* A cfi_fill_fn, with a struct go_pcln that is open as its context. */
void go_pcln__fill(void *go_pcln, uint64_t file_off, uint64_t end,
		   const struct pmb_unwind_rule *gap, cfi_row_fn row, void *ctx);

#endif
