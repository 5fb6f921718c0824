/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Unwind rules of x86-64 code that nothing describes, read off its instructions: musl's C library,
 * assembler, programs built with -fno-asynchronous-unwind-tables. What they do to the stack pointer
 * is followed along the code and across its jumps; where that gets lost, no more is said than
 * without it.
 *
 * 	code_frames__new → code_frames__add… → code_frames__start… → code_frames__sweep → code_frames__emit…
 */
#ifndef PMUBPF_SYMD_CODE_FRAMES_H
#define PMUBPF_SYMD_CODE_FRAMES_H

#include "symd/cfi.h"

enum { CODE_FRAMES_MAX = 32 << 20 }; /* bytes of code of a file; what is beyond isn't read */

struct code_frames;

struct code_frames *code_frames__new(void);
struct code_frames *code_frames__free(struct code_frames *f); /* NULL is fine; returns NULL */

/* Instructions; bytes are borrowed until code_frames__free. Ascending by file_off, disjoint. paged:
 * NULL, or where bytes have to be asked for. */
void code_frames__add(struct code_frames *f, const uint8_t *bytes, struct paged *paged,
		      const struct cfi_code *where);
/* A function begins there (or nowhere in the code). */
void code_frames__start(struct code_frames *f, uint64_t vaddr);
/* The same, for all that the code calls or takes the address of. */
void code_frames__sweep(struct code_frames *f);

/* How many of the bytes fill up the space before a function. */
size_t code_frames__padding(const uint8_t *bytes, size_t len);

/* The rows for [file_off, end), the first of them at file_off. gap: the rule where nothing is
 * known. */
void code_frames__emit(struct code_frames *f, uint64_t file_off, uint64_t end,
		       const struct pmb_unwind_rule *gap, cfi_row_fn row, void *ctx);

#endif
