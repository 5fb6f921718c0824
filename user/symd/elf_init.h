/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * .init and .fini: made by the linker from crti.o, what lies between, and crtn.o, and described by
 * nobody. Libraries call their constructors from there, so whole start-ups lie below.
 */
#ifndef PMUBPF_SYMD_ELF_INIT_H
#define PMUBPF_SYMD_ELF_INIT_H

#include <stddef.h>
#include <stdint.h>

#include "symd/cfi.h"

/* Adds the rules of such a section, if it has the shape that is known (x86-64). 0 or -EFBIG. */
int elf_init__add(struct cfi *cfi, uint64_t vaddr, const uint8_t *code, size_t len);

#endif
