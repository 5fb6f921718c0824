// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/caller.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "sys/drop.h"
#include "sys/users.h"

static int id_of(const char *variable, int *ret, struct err *err)
{
	const char *text = getenv(variable);

	if (text && num__parse_int(text, 0, INT32_MAX, ret) == 0)
		return 0;
	return err__set(err, -EINVAL, "%s is '%s', which is not a number of a user or group",
			variable, text ? text : "");
}

int caller__find(struct caller *ret, struct err *err)
{
	_cleanup_free_ char *name = NULL;
	int uid, gid, r;

	*ret = (struct caller){.uid = getuid(), .gid = getgid()};
	if (geteuid() != 0 || !getenv("SUDO_UID"))
		return 0;
	r = id_of("SUDO_UID", &uid, err);
	if (r == 0)
		r = id_of("SUDO_GID", &gid, err);
	if (r < 0)
		return r;
	ret->other = true;
	ret->uid = (uid_t)uid;
	ret->gid = (gid_t)gid;
	name = users_name(ret->uid);
	ret->groups = users_groups_in("/etc/group", name, ret->gid, &ret->n_groups);
	return 0;
}

int caller__become(const struct caller *c)
{
	drop_bounding_set(0);
	if (c->other && setgroups(c->n_groups, c->groups) < 0)
		return -errno;
	if (setresgid(c->gid, c->gid, c->gid) < 0 || setresuid(c->uid, c->uid, c->uid) < 0)
		return -errno;
	if (drop_capabilities(0) < 0)
		return -EPERM;
	return drop_new_privileges();
}

void caller__done(struct caller *c)
{
	free(c->groups);
	*c = (struct caller){0};
}
