/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What counters can be opened of: the cgroups that the containers of a target have. */
#ifndef PMUBPF_CMD_TARGET_CGROUPS_H
#define PMUBPF_CMD_TARGET_CGROUPS_H

#include "base/err.h"
#include "cmd/target_args.h"

struct opener;

/* Takes it; each cgroup once, or it would be counted twice in one row. */
void target_cgroups__add(struct target_args *target, struct cgroup_ref *cgroup);
/* Adds those of the containers that there are now. */
int target_cgroups__find(struct target_args *target, struct opener *opener, struct err *err);

#endif
