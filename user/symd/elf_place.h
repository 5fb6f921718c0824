/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One place of code in a file: its function's bytes are read, and looked at (code_place.h); types
 * come from DWARF. */
#ifndef PMUBPF_SYMD_ELF_PLACE_H
#define PMUBPF_SYMD_ELF_PLACE_H

#include <stdint.h>

#include "pmubpf/operand.h"
#include "symd/elf_file.h"
#include "symd/elf_objects.h"

/* objects: NULL: nobody wants to know which. */
void elf_place__find(const struct elf_file *elf, struct elf_objects *objects, uint64_t file_off,
		     enum pmb_skid skid, struct pmb_place *ret);

#endif
