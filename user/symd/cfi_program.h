/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The programs of call frame information, DWARF 5, 6.4.2: each instruction says what changes, and
 * where. */
#ifndef PMUBPF_SYMD_CFI_PROGRAM_H
#define PMUBPF_SYMD_CFI_PROGRAM_H

#include "symd/cfi_entry.h"

struct cfi_row {
	uint64_t vaddr;
	struct pmb_unwind_rule rule;
};

struct cfi_rows {
	struct cfi_row *rows; /* ascending; neighbours differ */
	size_t n, cap;
};

/* Runs the CIE's own program into cie->initial. False: it contradicts itself. */
bool cfi_program__initial(enum cfi_machine machine, const struct cfi_section *s,
			  struct cfi_cie *cie);
/* Fills `rows` (whose memory is reused) with those of [fde->start, fde->end). False: the FDE
 * contradicts itself, and its rows are to be left out. */
bool cfi_program__run(enum cfi_machine machine, const struct cfi_section *s,
		      const struct cfi_cie *cie, const struct cfi_fde *fde, struct cfi_rows *rows);

#endif
