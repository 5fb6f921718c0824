/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How a type lies in memory, by DWARF: all its members and theirs, as text. */
#ifndef PMUBPF_SYMD_DATA_LAYOUT_H
#define PMUBPF_SYMD_DATA_LAYOUT_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "base/buf.h"
#include "symd/type_names.h"
#include "symd/type_walk.h"

/*
 * Appends what model/type_layout.h describes, of at most BUDGET_LAYOUT_MEMBERS members and
 * BUDGET_LAYOUT_KIB; members are called as data_types__find() calls them. False, and nothing is
 * appended: the type has no members, or its size isn't known.
 */
bool data_layout__put(struct type_walk *types, struct type_names *names, Dwarf_Die type,
		      struct buf *ret);

#endif
