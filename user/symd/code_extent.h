/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How long an x86-64 function is that doesn't say so: assembler without .size. */
#ifndef PMUBPF_SYMD_CODE_EXTENT_H
#define PMUBPF_SYMD_CODE_EXTENT_H

#include <stddef.h>
#include <stdint.h>

/*
 * The function begins at vaddr with these bytes. It ends behind the first instruction after which
 * nothing comes and over which no jump of its own leads. 0: that isn't within len, or it is no
 * code.
 */
size_t code_extent(const uint8_t *bytes, size_t len, uint64_t vaddr);

#endif
