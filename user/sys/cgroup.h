/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From a cgroup's path, as a person writes it, to what the kernel side compares: an id, its level
 * below the root, and the hierarchy. v1, v2 and hybrid hosts.
 */
#ifndef PMUBPF_SYS_CGROUP_H
#define PMUBPF_SYS_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct cgroup_ref {
	uint64_t id;
	uint32_t level; /* 0: the root of the hierarchy */
	bool v2;
	char controller[32]; /* v1: a controller of the hierarchy ("perf_event") */
	char *dir;           /* its folder; ours */
	size_t mount_len;    /* of dir: the hierarchy's mount point */
};

/*
 * text is a folder under a cgroup mount ("/sys/fs/cgroup/…"), or a path within a hierarchy
 * ("system.slice/redis.service", "/docker/4f…"), looked for in v2 first, then in v1's perf_event,
 * then in the other v1 hierarchies.
 */
int cgroup__resolve(const char *text, struct cgroup_ref *ret, struct err *err);
/*
 * Its folder where the kernel counts by cgroup, which is one hierarchy only: that of v1's
 * perf_event where it is mounted, else v2. A v2 cgroup stands for the one of the same path there. A
 * descriptor, or a negative errno and which hierarchy is needed.
 */
int cgroup__open(const struct cgroup_ref *ref, struct err *err);
/* The root of that hierarchy. */
int cgroup__counted_root(struct cgroup_ref *ret, struct err *err);
/* The cgroups right below it, sorted by name; *ret is the caller's, each to be done. */
int cgroup__children(const struct cgroup_ref *ref, struct cgroup_ref **ret, size_t *ret_n,
		     struct err *err);
/* "/system.slice/redis.service": its path within its hierarchy; points into ref->dir or to "/". */
const char *cgroup__path(const struct cgroup_ref *ref);
/*
 * In which hierarchy containers and services are told apart best: "" for v2, else a controller of
 * v1. On hybrid hosts that is v1, where container engines put theirs.
 */
char *cgroup_telling_hierarchy(void);
/* The path within that hierarchy of the cgroup with that id; NULL: it has gone, or may not be
 * looked up (CAP_DAC_READ_SEARCH). The caller's. */
char *cgroup_path_of(const char *hierarchy, uint64_t id);
void cgroup__done(struct cgroup_ref *ref);

/* "v2", "hybrid", "v1" or "none": what is mounted here. */
const char *cgroup_layout(void);

#endif
