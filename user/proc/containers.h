/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The containers, pods and units that are there now, where the kernel counts by cgroup. */
#ifndef PMUBPF_PROC_CONTAINERS_H
#define PMUBPF_PROC_CONTAINERS_H

#include <stddef.h>

#include "base/err.h"
#include "sys/cgroup.h"

struct opener;

/*
 * Appends the cgroups that a user means by that name (as cgroup_info__is), not those below one of
 * them: several, if it is a pod. opener: who looks their names up; NULL: this process. If there is
 * none, a sentence says what is there. The list is the caller's, each to be done.
 */
int containers__find(struct opener *opener, const char *wanted, struct cgroup_ref **list, size_t *n,
		     size_t *cap, struct err *err);

#endif
