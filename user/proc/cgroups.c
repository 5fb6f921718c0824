// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "proc/cgroups.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/intern.h"
#include "proc/container_name.h"
#include "sys/cgroup.h"

enum { SHORT_ID = 12 }; /* digits, as docker ps shows them */

struct cgroup {
	char *path;
	char *container;
	struct container_name name;
};

struct cgroups {
	char *hierarchy;
	struct intern ids;
	struct cgroup *list; /* by number of the id - 1 */
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
	for (size_t i = 0; i < c->n; i++) {
		free(c->list[i].path);
		free(c->list[i].container);
		container_name__done(&c->list[i].name);
	}
	free(c->list);
	free(c->hierarchy);
	intern__done(&c->ids);
	free(c);
	return NULL;
}

static void look_up(struct cgroup *cgroup, pid_t tgid)
{
	struct container_path path;

	container_path__parse(&path, cgroup->path);
	container_name__find(&cgroup->name, "", &path, tgid);
	if (cgroup->name.name)
		cgroup->container = xstrdup(cgroup->name.name);
	else if (path.id)
		cgroup->container = xstrndup(path.id, SHORT_ID);
	else if (path.unit)
		cgroup->container = xstrdup(path.unit);
	container_path__done(&path);
}

void cgroups__meet(struct cgroups *c, uint64_t id, pid_t tgid)
{
	uint32_t number;

	if (id == c->last)
		return;
	c->last = id;
	number = intern__add(&c->ids, &id, sizeof(id));
	while (c->n < number) {
		struct cgroup *cgroup;

		GROW(c->list, c->n, c->cap);
		cgroup = &c->list[c->n++];
		*cgroup = (struct cgroup){.path = cgroup_path_of(c->hierarchy, id)};
		if (cgroup->path)
			look_up(cgroup, tgid);
	}
}

const char *cgroups__hierarchy(const struct cgroups *c)
{
	return c->hierarchy;
}

struct cgroup_info cgroups__info(struct cgroups *c, uint64_t id)
{
	uint32_t number = intern__add(&c->ids, &id, sizeof(id));
	const struct cgroup *cgroup = number <= c->n ? &c->list[number - 1] : NULL;

	if (!cgroup)
		return (struct cgroup_info){0};
	return (struct cgroup_info){cgroup->path, cgroup->container, cgroup->name.pod,
				    cgroup->name.image};
}
