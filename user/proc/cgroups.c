// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "proc/cgroups.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "model/intern.h"
#include "opener/opener.h"
#include "proc/container_path.h"
#include "sys/cgroup.h"

enum {
	SHORT_ID = 12, /* digits, as docker ps shows them */
	ID_PREFIX = 4, /* at least: fewer may be anybody's */
	LAST_TRY =
		1024, /* at this sample a container without a name is looked up for the last time */
};

struct cgroup {
	char *path;
	char *container;
	struct opener_names name;
	char *id;
	unsigned samples; /* until it was settled */
	bool settled;     /* nothing more will be found out */
};

struct cgroups {
	struct opener *opener;
	char *hierarchy;
	struct intern ids;
	struct cgroup *list; /* by number of the id - 1 */
	size_t n, cap;
	uint64_t last; /* the id that was met last: most samples come from the same one */
};

static void forget(struct cgroup *cgroup)
{
	free(cgroup->container);
	free(cgroup->id);
	cgroup->container = cgroup->id = NULL;
	free(cgroup->name.name);
	free(cgroup->name.pod);
	free(cgroup->name.image);
	cgroup->name = (struct opener_names){0};
}

struct cgroups *cgroups__new(struct opener *opener)
{
	struct cgroups *c = xcalloc(1, sizeof(*c));

	c->opener = opener;
	c->hierarchy = cgroup_telling_hierarchy();
	return c;
}

struct cgroups *cgroups__free(struct cgroups *c)
{
	if (!c)
		return NULL;
	for (size_t i = 0; i < c->n; i++) {
		free(c->list[i].path);
		forget(&c->list[i]);
	}
	free(c->list);
	free(c->hierarchy);
	intern__done(&c->ids);
	free(c);
	return NULL;
}

static void look_up(struct opener *opener, struct cgroup *cgroup, pid_t tgid)
{
	struct container_path path;

	forget(cgroup);
	container_path__parse(&path, cgroup->path);
	if (path.id)
		opener__container(opener, cgroup->path, tgid, &cgroup->name);
	if (cgroup->name.name)
		cgroup->container = xstrdup(cgroup->name.name);
	else if (path.id)
		cgroup->container = xstrndup(path.id, SHORT_ID);
	else if (path.unit)
		cgroup->container = xstrdup(path.unit);
	cgroup->id = TAKE_PTR(path.id);
	container_path__done(&path);
}

/*
 * What starts a container runs in its cgroup before its root is mounted, and by then nothing leads to the name. So
 * one without a name is looked up again, at every sample whose number is a power of two.
 */
static void settle(const struct cgroups *c, struct cgroup *cgroup, pid_t tgid)
{
	unsigned samples = ++cgroup->samples;

	if (cgroup->path && !(samples & (samples - 1)))
		look_up(c->opener, cgroup, tgid);
	cgroup->settled = !cgroup->path || !cgroup->id || cgroup->name.name || samples >= LAST_TRY;
}

bool cgroups__meet(struct cgroups *c, uint64_t id, pid_t tgid)
{
	struct cgroup *cgroup;
	uint32_t number;
	bool settled;

	if (id == c->last)
		return false;
	number = intern__add(&c->ids, &id, sizeof(id));
	/* cgroups__info() may have numbered others that were not met yet */
	while (c->n < number) {
		GROW(c->list, c->n, c->cap);
		c->list[c->n++] = (struct cgroup){0};
	}
	cgroup = &c->list[number - 1];
	settled = cgroup->settled;
	if (!cgroup->samples)
		cgroup->path = opener__cgroup_path(c->opener, c->hierarchy, id);
	if (!settled)
		settle(c, cgroup, tgid);
	if (cgroup->settled)
		c->last = id;
	return cgroup->settled && !settled;
}

static struct cgroup_info info_of(const struct cgroup *cgroup)
{
	return (struct cgroup_info){cgroup->path, cgroup->container, cgroup->name.pod,
				    cgroup->name.image, cgroup->id};
}

const char *cgroups__hierarchy(const struct cgroups *c)
{
	return c->hierarchy;
}

size_t cgroups__count(const struct cgroups *c)
{
	return c->n;
}

struct cgroup_info cgroups__nth(const struct cgroups *c, size_t i)
{
	return info_of(&c->list[i]);
}

struct cgroup_info cgroups__info(struct cgroups *c, uint64_t id)
{
	uint32_t number = intern__add(&c->ids, &id, sizeof(id));

	return number <= c->n ? cgroups__nth(c, number - 1) : (struct cgroup_info){0};
}

bool cgroup_info__is(const struct cgroup_info *info, const char *wanted)
{
	const char *pod = info->pod ? strrchr(info->pod, '/') : NULL;

	if (info->container && strcmp(info->container, wanted) == 0)
		return true;
	if (info->pod && (strcmp(info->pod, wanted) == 0 || (pod && strcmp(pod + 1, wanted) == 0)))
		return true;
	return info->id && strlen(wanted) >= ID_PREFIX &&
	       strncmp(info->id, wanted, strlen(wanted)) == 0;
}

bool cgroup_path_is(struct opener *opener, const char *path, pid_t tgid, const char *wanted,
		    char **ret_container)
{
	struct cgroup cgroup = {.path = (char *)path};
	struct cgroup_info info;
	bool is;

	look_up(opener, &cgroup, tgid);
	info = info_of(&cgroup);
	is = cgroup_info__is(&info, wanted);
	*ret_container = TAKE_PTR(cgroup.container);
	forget(&cgroup);
	return is;
}
