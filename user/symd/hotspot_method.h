/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What HotSpot's methods say of themselves, by their addresses:
 *
 *	Method ──► ConstMethod ──► its name, class and source file; bytecodes, then its line table
 *
 * What was read is kept, for the process may end before it is told; what lies at an address is read
 * again when it is another one's by now: when it has another name.
 */
#ifndef PMUBPF_SYMD_HOTSPOT_METHOD_H
#define PMUBPF_SYMD_HOTSPOT_METHOD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "symd/hotspot_layout.h"
#include "symd/target_memory.h"

enum {
	HOTSPOT_METHODS_MAX = 64 * 1024, /* that are kept */
	HOTSPOT_LINES_MAX = 16 * 1024,   /* bytes of a line table, */
	HOTSPOT_LINES_ALL = 16 << 20,    /* and of all */
	HOTSPOT_FILE_MAX = 255,          /* bytes of a source file's name */
};

struct hotspot_method;
struct hotspot_methods;

struct hotspot_methods *hotspot_methods__new(void);
struct hotspot_methods *hotspot_methods__free(struct hotspot_methods *m); /* returns NULL */
/* NULL: it isn't one, or there is no room. */
const struct hotspot_method *hotspot_methods__get(struct hotspot_methods *all,
						  struct target_memory *memory,
						  const struct hotspot_layout *layout,
						  uint64_t method);
/* The offset of a bytecode whose address ends in these bits; -1: it is none of the method's. */
int32_t hotspot_method__offset(const struct hotspot_method *m, uint16_t bytecode);
/* Appends its name, or (line of bytecode bci known: true) name, tab, file, tab, line. */
bool hotspot_method__put(const struct hotspot_method *m, int32_t bci, struct buf *to);

#endif
