// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/drop.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

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

int drop_to_nobody(void)
{
	drop_bounding_set(0); /* nobody may not */
	if (geteuid() == 0 && (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
			       setresuid(NOBODY, NOBODY, NOBODY) < 0))
		return -errno;
	return drop_capabilities(0);
}
