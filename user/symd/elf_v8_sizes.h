/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How long V8's bytecodes are, of a file that doesn't export the table any more (Node since 24.22):
 * so many bytes for operands of one byte, then of two, then of four. It tells itself by that: each
 * operand that grows does so by one byte and by three, and all begin with the same bytecodes.
 */
#ifndef PMUBPF_SYMD_ELF_V8_SIZES_H
#define PMUBPF_SYMD_ELF_V8_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#include "symd/elf_bytes.h"

enum {
	V8_WIDTHS = 3,
	V8_BYTECODES_LEAST = 160,
	V8_BYTECODES_MAX = 256,
	V8_SIZES_FILE_MAX = 256 << 20, /* bytes of constants that are looked through */
};

/* ret: V8_BYTECODES_MAX for each width; 0 behind the last bytecode. */
bool elf_v8_sizes__find(const struct elf_bytes *from, uint8_t ret[V8_WIDTHS * V8_BYTECODES_MAX]);
/* How many bytecodes the table has that begins there; 0: it is none. */
unsigned elf_v8_sizes__count(const uint8_t *at, size_t len);

#endif
