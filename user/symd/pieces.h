/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* DWARF: a variable that lies in several places, in registers and in memory, a part in each. */
#ifndef PMUBPF_SYMD_PIECES_H
#define PMUBPF_SYMD_PIECES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct piece {
	const Dwarf_Op *ops; /* where it is, as if it were a variable of its own; borrowed */
	size_t n;            /* 0: nowhere */
	uint64_t off, size;  /* in the variable, in bytes */
};

/* Of a location's n operations; ret begins as {0}. False: there is no further one, or what is left
 * isn't pieces of whole bytes. */
bool piece__next(const Dwarf_Op *ops, size_t n, struct piece *ret);

#endif
