/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* DWARF (2 to 5): in which function an entry of .debug_info stands. */
#ifndef PMUBPF_SYMD_SCOPE_OF_H
#define PMUBPF_SYMD_SCOPE_OF_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "symd/type_walk.h"

/* The innermost one, inlined or not. False: in none. */
bool scope_of(struct type_walk *w, Dwarf_Die *die, Dwarf_Die *ret);
/* As the linker has it, if it says so; NULL: it has no name. Borrowed from the Dwarf. */
const char *scope_name(Dwarf_Die *function);
/* Where a function is entered. 0: it has no code, or doesn't say. */
uint64_t scope_entry(Dwarf_Die *function);

#endif
