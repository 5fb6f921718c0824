/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which build the running kernel is: its build-id, from /sys/kernel/notes. */
#ifndef PMUBPF_SYS_KERNEL_ID_H
#define PMUBPF_SYS_KERNEL_ID_H

#include <stdbool.h>
#include <stddef.h>

enum { KERNEL_ID_BYTES = 64, KERNEL_ID_TEXT = 2 * KERNEL_ID_BYTES + 1 };

/* As hexadecimal digits; false: it doesn't say. */
bool kernel_id(char ret[static KERNEL_ID_TEXT]);
/* The same of notes that were read. */
bool kernel_id__of(const void *notes, size_t len, char ret[static KERNEL_ID_TEXT]);

#endif
