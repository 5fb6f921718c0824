/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What code is written in, as far as that can be seen. */
#ifndef PMUBPF_PROF_LANGUAGE_H
#define PMUBPF_PROF_LANGUAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "prof/prof.h"

/* Of code that a JIT made, by its name; "jit": it can't be told. */
const char *prof_jit_language(const char *name);
/* "native", "kernel", "python", "java", "javascript"; "jit": one that can't be told; NULL: it is no
 * code. */
const char *prof__language(const struct prof *p, uint32_t location);
/* Of a file, by its name without folders: the C library, an interpreter of Python. */
bool prof_is_libc(const char *module);
bool prof_is_python(const char *module);

#endif
