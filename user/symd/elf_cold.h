/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What compilers put elsewhere of a function: the part that jumps of it lead into, and that call
 * frame information knows as a piece of its own. x86-64; without symbols.
 */
#ifndef PMUBPF_SYMD_ELF_COLD_H
#define PMUBPF_SYMD_ELF_COLD_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "symd/elf_bytes.h"

/* The function's bytes are `size` at vaddr, and at file_off of the file. False: it has no such
 * part. */
bool elf_cold__find(const struct elf_bytes *from, uint64_t vaddr, uint64_t file_off, uint64_t size,
		    uint64_t *ret_from, uint64_t *ret_to);

#endif
