/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of the kernel's code, each address looked up once. The kernel is asked
 * (collect/kernel_ask.h) or, where it can't be, its symbols are read while there is nothing else to
 * do: that takes 30 to 200 ms, which neither the first sample nor the last shall wait for.
 */
#ifndef PMUBPF_SYM_KERNEL_NAMES_H
#define PMUBPF_SYM_KERNEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sym/kallsyms.h"

struct kernel_names;

struct kernel_names *kernel_names__new(void);
struct kernel_names *kernel_names__free(struct kernel_names *k);

/* While there are privileges, as soon as it's likely that names will be wanted. More than once does
 * no harm. */
void kernel_names__begin(struct kernel_names *k);
/* Whether the kernel names its addresses: nothing has to be read. */
bool kernel_names__asks(const struct kernel_names *k);
/* Whether there is more to read of what was begun; to be read on while there is nothing else to
 * do. */
bool kernel_names__reading(const struct kernel_names *k);
void kernel_names__read_on(struct kernel_names *k); /* for a millisecond or so */
/* Reads all symbols now, and asks for none: the same answers however often a recording is
 * replayed. */
void kernel_names__read(struct kernel_names *k);
/* These will be wanted soon: asking for many at once is cheaper. */
void kernel_names__expect(struct kernel_names *k, const uint64_t *addrs, size_t n);
/* Of an address that was sampled since: read again if it may belong to code that came after the
 * first reading (a module, a BPF program). What was borrowed from the answer before is void
 * then. */
void kernel_names__find(struct kernel_names *k, uint64_t addr, struct kernel_name *ret);

#endif
