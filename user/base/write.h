/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Writing, however often the kernel takes only a part. */
#ifndef PMUBPF_BASE_WRITE_H
#define PMUBPF_BASE_WRITE_H

#include <stddef.h>

/* All len bytes. 0 or a negative errno: then a part of them may be written. */
int write_all(int fd, const void *data, size_t len);

#endif
