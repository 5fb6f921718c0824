/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jit-PID.dump, which a JIT writes for perf (its jitdump format, version 1): a header, then records
 * of code that was made or moved, with the code itself. Read are the names and where the code lay;
 * what comes later wins, as in perf maps. Only of this machine's byte order.
 */
#ifndef PMUBPF_SYMD_JITDUMP_H
#define PMUBPF_SYMD_JITDUMP_H

#include "symd/perf_map.h"

enum {
	JITDUMP_RECORDS_MAX = 4 * 1024 * 1024, /* what comes after isn't read */
	JITDUMP_NAME_MAX = PERF_MAP_NAME_MAX,
};

/* As perf_map__offer(). 0, or a negative errno (-EINVAL: no jitdump). A record that makes no sense
 * ends it: there is no telling where the next one begins. */
int jitdump__offer(int fd, struct asked *asked);
/* As ELF files have it. */
unsigned jitdump__machine(int fd);
/* Where the bytes of the code stand whose name was offered as that; 0: that is no such record. */
uint64_t jitdump__code_at(int fd, uint64_t name, uint64_t size);

#endif
