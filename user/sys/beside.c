// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"

static int open_folder(const char *path, char **ret_name)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *folder = slash ? xstrndup(path, (size_t)(slash - path) + 1) :
					      xstrdup(".");
	int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

	*ret_name = fd < 0 ? NULL : xstrdup(slash ? slash + 1 : path);
	return fd < 0 ? -errno : fd;
}

/* By its own and only name, and nobody gave rights to it besides those of its mode. */
static bool is_replaceable(const struct beside *b, int old, const struct stat *st)
{
	struct stat named;

	return fstatat(b->dir, b->name, &named, AT_SYMLINK_NOFOLLOW) == 0 && st->st_nlink == 1 &&
	       named.st_ino == st->st_ino && named.st_dev == st->st_dev &&
	       fgetxattr(old, "system.posix_acl_access", NULL, 0) < 0;
}

/* A name that nobody can have taken beforehand. */
static char *temp_name(const char *name)
{
	uint64_t random = 0;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = (uint64_t)getpid();
	return xasprintf(".%.200s.%016" PRIx64, name, random);
}

static int create(struct beside *b)
{
	int fd = openat(b->dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	b->temp = temp_name(b->name); /* NFS knows no files without a name */
	fd = openat(b->dir, b->temp, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0) {
		fd = -errno;
		free(b->temp);
		b->temp = NULL;
	}
	return fd;
}

static int open_beside(struct beside *b, const char *path, int old)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (fstat(old, &st) < 0 || !S_ISREG(st.st_mode))
		return -EINVAL;
	b->dir = open_folder(path, &b->name);
	if (b->dir < 0)
		return b->dir;
	fd = create(b);
	b->keep = fd < 0 || !is_replaceable(b, old, &st) || fchown(fd, st.st_uid, st.st_gid) < 0 ||
		  fchmod(fd, st.st_mode & 0777) < 0;
	if (fd < 0)
		fd = memfd_create("pmubpf-output", MFD_CLOEXEC);
	return fd < 0 ? -errno : TAKE_FD(fd);
}

int beside__open(struct beside *b, const char *path, int old)
{
	int r;

	*b = (struct beside){.dir = -1};
	r = open_beside(b, path, old);
	if (r < 0)
		beside__done(b);
	return r;
}

/* Group and mode; rights of a group that can't be had are nobody's. */
static int dress_as(const struct stat *old, int new)
{
	mode_t mode = old->st_mode & 0777;

	if (fchown(new, (uid_t)-1, old->st_gid) < 0)
		mode &= 0707;
	return fchmod(new, mode) < 0 ? -errno : 0;
}

static int open_next(struct beside *b, const char *path)
{
	_cleanup_close_ int fd = -1;
	struct stat old;
	bool there;
	int r = 0;

	b->dir = open_folder(path, &b->name);
	if (b->dir < 0)
		return b->dir;
	if (!*b->name)
		return -EISDIR;
	there = fstatat(b->dir, b->name, &old, AT_SYMLINK_NOFOLLOW) == 0;
	if (!there && errno != ENOENT)
		return -errno;
	if (there && !S_ISREG(old.st_mode))
		return -EINVAL;
	fd = create(b);
	if (fd >= 0 && there)
		r = dress_as(&old, fd);
	return r < 0 ? r : TAKE_FD(fd);
}

int beside__open_next(struct beside *b, const char *path)
{
	int r;

	*b = (struct beside){.dir = -1};
	r = open_next(b, path);
	if (r < 0)
		beside__done(b);
	return r;
}

void beside__done(struct beside *b)
{
	if (b->temp)
		unlinkat(b->dir, b->temp, 0);
	cleanup_close(&b->dir);
	free(b->name);
	free(b->temp);
	*b = (struct beside){.dir = -1};
}

/* By /proc, which wants no capability. */
static int give_name(struct beside *b, int new)
{
	_cleanup_free_ char *self = xasprintf("/proc/self/fd/%d", new);
	_cleanup_free_ char *temp = temp_name(b->name);

	if (linkat(AT_FDCWD, self, b->dir, temp, AT_SYMLINK_FOLLOW) < 0)
		return -errno;
	b->temp = TAKE_PTR(temp);
	return 0;
}

static int copy(int from, int to, off_t size)
{
	off_t at = 0;

	if (lseek(to, 0, SEEK_SET) < 0)
		return -errno;
	while (at < size) {
		ssize_t n = sendfile(to, from, &at, (size_t)(size - at));

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return -EIO;
	}
	return ftruncate(to, size) < 0 ? -errno : 0;
}

static bool is_full(int error)
{
	return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

/* Room first: what is overwritten is gone. A file system that can't promise room is taken at its
 * word. */
static int overwrite(int from, int to)
{
	struct stat new, old;
	int r;

	if (fstat(from, &new) < 0 || fstat(to, &old) < 0)
		return -errno;
	if (new.st_size && fallocate(to, 0, 0, new.st_size) < 0 && is_full(errno)) {
		r = -errno;
		return ftruncate(to, old.st_size) < 0 ? -errno : r;
	}
	r = copy(from, to, new.st_size);
	/* a file that was cut off could be taken for a whole one */
	if (r < 0 && ftruncate(to, 0) < 0)
		return -errno;
	return r;
}

static int take_place(struct beside *b, int new)
{
	int r = b->temp ? 0 : give_name(b, new);

	if (r < 0)
		return r;
	if (renameat(b->dir, b->temp, b->dir, b->name) < 0)
		return -errno;
	free(b->temp);
	b->temp = NULL;
	return 0;
}

int beside__put(struct beside *b, int new)
{
	return take_place(b, new);
}

int beside__finish(struct beside *b, int new, int old)
{
	/* some file systems say only now that they are full */
	if (fsync(new) < 0 && errno != EINVAL)
		return -errno;
	b->keep = b->keep || take_place(b, new) < 0;
	return b->keep ? overwrite(new, old) : 0;
}
