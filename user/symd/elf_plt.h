/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names for the stubs through which a program calls other files: `memcpy@plt`. x86-64, arm64. */
#ifndef PMUBPF_SYMD_ELF_PLT_H
#define PMUBPF_SYMD_ELF_PLT_H

#include <gelf.h>

#include "symd/symtab.h"

/* Adds the stubs of elf to t, marked as such; their names stay in elf. For files that passed
 * elf_sections__sane(). */
void elf_plt__read(Elf *elf, struct symtab *t);

#endif
