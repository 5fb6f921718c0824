// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "session/target.h"

#include "collect/kernel_types.h"

enum pmb_filter target__filter(const struct target *t)
{
	if (t->n_cgroups)
		return PMB_FILTER_CGROUP;
	if (t->n_containers)
		return PMB_FILTER_CONTAINERS;
	return target__any_process(t) ? PMB_FILTER_NONE : PMB_FILTER_TASKS;
}

int target__set_cgroup(const struct cgroup_ref *cgroup, const char *hierarchy,
		       struct pmb_config *cfg, struct err *err)
{
	cfg->cgroup_subsys = hierarchy && *hierarchy ? cgroup_subsys_index(hierarchy) : -1;
	if (!cgroup)
		return 0;
	cfg->cgroup_subsys = -1;
	cfg->cgroup_id = cgroup->id;
	cfg->cgroup_level = cgroup->level;
	if (cgroup->v2)
		return 0;
	cfg->cgroup_subsys = cgroup_subsys_index(cgroup->controller);
	if (cfg->cgroup_subsys < 0)
		return err__cannot(
			err, "-G %s: this kernel's type information has no cgroup controller '%s'",
			cgroup->dir, cgroup->controller);
	return 0;
}
