// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "spool/turn.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "sys/lock.h"

#define NAME ".turn"
#define MAGIC "pmbturn1"

/* All of the file; both sides are of one host. */
struct text {
	char magic[8];
	uint64_t max_bytes, changes;
};

int turn__open(struct turn *t, int dir, bool make)
{
	const int how = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (make ? O_CREAT : 0);
	_cleanup_close_ int fd = openat(dir, NAME, how, 0600);
	struct stat st;

	*t = (struct turn){.fd = -1};
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	t->fd = TAKE_FD(fd);
	return 0;
}

void turn__close(struct turn *t)
{
	cleanup_close(&t->fd);
	t->fd = -1;
}

/* What nobody of ours has written says nothing. */
static void read_text(struct turn *t)
{
	struct text text;
	bool ours = pread(t->fd, &text, sizeof(text), 0) == sizeof(text) &&
		    memcmp(text.magic, MAGIC, sizeof(text.magic)) == 0;

	t->max_bytes = ours ? text.max_bytes : 0;
	t->changes = ours ? text.changes : 0;
}

int turn__take(struct turn *t, int wait_ms)
{
	int r = lock_alone(t->fd, wait_ms);

	if (r == 0)
		read_text(t);
	return r;
}

/* On a full disk the file may stay empty: then nobody trusts what he knows of the folder. */
void turn__begin_changes(struct turn *t)
{
	struct text text = {.magic = MAGIC, .max_bytes = t->max_bytes};

	text.changes = ++t->changes;
	if (pwrite(t->fd, &text, sizeof(text), 0) != sizeof(text) && ftruncate(t->fd, 0) == 0)
		t->changes = 0;
}

void turn__give(struct turn *t)
{
	flock(t->fd, LOCK_UN);
}
