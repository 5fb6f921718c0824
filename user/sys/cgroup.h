/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From a cgroup's path, as a person writes it, to what the kernel side compares: an id, its level
 * below the root, and the hierarchy. v1, v2 and hybrid hosts.
 */
#ifndef PMUBPF_SYS_CGROUP_H
#define PMUBPF_SYS_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct cgroup_ref {
	uint64_t id;
	uint32_t level; /* 0: the root of the hierarchy */
	bool v2;
	char controller[32]; /* v1: a controller of the hierarchy ("perf_event") */
	char *dir;           /* its folder; ours */
};

/*
 * text is a folder under a cgroup mount ("/sys/fs/cgroup/…"), or a path within a hierarchy
 * ("system.slice/redis.service", "/docker/4f…"), looked for in v2 first, then in v1's perf_event,
 * then in the other v1 hierarchies.
 */
int cgroup__resolve(const char *text, struct cgroup_ref *ret, struct err *err);
void cgroup__done(struct cgroup_ref *ref);

/* "v2", "hybrid", "v1" or "none": what is mounted here. */
const char *cgroup_layout(void);

#endif
