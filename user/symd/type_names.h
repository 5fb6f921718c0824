/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* DWARF (2 to 5): what types are called, with the namespaces and classes that they stand in. */
#ifndef PMUBPF_SYMD_TYPE_NAMES_H
#define PMUBPF_SYMD_TYPE_NAMES_H

#include <elfutils/libdw.h>
#include <stddef.h>

#include "base/buf.h"
#include "symd/type_walk.h"

enum { TYPE_NAME_MAX = 160 }; /* bytes of a name, with all that it stands in */

/* Of the unit whose types were asked for last. Begins as {0}. */
struct type_names {
	const void *unit;
	struct type_scope *scopes;
	size_t n, cap;
};
void type_names__done(struct type_names *names);

/* As the language has it: "struct node", "int *[]", "app::node *". */
void type_names__put(struct type_names *names, struct type_walk *w, struct buf *b, Dwarf_Die type);
/* Appends the name, in TYPE_NAME_MAX bytes at most: what templates have as arguments goes where it
 * is too long, the innermost first: "std::map<int, std::pair<…> >". */
void type_names__bound(struct buf *b, const char *name);

#endif
