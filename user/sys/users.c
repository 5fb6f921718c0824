// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Not getpwuid() or getgrouplist(), which may load modules, and ask directories over the
 * network. */
#include "sys/users.h"

#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

char *users_name_in(const char *passwd, uid_t uid)
{
	_cleanup_fclose_ FILE *file = fopen(passwd, "re");
	const struct passwd *entry;

	while (file && (entry = fgetpwent(file))) {
		if (entry->pw_uid == uid && *entry->pw_name)
			return xstrdup(entry->pw_name);
	}
	return xasprintf("%u", uid);
}

char *users_name(uid_t uid)
{
	return users_name_in("/etc/passwd", uid);
}

static bool has_member(const struct group *group, const char *name)
{
	for (char *const *member = group->gr_mem; *member; member++) {
		if (strcmp(*member, name) == 0)
			return true;
	}
	return false;
}

gid_t *users_groups_in(const char *group, const char *name, gid_t gid, size_t *ret_n)
{
	_cleanup_fclose_ FILE *file = fopen(group, "re");
	const struct group *entry;
	gid_t *groups = NULL;
	size_t n = 0, cap = 0;

	GROW(groups, n, cap);
	groups[n++] = gid;
	while (file && n < NGROUPS_MAX && (entry = fgetgrent(file))) {
		if (entry->gr_gid == gid || !has_member(entry, name))
			continue;
		GROW(groups, n, cap);
		groups[n++] = entry->gr_gid;
	}
	*ret_n = n;
	return groups;
}
