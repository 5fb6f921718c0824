/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's symbols, a few of them, by name: /proc/kallsyms is read for each. */
#ifndef PMUBPF_SYS_KERNEL_SYMBOLS_H
#define PMUBPF_SYS_KERNEL_SYMBOLS_H

#include <stdint.h>

/* How many functions of that name there are, those of modules among them; -errno: it can't be
 * read. */
int kernel_functions_called(const char *name);
/* Where the last symbol of that name is; of a variable that each CPU has, its place among these.
 * -ENOENT: nowhere, or this kernel keeps no symbols of data, or hides them. */
int kernel_symbol_addr(const char *name, uint64_t *ret);

#endif
