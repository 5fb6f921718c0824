/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names for the stubs through which a program calls other files: `memcpy@plt`. x86-64, arm64. */
#ifndef PMUBPF_SYMD_ELF_PLT_H
#define PMUBPF_SYMD_ELF_PLT_H

#include "symd/asked.h"
#include "symd/elf_bytes.h"

/* Offers the stubs that hold addresses, marked as such, with names of dynsym, which is `table`.
 * After asked__settle(); for files that passed elf_sections__sane(). */
void elf_plt__offer(const struct elf_bytes *from, Elf_Scn *dynsym, uint8_t table,
		    struct asked *asked);

#endif
