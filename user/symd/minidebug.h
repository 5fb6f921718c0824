/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* .gnu_debugdata: an ELF file with the symbols that .dynsym lacks, compressed with xz. */
#ifndef PMUBPF_SYMD_MINIDEBUG_H
#define PMUBPF_SYMD_MINIDEBUG_H

#include <stddef.h>

enum { MINIDEBUG_MAX = 32 * 1024 * 1024 }; /* bytes it may inflate to */

/* Inflates one .xz stream. ret is the caller's to free. -EINVAL: damaged; -EFBIG: grows too
 * large. */
int minidebug__inflate(const void *data, size_t len, void **ret, size_t *ret_len);

#endif
