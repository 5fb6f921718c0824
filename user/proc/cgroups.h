/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The cgroups that samples came from, by the id that the kernel gave: their paths, looked up at the first
 * sample, because the cgroup may be gone by the end.
 */
#ifndef PMUBPF_PROC_CGROUPS_H
#define PMUBPF_PROC_CGROUPS_H

#include <stdint.h>

struct cgroups;

/* Their ids are those of the hierarchy that tells containers apart: sys/cgroup.h. */
struct cgroups *cgroups__new(void);
struct cgroups *cgroups__free(struct cgroups *c);
/* Looks it up, the first time. */
void cgroups__meet(struct cgroups *c, uint64_t id);
/* "/system.slice/redis.service"; NULL: never met, or it had gone already. Borrowed. */
/* "" for v2, else a controller of v1; borrowed. */
const char *cgroups__hierarchy(const struct cgroups *c);
const char *cgroups__path(struct cgroups *c, uint64_t id);

#endif
