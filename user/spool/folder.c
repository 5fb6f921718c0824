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
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "sys/clock.h"
#include "sys/lock.h"
#include "sys/procfs.h"

enum { LOCK_WAIT_MS = 2000, TURN_WAIT_MS = 5000, BLOCK = 4096 };

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

int folder__open_there(const char *path, struct err *err)
{
	_cleanup_close_ int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r;

	if (dir < 0)
		return err__set(err, -errno, "can't open the folder '%s': %s", path,
				strerror(errno));
	r = check_folder(dir, path, err);
	return r < 0 ? r : TAKE_FD(dir);
}

int folder__open(const char *path, struct err *err)
{
	_cleanup_close_ int dir = -1;
	int r;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return err__set(err, -errno, "can't make the folder '%s': %s", path,
				strerror(errno));
	dir = folder__open_there(path, err);
	r = dir < 0 ? dir : lock(dir, path, err);
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

/* What is known of ages stays. */
static void look_again(struct folder *s)
{
	struct retention *kept = &s->retention;
	char name[WINDOW_NAME_SIZE];
	struct stat st;

	kept->bytes = 0;
	for (size_t i = 0; i < kept->n; i++) {
		bool there;

		window_name(&kept->list[i].id, name);
		there = fstatat(s->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
		kept->list[i].bytes = there ? on_disk(&st) : 0;
		kept->bytes += kept->list[i].bytes;
	}
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

static int take_turn(struct folder *s)
{
	int r = turn__take(&s->turn, TURN_WAIT_MS);

	return r == -EWOULDBLOCK ? -EBUSY : r;
}

static void begin_changes(struct folder *s)
{
	s->turn.max_bytes = s->retention.max_bytes;
	turn__begin_changes(&s->turn);
	s->seen = s->turn.changes;
}

static int begin(struct folder *s, struct folder_news *news)
{
	uint64_t more = s->retention.max_bytes > TURN_BYTES ? TURN_BYTES : 0;
	int r = scan(s, news);

	if (r < 0)
		return r;
	s->next_seq = (uint64_t)(retention__last(&s->retention, s->boot) + 1);
	r = drop_expired(s, 0, news);
	if (r == 0)
		r = drop_oldest(s, retention__over(&s->retention, more), &news->over);
	tell(s, news);
	return r;
}

int folder__begin(struct folder *s, int dir, const struct retention *bounds,
		  struct folder_news *news)
{
	_cleanup_free_ char *boot = file_read_line("/proc/sys/kernel/random/boot_id");
	int r;

	*s = (struct folder){.dir = dir, .retention = *bounds};
	r = turn__open(&s->turn, dir, true);
	if (r < 0)
		return r;
	if (!boot || !boot_id__parse(boot, s->boot))
		return -EIO;
	r = take_turn(s);
	if (r < 0)
		return r;
	begin_changes(s);
	r = begin(s, news);
	turn__give(&s->turn);
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

/* Under its name; one that is there only if it is to be replaced. */
static int give_name(struct folder *s, const struct window_id *id, const char *temp, bool replace)
{
	char name[WINDOW_NAME_SIZE];

	window_name(id, name);
	if (!replace && renameat2(s->dir, temp, s->dir, name, RENAME_NOREPLACE) == 0)
		return 0;
	if (!replace && errno != EINVAL)
		return -errno;
	return renameat(s->dir, temp, s->dir, name) < 0 ? -errno : 0;
}

/* was: of what it replaces, or NULL. */
static int write_whole(struct folder *s, const struct window_id *id, int text, uint64_t size,
		       const struct stat *was, struct stat *ret)
{
	const int how = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	_cleanup_close_ int fd = -1;
	char temp[WINDOW_TEMP_SIZE];
	int r;

	window_temp_name(id, temp);
	unlinkat(s->dir, temp, 0);
	fd = openat(s->dir, temp, how, 0600);
	if (fd < 0)
		return -errno;
	r = copy(text, fd, size);
	if (r == 0 && was &&
	    (fchmod(fd, was->st_mode & 0777) < 0 ||
	     futimens(fd, (struct timespec[]){was->st_atim, was->st_mtim}) < 0))
		r = -errno;
	if (r == 0 && (fsync(fd) < 0 || fstat(fd, ret) < 0))
		r = -errno;
	if (r == 0)
		r = give_name(s, id, temp, was != NULL);
	if (r < 0)
		unlinkat(s->dir, temp, 0);
	else if (fsync(s->dir) < 0 && errno != EINVAL)
		r = -errno;
	return r;
}

static int put(struct folder *s, uint64_t seq, int text, uint64_t horizon_ns,
	       struct folder_news *news)
{
	struct kept_window window = {.id.seq = seq};
	struct stat st;
	size_t over;
	int r = fstat(text, &st) < 0 ? -errno : drop_expired(s, horizon_ns, news);

	if (r < 0)
		return r;
	over = retention__over(&s->retention, on_disk(&st) + TURN_BYTES);
	if (over == SIZE_MAX)
		return -EFBIG;
	r = drop_oldest(s, over, &news->over);
	memcpy(window.id.boot, s->boot, sizeof(window.id.boot));
	if (r == 0)
		r = write_whole(s, &window.id, text, (uint64_t)st.st_size, NULL, &st);
	if (r == 0) {
		window.bytes = on_disk(&st);
		window.ended_ns = (int64_t)clock_ns(CLOCK_BOOTTIME);
		retention__add(&s->retention, &window);
	}
	tell(s, news);
	return r;
}

int folder__put(struct folder *s, uint64_t seq, int text, uint64_t horizon_ns,
		struct folder_news *news)
{
	int r = take_turn(s);

	if (r < 0)
		return r;
	if (s->turn.changes != s->seen || !s->seen)
		look_again(s);
	begin_changes(s);
	r = put(s, seq, text, horizon_ns, news);
	turn__give(&s->turn);
	return r;
}

/* ---------------------------------------------------------------- another content */

int folder__join(struct folder *s, int dir)
{
	int r;

	*s = (struct folder){.dir = dir};
	r = turn__open(&s->turn, dir, false);
	if (r != -ENOENT)
		return r;
	if (flock(dir, LOCK_EX | LOCK_NB) < 0)
		return -EBUSY;
	r = turn__open(&s->turn, dir, true);
	flock(dir, LOCK_UN);
	return r;
}

/* All that is there, unless nobody else has changed it since. */
static int know_all(struct folder *s, struct folder_news *news)
{
	if (s->seen && s->turn.changes == s->seen)
		return 0;
	retention__done(&s->retention);
	return scan(s, news);
}

static struct kept_window *find(struct folder *s, const struct window_id *id)
{
	for (size_t i = 0; i < s->retention.n; i++) {
		struct kept_window *w = &s->retention.list[i];

		if (w->id.seq == id->seq && strcmp(w->id.boot, id->boot) == 0)
			return w;
	}
	return NULL;
}

static int replace(struct folder *s, const struct window_id *id, int text, struct folder_news *news)
{
	struct kept_window *window = find(s, id);
	char name[WINDOW_NAME_SIZE];
	struct stat st, was;
	size_t over;
	int r;

	window_name(id, name);
	if (!window || fstatat(s->dir, name, &was, AT_SYMLINK_NOFOLLOW) < 0)
		return -ENOENT;
	if (!S_ISREG(was.st_mode) || fstat(text, &st) < 0)
		return -EINVAL;
	/* for a moment there are both */
	over = retention__over(&s->retention, on_disk(&st) + TURN_BYTES);
	if (over > (size_t)(window - s->retention.list))
		return -EFBIG;
	r = drop_oldest(s, over, &news->over);
	if (r == 0)
		r = write_whole(s, id, text, (uint64_t)st.st_size, &was, &st);
	if (r == 0) {
		window = find(s, id);
		s->retention.bytes += on_disk(&st) - window->bytes;
		window->bytes = on_disk(&st);
	}
	return r;
}

int folder__replace(struct folder *s, const struct window_id *id, int text,
		    struct folder_news *news)
{
	int r = take_turn(s);

	if (r < 0)
		return r;
	r = know_all(s, news);
	s->retention.max_bytes = s->turn.max_bytes;
	if (r == 0) {
		turn__begin_changes(&s->turn);
		s->seen = s->turn.changes;
		r = replace(s, id, text, news);
	}
	turn__give(&s->turn);
	return r;
}

void folder__done(struct folder *s)
{
	retention__done(&s->retention);
	turn__close(&s->turn);
	cleanup_close(&s->dir);
	s->dir = -1;
}
