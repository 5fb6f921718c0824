/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What HotSpot's methods are called: "java.lang.String::hashCode". Control characters, which names
 * of classes may have, become "?". */
#ifndef PMUBPF_SYMD_HOTSPOT_NAME_H
#define PMUBPF_SYMD_HOTSPOT_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symd/hotspot_layout.h"
#include "symd/target_memory.h"

/* Of a Method at that address; false: it can't be read. */
bool hotspot_name__of_method(struct target_memory *memory, const struct hotspot_layout *layout,
			     uint64_t method, char *ret, size_t max);
/* The source file of its class; false: it isn't known. */
bool hotspot_name__of_file(struct target_memory *memory, const struct hotspot_layout *layout,
			   uint64_t method, char *ret, size_t max);
/* Of code that is no method's, from what HotSpot calls it. */
void hotspot_name__of_stub(const char *name, char *ret, size_t max);

#endif
