/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A whole file in memory, uncompressed if it is gzip'd, and never more than a stated number of
 * bytes. */
#ifndef PMUBPF_PROF_INFLATE_H
#define PMUBPF_PROF_INFLATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* From where the file stands to its end; several gzip members are one text, and what follows them
 * and is no gzip is left out, as gzip does. The caller frees *ret. `name` is for err. -EFBIG: there
 * is more than max_bytes. */
int inflate_file(int fd, const char *name, uint64_t max_bytes, uint8_t **ret, size_t *ret_len,
		 struct err *err);

#endif
