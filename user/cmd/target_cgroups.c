// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/target_cgroups.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "proc/containers.h"

void target_cgroups__add(struct target_args *t, struct cgroup_ref *ref)
{
	for (size_t i = 0; i < t->n_cgroups; i++) {
		if (strcmp(t->cgroups[i].dir, ref->dir) == 0) {
			cgroup__done(ref);
			return;
		}
	}
	GROW(t->cgroups, t->n_cgroups, t->cap_cgroups);
	t->cgroups[t->n_cgroups++] = *ref;
}

int target_cgroups__find(struct target_args *t, struct opener *opener, struct err *err)
{
	struct cgroup_ref *given;
	size_t n;
	int r = 0;

	for (size_t i = 0; r == 0 && i < t->n_containers; i++)
		r = containers__find(opener, t->containers[i], &t->cgroups, &t->n_cgroups,
				     &t->cap_cgroups, err);
	if (r < 0)
		return r;
	given = TAKE_PTR(t->cgroups);
	n = t->n_cgroups;
	t->n_cgroups = t->cap_cgroups = 0;
	for (size_t i = 0; i < n; i++)
		target_cgroups__add(t, &given[i]);
	free(given);
	return 0;
}
