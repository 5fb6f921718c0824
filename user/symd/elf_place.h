/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One place of code in a file: its function's bytes are read, and looked at (code_place.h); types
 * come from DWARF. */
#ifndef PMUBPF_SYMD_ELF_PLACE_H
#define PMUBPF_SYMD_ELF_PLACE_H

#include <stdint.h>

#include "pmubpf/operand.h"
#include "symd/elf_file.h"

void elf_place__find(struct elf_file *elf, uint64_t file_off, enum pmb_skid skid, bool types,
		     struct pmb_place *ret);

#endif
