/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the kernel's tracing file system says of tracepoints, wherever it is mounted. */
#ifndef PMUBPF_SYS_TRACEFS_H
#define PMUBPF_SYS_TRACEFS_H

#include <stdbool.h>
#include <stdint.h>

/* The number by which perf_event_open knows CATEGORY:NAME. -ENODEV: tracefs isn't mounted, -ENOENT:
 * there is no such tracepoint, -EACCES: it may not be read. */
int tracepoint_id(const char *category, const char *name, uint64_t *ret_id);
bool tracepoint_has_category(const char *category);

#endif
