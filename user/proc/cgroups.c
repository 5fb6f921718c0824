// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "proc/cgroups.h"

#include <stdlib.h>

#include "base/mem.h"
#include "model/intern.h"
#include "sys/cgroup.h"

struct cgroups {
	char *hierarchy;
	struct intern ids;
	char **paths; /* by number of the id - 1; NULL: it had gone */
	size_t n, cap;
	uint64_t last; /* the id that was met last: most samples come from the same one */
};

struct cgroups *cgroups__new(void)
{
	struct cgroups *c = xcalloc(1, sizeof(*c));

	c->hierarchy = cgroup_telling_hierarchy();
	return c;
}

struct cgroups *cgroups__free(struct cgroups *c)
{
	if (!c)
		return NULL;
	for (size_t i = 0; i < c->n; i++)
		free(c->paths[i]);
	free(c->paths);
	free(c->hierarchy);
	intern__done(&c->ids);
	free(c);
	return NULL;
}

void cgroups__meet(struct cgroups *c, uint64_t id)
{
	if (id == c->last)
		return;
	c->last = id;
	if (intern__add(&c->ids, &id, sizeof(id)) <= c->n)
		return;
	GROW(c->paths, c->n, c->cap);
	c->paths[c->n++] = cgroup_path_of(c->hierarchy, id);
}

const char *cgroups__hierarchy(const struct cgroups *c)
{
	return c->hierarchy;
}

const char *cgroups__path(struct cgroups *c, uint64_t id)
{
	uint32_t number = intern__add(&c->ids, &id, sizeof(id));

	return number <= c->n ? c->paths[number - 1] : NULL;
}
