/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's symbols, a few of them, by name: /proc/kallsyms is read each time. */
#ifndef PMUBPF_SYS_KERNEL_SYMBOLS_H
#define PMUBPF_SYS_KERNEL_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

/* How many functions of that name there are, those of modules among them; -errno: it can't be
 * read. */
int kernel_functions_called(const char *name);
/* Where the last symbol of each name is; of a variable that each CPU has, its place among these.
 * -ENOENT: one is nowhere, or this kernel keeps no symbols of data, or hides them. */
int kernel_symbols_at(const char *const *names, size_t n, uint64_t *ret);

#endif
