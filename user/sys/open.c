// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/open.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"

/* Only where it is: nothing is opened yet. */
static int find(int root_fd, const char *path, int flags)
{
	struct open_how how = {
		.flags = (__u64)(O_PATH | O_CLOEXEC | flags),
		.resolve = RESOLVE_NO_MAGICLINKS | RESOLVE_IN_ROOT,
	};
	int fd = root_fd >= 0 ? (int)syscall(SYS_openat2, root_fd, path, &how, sizeof(how)) :
				open(path, O_PATH | O_CLOEXEC | flags);

	return fd < 0 ? -errno : fd;
}

/* What find() found, which must not have become another thing since. */
static int open_found(int found)
{
	char self[64];
	int fd;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", found);
	fd = open(self, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

static int open_if_regular(int root_fd, const char *path, int flags)
{
	_cleanup_close_ int found = find(root_fd, path, flags);
	struct stat st;

	if (found < 0)
		return found;
	if (fstat(found, &st) < 0)
		return -errno;
	return S_ISREG(st.st_mode) ? open_found(found) : -EINVAL;
}

int open_regular(int root_fd, const char *path)
{
	return open_if_regular(root_fd, path, 0);
}

int open_no_link(int root_fd, const char *path)
{
	return open_if_regular(root_fd, path, O_NOFOLLOW);
}

int open_owned(int root_fd, const char *path, uid_t owner)
{
	_cleanup_close_ int found = find(root_fd, path, O_NOFOLLOW);
	struct stat st;

	if (found < 0)
		return found;
	if (fstat(found, &st) < 0)
		return -errno;
	return S_ISREG(st.st_mode) && st.st_uid == owner ? open_found(found) : -EPERM;
}

int open_root_of(int tgid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/root", tgid);
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}
