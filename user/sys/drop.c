// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/drop.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/num.h"

int drop_new_privileges(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : 0;
}

void drop_bounding_set(uint64_t keep)
{
	/* the kernel says where its list ends */
	for (unsigned i = 0; i < 64 && prctl(PR_CAPBSET_READ, i, 0, 0, 0) >= 0; i++) {
		if (!(keep & CAP_BIT(i)))
			prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
	}
}

int drop_capabilities(uint64_t keep)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[2] = {0};

	if (syscall(SYS_capget, &header, sets) < 0)
		return -errno;
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	drop_bounding_set(keep);
	for (int i = 0; i < 2; i++) {
		sets[i].permitted &= (uint32_t)(keep >> (32 * i));
		sets[i].effective &= (uint32_t)(keep >> (32 * i));
		sets[i].inheritable = 0;
	}
	return syscall(SYS_capset, &header, sets) < 0 ? -errno : 0;
}

/* Negative: nobody says. */
static int id_of(const char *variable)
{
	const char *text = getenv(variable);
	int id;

	return text && num__parse_int(text, 0, INT_MAX, &id) == 0 ? id : -1;
}

int drop_to_caller(void)
{
	enum { NOBODY = 65534 };
	int caller = id_of("SUDO_UID"), group = id_of("SUDO_GID");
	uid_t uid = (uid_t)caller;
	gid_t gid = group >= 0 ? (gid_t)group : NOBODY;

	if (geteuid() != 0 || caller <= 0)
		return 0;
	if (setgroups(0, NULL) < 0 || setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0)
		return -errno;
	return drop_capabilities(0);
}
