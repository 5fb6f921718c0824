/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What types of standard libraries are called by who uses them: "std::string", and not all that it
 * is an instance of. Pure. */
#ifndef PMUBPF_SYMD_SHORT_NAMES_H
#define PMUBPF_SYMD_SHORT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Whether the character begins or ends arguments of a template: of operator<, and of ->, it
 * doesn't. */
bool name_is_bracket(const char *name, size_t i);
/* Appends the name of a type without the arguments that nobody wrote (allocators, orders, hashes),
 * and without namespaces that nobody sees. A name that makes no sense is appended as it is. */
void short_name__put(struct buf *b, const char *name);

#endif
