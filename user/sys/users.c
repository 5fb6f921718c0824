// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Not getpwuid(), which may load modules, and ask directories over the network. */
#include "sys/users.h"

#include <pwd.h>
#include <stdio.h>

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
