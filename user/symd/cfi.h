/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Call frame information (.eh_frame, .debug_frame) of one file, made into rows: from this offset in
 * the file on, this rule. Bytes in, rows out; where the bytes come from is elf_cfi.h's business.
 *
 * 	cfi__new → cfi__add_section… → cfi__emit → cfi__free
 *
 * Every byte is hostile. An FDE that contradicts itself or the file is left out as a whole, and
 * counted; where two claim the same code, the one that starts first has it. Time and memory are
 * linear in the size of the sections.
 */
#ifndef PMUBPF_SYMD_CFI_H
#define PMUBPF_SYMD_CFI_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmubpf/unwind.h"
#include "symd/paged.h"

enum cfi_machine {
	CFI_X86_64,
	CFI_ARM64,
};

enum {
	CFI_SECTION_MAX = 1 << 28, /* bytes of a section */
	CFI_SECTIONS_MAX = 4,
	CFI_ENTRIES_MAX = 1 << 19, /* FDEs of a range */
	/* Code between two functions is padding up to this size: it gets no row of its own, which
	 * would say that nothing is known, or guess. */
	CFI_PADDING_MAX = 63,
	/* …unless it is more than functions are aligned to as a rule, and code is read. */
	CFI_PADDING_MIN = 16,
	/* From this size on it is a runtime's code (V8's builtins have no entries), which keeps
	 * frame pointers; less may be assembler that uses the register for anything. */
	CFI_RUNTIME_MIN = 4096,
};

/* Executable bytes of the file: a segment. */
struct cfi_code {
	uint64_t file_off, vaddr, size;
};

struct cfi_section {
	const uint8_t *data; /* borrowed until cfi__free */
	size_t len;
	uint64_t vaddr;
	uint64_t data_base;  /* of DW_EH_PE_datarel; 0: unknown */
	bool is_debug;       /* .debug_frame's form */
	bool is_open;        /* its real length isn't known: a terminator ends it */
	struct paged *paged; /* NULL, or where data has to be asked for */
};

struct cfi;

/* code: sorted by file_off, disjoint; copied. */
struct cfi *cfi__new(enum cfi_machine machine, const struct cfi_code *code, size_t n_code);
struct cfi *cfi__free(struct cfi *cfi); /* NULL is fine; returns NULL */

/* Only what holds for offsets in [from, to) is wanted; before the first section. cfi__emit() says
 * the same of those as without it. */
void cfi__set_range(struct cfi *cfi, uint64_t from, uint64_t to);
/* Sections that come first win. -EFBIG: more than the limits allow. */
int cfi__add_section(struct cfi *cfi, const struct cfi_section *section);
/* Code whose rule is known otherwise; wins over what starts at the same place. */
int cfi__add_fixed(struct cfi *cfi, uint64_t vaddr, uint64_t size,
		   const struct pmb_unwind_rule *rule);
/* Where programs begin is no padding: what nothing describes has no rule from there on, however
 * short it is. */
void cfi__set_entry_point(struct cfi *cfi, uint64_t vaddr);
size_t cfi__n_entries(const struct cfi *cfi);

/* Offsets ascend. A row holds up to the next one. */
typedef void (*cfi_row_fn)(void *ctx, uint64_t file_off, const struct pmb_unwind_rule *rule);
/* Rows for [file_off, end), which no section describes, the first of them at file_off. */
typedef void (*cfi_fill_fn)(void *ctx, uint64_t file_off, uint64_t end,
			    const struct pmb_unwind_rule *gap, cfi_row_fn row, void *row_ctx);
/* anywhere: it can begin and end inside of what no section describes, and says the same. */
void cfi__set_fill(struct cfi *cfi, cfi_fill_fn fill, bool anywhere, void *ctx);
/* As fill, of what may be padding: then no rows, else the first of them where code begins. The same
 * context. */
void cfi__set_fill_small(struct cfi *cfi, cfi_fill_fn fill);
/* Once. gap: the rule of executable code that nothing describes. Returns how many FDEs were bad. */
uint32_t cfi__emit(struct cfi *cfi, const struct pmb_unwind_rule *gap, cfi_row_fn row, void *ctx);

#endif
