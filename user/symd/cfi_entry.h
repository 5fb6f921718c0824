/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The entries of a section of call frame information: CIEs (what functions share) and FDEs (one for
 * each function), DWARF 5, 6.4.1, and the Linux Standard Base for .eh_frame. */
#ifndef PMUBPF_SYMD_CFI_ENTRY_H
#define PMUBPF_SYMD_CFI_ENTRY_H

#include "base/cursor.h"
#include "symd/cfi.h"
#include "symd/cfi_state.h"

/* Between its length and the next one. */
struct cfi_entry {
	size_t at, next; /* offsets in the section, of its length and of the entry after it */
	bool is_cie;
	size_t cie_at; /* of an FDE; SIZE_MAX if it points nowhere */
	struct cursor body;
};

struct cfi_cie {
	size_t at;
	bool is_signal;
	uint8_t encoding; /* of an FDE's addresses */
	bool sized;       /* FDEs say how long their augmentation is */
	uint32_t ra_column;
	uint64_t code_factor;
	int64_t data_factor;
	struct cursor program;
	struct cfi_state initial; /* filled in by who runs the program */
};

struct cfi_fde {
	uint64_t start, end; /* virtual addresses; equal: none */
	struct cursor program;
};

/* 1: an entry; 0: the section's end, or a terminator; -EINVAL: what stands there can't be one. */
int cfi_entry__read(const struct cfi_section *s, size_t at, struct cfi_entry *ret);
/* The same for what stands at `at` or behind the terminators that stand there. */
int cfi_entry__next(const struct cfi_section *s, size_t at, struct cfi_entry *ret);
/* Both false if the entry is not understood. */
bool cfi_cie__read(const struct cfi_section *s, size_t at, struct cfi_cie *ret);
bool cfi_fde__read(const struct cfi_section *s, const struct cfi_entry *entry,
		   const struct cfi_cie *cie, struct cfi_fde *ret);

/* An address in one of the DW_EH_PE_ encodings, from a cursor over s. False: unusable. */
bool cfi_pointer__read(const struct cfi_section *s, struct cursor *c, uint8_t encoding,
		       uint64_t *ret);

#endif
