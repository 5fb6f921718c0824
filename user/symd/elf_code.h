/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The instructions of an ELF file, and where its functions begin as far as it says, for
 * code_frames.h. */
#ifndef PMUBPF_SYMD_ELF_CODE_H
#define PMUBPF_SYMD_ELF_CODE_H

#include <gelf.h>

#include "symd/code_frames.h"

struct elf_code {
	int fd; /* borrowed, as is elf */
	Elf *elf;
	bool sane;                   /* its sections are those of a linker */
	const struct cfi_code *code; /* segments: sorted, disjoint; borrowed */
	size_t n_code;
	/* of this file's own */
	struct paged *parts;
	size_t n_parts;
	struct code_frames *frames; /* made when first needed */
	bool swept;
};

/* A cfi_fill_fn, with a struct elf_code as its context. */
void elf_code__fill(void *code, uint64_t file_off, uint64_t end, const struct pmb_unwind_rule *gap,
		    cfi_row_fn row, void *ctx);
/* The same for cfi__set_fill_small: nothing else of the file is read, nor kept. */
void elf_code__fill_small(void *code, uint64_t file_off, uint64_t end,
			  const struct pmb_unwind_rule *gap, cfi_row_fn row, void *ctx);
/* Gives back what is in memory of its bytes; what was learnt of them stays. */
void elf_code__rest(struct elf_code *c);
void elf_code__done(struct elf_code *c);

#endif
