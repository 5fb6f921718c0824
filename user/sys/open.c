// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/open.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"

#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20
#endif

/*
 * Only where it is: nothing is opened yet. No path leads through /proc/PID/fd, root or cwd of
 * anybody, by whatever
 * links: those would be doors out of the root, and to what others have open.
 */
static int find_by(int root_fd, const char *path, int flags, uint64_t resolve)
{
	struct open_how how = {
		.flags = (__u64)(O_PATH | O_CLOEXEC | flags),
		.resolve = RESOLVE_NO_MAGICLINKS | resolve | (root_fd >= 0 ? RESOLVE_IN_ROOT : 0),
	};
	int fd = (int)syscall(SYS_openat2, root_fd >= 0 ? root_fd : AT_FDCWD, path, &how,
			      sizeof(how));

	return fd < 0 ? -errno : fd;
}

static int find(int root_fd, const char *path, int flags)
{
	return find_by(root_fd, path, flags, 0);
}

int open_found(int found)
{
	char self[64];
	int fd;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", found);
	fd = open(self, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

/* Takes found over. */
static int if_regular(int found)
{
	_cleanup_close_ int owned = found;
	struct stat st;

	if (owned < 0)
		return owned;
	if (fstat(owned, &st) < 0)
		return -errno;
	return S_ISREG(st.st_mode) ? TAKE_FD(owned) : -EINVAL;
}

/* Takes found over. It must not have become another thing since. */
static int open_it(int found)
{
	_cleanup_close_ int owned = found;

	return owned < 0 ? owned : open_found(owned);
}

int find_regular(int root_fd, const char *path)
{
	return if_regular(find(root_fd, path, 0));
}

int open_regular(int root_fd, const char *path)
{
	return open_it(find_regular(root_fd, path));
}

int find_at_hand(const char *path)
{
	int found = find_by(-1, path, 0, RESOLVE_CACHED);

	if (found == -EINVAL) /* before 5.12 */
		found = find_by(-1, path, 0, RESOLVE_NO_XDEV);
	return if_regular(found);
}

int open_no_link(int root_fd, const char *path)
{
	return open_it(if_regular(find(root_fd, path, O_NOFOLLOW)));
}

int find_owned(int root_fd, const char *path, uid_t owner)
{
	_cleanup_close_ int found = find(root_fd, path, O_NOFOLLOW);
	struct stat st;

	if (found < 0)
		return found;
	if (fstat(found, &st) < 0)
		return -errno;
	/* a second name may be a link to somebody's file that was made where all may */
	if (!S_ISREG(st.st_mode) || st.st_uid != owner || st.st_nlink > 1)
		return -EPERM;
	return TAKE_FD(found);
}

int find_mapping(int tgid, uint64_t start, uint64_t end)
{
	_cleanup_free_ char *path =
		xasprintf("/proc/%d/map_files/%" PRIx64 "-%" PRIx64, tgid, start, end);
	int found = open(path, O_PATH | O_CLOEXEC);

	return found < 0 ? -errno : found;
}

int open_root_of(int tgid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/root", tgid);
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}
