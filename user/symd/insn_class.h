/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which class a single instruction is of, in the words that blocks have. */
#ifndef PMUBPF_SYMD_INSN_CLASS_H
#define PMUBPF_SYMD_INSN_CLASS_H

#include <stddef.h>
#include <stdint.h>

#include "pmubpf/block_class.h"
#include "symd/insn_data.h"

/* Reads it, too; o->len is 0 if it is no instruction. Of what is only computed, or not known, it is
 * PMB_BLOCK_INTEGER. */
enum pmb_block_class insn_class__read(enum insn_set set, const uint8_t *bytes, size_t len,
				      struct insn_data *o);

/* PMB_BLOCK_NONE: it is none that marks a block. */
enum pmb_block_class x86_mark(const uint8_t *bytes, size_t len);
enum pmb_block_class arm64_mark(uint32_t word);
enum pmb_block_class riscv64_mark(uint32_t word);

#endif
