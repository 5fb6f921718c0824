/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions of which a profile has the linker's name only. */
#ifndef PMUBPF_PROF_READABLE_H
#define PMUBPF_PROF_READABLE_H

#include <stddef.h>

#include "prof/prof.h"
#include "sym/sym.h"

/* Whether there are any: C++'s and Rust's, by how they begin. */
bool prof__has_mangled(const struct prof *p);
/* The helper demangles them; what it can't stays as it is. How many got no answer from it. */
size_t prof__demangle(struct prof *p, struct sym *sym);

#endif
