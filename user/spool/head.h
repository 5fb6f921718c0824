/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * When a window was, out of the first bytes of its file: which windows are of a range is known
 * without reading all of all of them. The file is not trusted.
 */
#ifndef PMUBPF_SPOOL_HEAD_H
#define PMUBPF_SPOOL_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HEAD_BYTES = 4096 }; /* of the file that are looked at */

/* time_ns since 1970, of a gzip'd profile.proto as we write it: both stand before its samples. */
bool window_head(const void *gzip, size_t len, int64_t *ret_time_ns, int64_t *ret_duration_ns);

#endif
