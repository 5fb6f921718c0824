/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's own answer to what lies at an address of its code: a few hundred nanoseconds for
 * each, where reading all of /proc/kallsyms takes 60 ms of CPU time and some megabytes. Kernels
 * since 5.13.
 */
#ifndef PMUBPF_COLLECT_KERNEL_ASK_H
#define PMUBPF_COLLECT_KERNEL_ASK_H

#include <stddef.h>
#include <stdint.h>

struct kernel_ask;

/* Needs CAP_BPF and CAP_PERFMON. NULL: this kernel can't be asked, or not by us. */
struct kernel_ask *kernel_ask__new(void);
struct kernel_ask *kernel_ask__free(struct kernel_ask *ask);

/* As the kernel prints them: "symbol+0x1f/0x80 [module]" or, without a name, "0x…". texts[i] is
 * borrowed until the next call, n at most KERNEL_ASK_MAX. Negative errno: there are no answers.
 * Wants CAP_BPF below 5.19. */
enum { KERNEL_ASK_MAX = 64 };
int kernel_ask__texts(struct kernel_ask *ask, const uint64_t *addrs, size_t n, const char **texts);

#endif
