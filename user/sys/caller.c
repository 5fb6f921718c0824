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

int caller_id(const char *variable)
{
	const char *text = getenv(variable);
	int id;

	return text && num__parse_int(text, 0, INT32_MAX, &id) == 0 ? id : -1;
}

static int refuse(const char *variable, struct err *err)
{
	const char *text = getenv(variable);

	return err__set(err, -EINVAL, "%s is '%s', which is not a number of a user or group",
			variable, text ? text : "");
}

int caller__find(struct caller *ret, struct err *err)
{
	_cleanup_free_ char *name = NULL;
	int uid = caller_id("SUDO_UID"), gid = caller_id("SUDO_GID");

	*ret = (struct caller){.uid = getuid(), .gid = getgid()};
	if (geteuid() != 0 || !getenv("SUDO_UID"))
		return 0;
	if (uid < 0 || gid < 0)
		return refuse(uid < 0 ? "SUDO_UID" : "SUDO_GID", err);
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

int caller_open_as(void)
{
	int caller = caller_id("SUDO_UID"), group = caller_id("SUDO_GID");
	uid_t uid = (uid_t)caller;
	gid_t gid = group >= 0 ? (gid_t)group : NOBODY;

	if (geteuid() != 0 || caller <= 0)
		return 0;
	if (setgroups(0, NULL) < 0 || setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0)
		return -errno;
	return drop_capabilities(0);
}

void caller__done(struct caller *c)
{
	free(c->groups);
	*c = (struct caller){0};
}
