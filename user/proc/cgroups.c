// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "proc/cgroups.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/mem.h"
#include "opener/opener.h"
#include "pmubpf/budgets.h"
#include "proc/container_path.h"
#include "sys/cgroup.h"

enum {
	SHORT_ID = 12, /* digits, as docker ps shows them */
	ID_PREFIX = 4, /* at least: fewer may be anybody's */
	LAST_TRY =
		1024, /* at this sample a container without a name is looked up for the last time */
};

struct cgroup {
	uint64_t id_here; /* the kernel's */
	char *path;
	char *container;
	struct opener_names name;
	char *id;
	unsigned samples; /* until it was settled */
	bool settled;     /* nothing more will be found out */
	bool due;         /* to be looked up, with the help of… */
	pid_t tgid;
	bool path_known; /* or that there is none */
	bool keep;       /* marked for the next sweep */
	UT_hash_handle hh;
};

struct cgroups {
	struct opener *opener;
	char *hierarchy;
	struct cgroup *by_id; /* in the order in which they were met */
	size_t after_sweep;
	size_t n_due;
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

static void cgroups__remove(struct cgroups *c, struct cgroup *cgroup)
{
	HASH_DEL(c->by_id, cgroup);
	c->n_due -= cgroup->due;
	free(cgroup->path);
	forget(cgroup);
	free(cgroup);
}

struct cgroups *cgroups__free(struct cgroups *c)
{
	struct cgroup *cgroup, *next;

	if (!c)
		return NULL;
	HASH_ITER(hh, c->by_id, cgroup, next)
		cgroups__remove(c, cgroup);
	free(c->hierarchy);
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
 * What starts a container runs in its cgroup before its root is mounted, and by then nothing leads
 * to the name. So one without a name is looked up again, after every sample whose number is a power
 * of two.
 */
static void note_due(struct cgroups *c, struct cgroup *cgroup, pid_t tgid)
{
	if (cgroup->samples & (cgroup->samples - 1))
		return;
	c->n_due += !cgroup->due;
	cgroup->due = true;
	cgroup->tgid = tgid;
}

static void find_path(struct cgroups *c, struct cgroup *cgroup)
{
	cgroup->path = opener__cgroup_path(c->opener, c->hierarchy, cgroup->id_here);
	cgroup->path_known = true;
}

static void find_names(struct cgroups *c, struct cgroup *cgroup)
{
	c->n_due--;
	cgroup->due = false;
	if (cgroup->path)
		look_up(c->opener, cgroup, cgroup->tgid);
	cgroup->settled = !cgroup->path || !cgroup->id || cgroup->name.name ||
			  cgroup->samples >= LAST_TRY;
}

/* Others may be met in `between`: they become the last, and are looked up next time. */
void cgroups__look_up(struct cgroups *c, const struct cgroups_fns *fns, void *ctx)
{
	size_t n = c->n_due ? cgroups__count(c) : 0;
	struct cgroup *cgroup = c->by_id;

	/* a path goes with its cgroup, and is had at once */
	for (size_t i = 0; i < n; i++, cgroup = cgroup->hh.next) {
		if (!cgroup->path_known)
			find_path(c, cgroup);
	}
	cgroup = c->by_id;
	for (size_t i = 0; i < n; i++, cgroup = cgroup->hh.next) {
		if (!cgroup->due)
			continue;
		find_names(c, cgroup);
		if (!fns)
			continue;
		if (cgroup->settled)
			fns->settled(ctx, cgroup->id_here);
		fns->between(ctx);
	}
}

static struct cgroup *cgroups__find(const struct cgroups *c, uint64_t id)
{
	struct cgroup *cgroup;

	HASH_FIND(hh, c->by_id, &id, sizeof(id), cgroup);
	return cgroup;
}

static struct cgroup *cgroups__add(struct cgroups *c, uint64_t id)
{
	struct cgroup *cgroup = xcalloc(1, sizeof(*cgroup));

	cgroup->id_here = id;
	HASH_ADD(hh, c->by_id, id_here, sizeof(id), cgroup);
	return cgroup;
}

void cgroups__meet(struct cgroups *c, uint64_t id, pid_t tgid)
{
	struct cgroup *cgroup;

	if (!id || id == c->last)
		return;
	cgroup = cgroups__find(c, id);
	if (!cgroup)
		cgroup = cgroups__add(c, id);
	if (cgroup->settled) {
		c->last = id;
		return;
	}
	cgroup->samples++;
	note_due(c, cgroup, tgid);
}

bool cgroups__many(const struct cgroups *c)
{
	return cgroups__count(c) > 2 * c->after_sweep + BUDGET_CGROUPS;
}

void cgroups__keep(struct cgroups *c, uint64_t id)
{
	struct cgroup *cgroup = id ? cgroups__find(c, id) : NULL;

	if (cgroup)
		cgroup->keep = true;
}

void cgroups__sweep(struct cgroups *c, void (*forgets)(void *ctx, uint64_t id), void *ctx)
{
	struct cgroup *cgroup, *next;

	HASH_ITER(hh, c->by_id, cgroup, next) {
		if (!cgroup->keep) {
			forgets(ctx, cgroup->id_here);
			cgroups__remove(c, cgroup);
			continue;
		}
		cgroup->keep = false;
	}
	c->after_sweep = cgroups__count(c);
	c->last = 0;
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
	return HASH_COUNT(c->by_id);
}

bool cgroups__next(const struct cgroups *c, uint64_t *id, struct cgroup_info *ret)
{
	const struct cgroup *before = *id ? cgroups__find(c, *id) : NULL;
	const struct cgroup *cgroup = before ? before->hh.next : c->by_id;

	if (!cgroup)
		return false;
	*id = cgroup->id_here;
	*ret = info_of(cgroup);
	return true;
}

struct cgroup_info cgroups__info(const struct cgroups *c, uint64_t id)
{
	const struct cgroup *cgroup = cgroups__find(c, id);

	return cgroup ? info_of(cgroup) : (struct cgroup_info){0};
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
