/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's symbols, read once for a recording, by a thread beside it: reading them takes the kernel 30 to
 * 200 ms, which neither the first sample nor the last shall wait for.
 */
#ifndef PMUBPF_SYM_KERNEL_NAMES_H
#define PMUBPF_SYM_KERNEL_NAMES_H

#include "sym/kallsyms.h"

struct kernel_names;

struct kernel_names *kernel_names__new(void);
struct kernel_names *kernel_names__free(struct kernel_names *k);

/* Begins to read them, unless that was done before. */
void kernel_names__begin(struct kernel_names *k);
/* As read for the first time; waits until they are. NULL: they can't be read. */
const struct kallsyms *kernel_names__get(struct kernel_names *k);
/* Of an address that was sampled since: read again if it may belong to code that came after the first reading
 * (a module, a BPF program). What was borrowed from the answer before is void then. */
void kernel_names__find(struct kernel_names *k, uint64_t addr, struct kernel_name *ret);

#endif
