// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is what a sudden end leaves: a window is under its own name only when all of it
 * is on disk, and a file under any other name of ours is removed by whoever comes next.
 */
#include "spool/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "sys/clock.h"
#include "sys/lock.h"
#include "sys/procfs.h"

enum { LOCK_WAIT_MS = 2000, BLOCK = 4096 };

/* ---------------------------------------------------------------- opening */

static int check_folder(int dir, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(dir, &st) < 0)
		return err__set(err, -errno, "can't look at '%s': %s", path, strerror(errno));
	if (st.st_uid != geteuid())
		return err__set(err, -EPERM,
				"'%s' belongs to user %u, and windows are written as user %u: "
				"another user could change or remove them; name a folder of your "
				"own",
				path, st.st_uid, geteuid());
	if (st.st_mode & 022)
		return err__set(err, -EPERM,
				"others may write to '%s' (its mode is %04o): chmod go-w it, or "
				"name another folder",
				path, st.st_mode & 07777);
	return 0;
}

/* One that was killed a moment ago may still be ending. */
static int lock(int dir, const char *path, struct err *err)
{
	int r = lock_alone(dir, LOCK_WAIT_MS);

	if (r == -EWOULDBLOCK)
		return err__set(err, -EBUSY,
				"another agent writes to '%s'; give this one a folder of its own",
				path);
	return r < 0 ? err__set(err, r, "can't lock '%s': %s", path, strerror(-r)) : 0;
}

int folder__open(const char *path, struct err *err)
{
	_cleanup_close_ int dir = -1;
	int r;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return err__set(err, -errno, "can't make the folder '%s': %s", path,
				strerror(errno));
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return err__set(err, -errno, "can't open the folder '%s': %s", path,
				strerror(errno));
	r = check_folder(dir, path, err);
	if (r == 0)
		r = lock(dir, path, err);
	return r < 0 ? r : TAKE_FD(dir);
}

/* ---------------------------------------------------------------- what is there */

static uint64_t on_disk(const struct stat *st)
{
	uint64_t blocks = (uint64_t)st->st_blocks * 512;
	uint64_t size = ((uint64_t)st->st_size + BLOCK - 1) / BLOCK * BLOCK;

	return blocks > size ? blocks : size;
}

/* Its age by the date, now; from here on time goes by a clock that nobody sets. One of the future
 * is new. */
static int64_t ended_at(const struct stat *st)
{
	int64_t written = st->st_mtim.tv_sec * 1000000000LL + st->st_mtim.tv_nsec;
	int64_t age = (int64_t)clock_ns(CLOCK_REALTIME) - written;

	return (int64_t)clock_ns(CLOCK_BOOTTIME) - (age > 0 ? age : 0);
}

static void meet(struct folder *s, const char *name, struct folder_news *news)
{
	struct kept_window window;
	struct stat st;

	if (window_temp_name__is(name)) {
		news->leftovers += unlinkat(s->dir, name, 0) == 0;
		return;
	}
	if (!window_name__parse(name, &window.id) ||
	    fstatat(s->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || S_ISDIR(st.st_mode))
		return;
	window.bytes = on_disk(&st);
	window.ended_ns = ended_at(&st);
	retention__add(&s->retention, &window);
}

static int scan(struct folder *s, struct folder_news *news)
{
	_cleanup_close_ int fd = openat(s->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	if (!dir)
		return -errno;
	TAKE_FD(fd);
	while ((entry = readdir(dir)))
		meet(s, entry->d_name, news);
	retention__sort(&s->retention);
	return 0;
}

static int drop_oldest(struct folder *s, size_t n, uint64_t *count)
{
	char name[WINDOW_NAME_SIZE];

	for (; n; n--) {
		window_name(&s->retention.list[0].id, name);
		if (unlinkat(s->dir, name, 0) < 0 && errno != ENOENT)
			return -errno;
		retention__drop(&s->retention);
		++*count;
	}
	return 0;
}

static int drop_expired(struct folder *s, uint64_t horizon_ns, struct folder_news *news)
{
	int64_t until = (int64_t)(clock_ns(CLOCK_BOOTTIME) + horizon_ns);

	return drop_oldest(s, retention__expired(&s->retention, until), &news->expired);
}

static void tell(const struct folder *s, struct folder_news *news)
{
	news->windows = s->retention.n;
	news->bytes = s->retention.bytes;
	news->next_seq = s->next_seq;
}

int folder__begin(struct folder *s, int dir, const struct retention *bounds,
		  struct folder_news *news)
{
	_cleanup_free_ char *boot = file_read_line("/proc/sys/kernel/random/boot_id");
	int r;

	*s = (struct folder){.dir = dir, .retention = *bounds};
	if (!boot || !boot_id__parse(boot, s->boot))
		return -EIO;
	r = scan(s, news);
	if (r < 0)
		return r;
	s->next_seq = (uint64_t)(retention__last(&s->retention, s->boot) + 1);
	r = drop_expired(s, 0, news);
	if (r == 0)
		r = drop_oldest(s, retention__over(&s->retention, 0), &news->over);
	tell(s, news);
	return r;
}

/* ---------------------------------------------------------------- a window */

static int copy(int text, int to, uint64_t size)
{
	off_t at = 0;

	while ((uint64_t)at < size) {
		ssize_t n = sendfile(to, text, &at, size - (uint64_t)at);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return -EIO;
	}
	return 0;
}

static int write_whole(struct folder *s, const struct window_id *id, int text, uint64_t size,
		       const char *temp, struct stat *ret)
{
	const int how = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	_cleanup_close_ int fd = -1;
	char name[WINDOW_NAME_SIZE];
	int r;

	unlinkat(s->dir, temp, 0);
	fd = openat(s->dir, temp, how, 0600);
	if (fd < 0)
		return -errno;
	r = copy(text, fd, size);
	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	if (r == 0 && fstat(fd, ret) < 0)
		r = -errno;
	window_name(id, name);
	if (r == 0 && renameat2(s->dir, temp, s->dir, name, RENAME_NOREPLACE) < 0)
		r = errno == EINVAL && renameat(s->dir, temp, s->dir, name) == 0 ? 0 : -errno;
	if (r < 0)
		unlinkat(s->dir, temp, 0);
	else if (fsync(s->dir) < 0 && errno != EINVAL)
		r = -errno;
	return r;
}

int folder__put(struct folder *s, uint64_t seq, int text, uint64_t horizon_ns,
		struct folder_news *news)
{
	struct kept_window window = {.id.seq = seq};
	char temp[WINDOW_TEMP_SIZE];
	struct stat st;
	size_t over;
	int r = fstat(text, &st) < 0 ? -errno : drop_expired(s, horizon_ns, news);

	if (r < 0)
		return r;
	over = retention__over(&s->retention, on_disk(&st));
	if (over == SIZE_MAX)
		return -EFBIG;
	r = drop_oldest(s, over, &news->over);
	memcpy(window.id.boot, s->boot, sizeof(window.id.boot));
	window_temp_name(&window.id, temp);
	if (r == 0)
		r = write_whole(s, &window.id, text, (uint64_t)st.st_size, temp, &st);
	if (r == 0) {
		window.bytes = on_disk(&st);
		window.ended_ns = (int64_t)clock_ns(CLOCK_BOOTTIME);
		retention__add(&s->retention, &window);
	}
	tell(s, news);
	return r;
}

void folder__done(struct folder *s)
{
	retention__done(&s->retention);
	cleanup_close(&s->dir);
	s->dir = -1;
}
