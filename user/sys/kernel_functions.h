/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's functions, by name. */
#ifndef PMUBPF_SYS_KERNEL_FUNCTIONS_H
#define PMUBPF_SYS_KERNEL_FUNCTIONS_H

/* How many functions of that name /proc/kallsyms has, those of modules among them; -errno: it can't
 * be read. */
int kernel_functions_called(const char *name);

#endif
