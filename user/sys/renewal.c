// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A text travels as the descriptor of a file in memory, so that no size of it makes us wait; what
 * comes back are errnos, one for the start and one for each text.
 */
#include "sys/renewal.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "sys/beside.h"
#include "sys/caller.h"
#include "sys/fd_packet.h"
#include "sys/reexec.h"

enum { START_MS = 10000 };

/* ---------------------------------------------------------------- the process beside us */

/* Of the process that is just being started, as fork() has left it there. */
static mode_t mode_of_new;

static int open_next(struct beside *beside, const char *path)
{
	bool is_new = access(path, F_OK) < 0 && errno == ENOENT;
	int fd = beside__open_next(beside, path);

	if (fd >= 0 && is_new && mode_of_new)
		fchmod(fd, mode_of_new);
	return fd;
}

static int put_next(const char *path, int text)
{
	_cleanup_(beside__done) struct beside beside = {.dir = -1};
	_cleanup_close_ int new = open_next(&beside, path);
	struct stat st;
	off_t at = 0;

	if (new < 0)
		return new;
	if (text < 0) /* only whether it can be done */
		return 0;
	if (fstat(text, &st) < 0)
		return -errno;
	while (at < st.st_size) {
		ssize_t n = sendfile(new, text, &at, (size_t)(st.st_size - at));

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return -EIO;
	}
	return beside__put(&beside, new);
}

/* The next text; -1: nobody asks any more. */
static int take(int sock)
{
	char byte;
	int fd = -1;

	return fd_packet__recv(sock, &byte, sizeof(byte), &fd, 0) > 0 ? fd : -1;
}

static void answer(int sock, int r)
{
	send(sock, &r, sizeof(r), MSG_NOSIGNAL);
}

static int become_caller(void)
{
	_cleanup_(caller__done) struct caller caller = {0};
	int r = caller__find(&caller, NULL);

	return r < 0 ? r : caller__become(&caller);
}

static int serve(int sock)
{
	char path[PATH_MAX + 1];
	ssize_t n = recv(sock, path, PATH_MAX, 0);
	int r = become_caller(), text;

	if (n <= 0)
		return 1;
	path[n] = '\0';
	if (r == 0)
		r = put_next(path, -1);
	answer(sock, r);
	while (r == 0 && (text = take(sock)) >= 0) {
		answer(sock, put_next(path, text));
		close(text);
	}
	return 0;
}

/* ---------------------------------------------------------------- ours */

static void gone(struct renewal *r)
{
	cleanup_close(&r->sock);
	r->sock = -1;
	r->busy = false;
	r->last = -EPIPE;
	r->failed++;
}

/* Whether there is no answer to wait for any more. */
static bool settle(struct renewal *r, int wait_ms)
{
	struct pollfd fd = {.fd = r->sock, .events = POLLIN};

	if (r->sock < 0 || !r->busy)
		return true;
	if (poll(&fd, 1, wait_ms) <= 0)
		return false;
	if (recv(r->sock, &r->last, sizeof(r->last), MSG_DONTWAIT) != (ssize_t)sizeof(r->last)) {
		gone(r);
		return true;
	}
	r->busy = false;
	r->written += r->last == 0;
	r->failed += r->last < 0;
	return true;
}

static int refuse(int r, const char *path, struct err *err)
{
	if (r == -EINVAL)
		return err__set(err, r,
				"can't renew '%s': it is there, and no regular file; a new one "
				"takes its place each time, so name a file, or none that is there",
				path);
	return err__set(err, r, "can't renew '%s' as who called this: %s", path, strerror(-r));
}

int renewal__start(struct renewal *ret, const char *path, struct err *err)
{
	return renewal__start_mode(ret, path, 0, err);
}

static int begin(struct renewal *ret, const char *path, mode_t mode)
{
	const struct reexec what = {.child = serve};
	int r;

	*ret = (struct renewal){.sock = -1};
	mode_of_new = mode;
	r = reexec_start(&what, &ret->pid, &ret->sock);
	if (r < 0)
		return r;
	ret->busy = true;
	if (send(ret->sock, path, strlen(path), MSG_NOSIGNAL) < 0)
		gone(ret);
	return 0;
}

int renewal__start_within(struct renewal *ret, const char *path, mode_t mode, int wait_ms,
			  struct err *err)
{
	int r;

	*ret = (struct renewal){.sock = -1};
	if (!*path || strlen(path) >= PATH_MAX)
		return refuse(*path ? -ENAMETOOLONG : -ENOENT, path, err);
	r = begin(ret, path, mode);
	if (r < 0)
		return refuse(r, path, err);
	r = settle(ret, wait_ms) ? ret->last : -ETIMEDOUT;
	ret->written = 0;
	if (r == 0)
		return 0;
	renewal__done(ret);
	return refuse(r, path, err);
}

int renewal__start_mode(struct renewal *ret, const char *path, mode_t mode, struct err *err)
{
	return renewal__start_within(ret, path, mode, START_MS, err);
}

void renewal__restart(struct renewal *r, const char *path, mode_t mode)
{
	int last = r->last;

	renewal__done(r);
	if (begin(r, path, mode) < 0)
		r->pid = 0;
	r->last = last;
}

void renewal__write(struct renewal *r, const struct buf *text)
{
	const char byte = 0;
	_cleanup_close_ int fd = -1;

	if (!settle(r, 0)) {
		r->skipped++;
		return;
	}
	if (r->sock < 0) {
		r->failed++;
		return;
	}
	fd = memfd_create("pmubpf-text", MFD_CLOEXEC);
	if (fd < 0 || write(fd, text->data, text->len) != (ssize_t)text->len) {
		r->last = fd < 0 ? -errno : -ENOMEM;
		r->failed++;
		return;
	}
	if (fd_packet__send(r->sock, &byte, sizeof(byte), fd, MSG_DONTWAIT) < 0)
		gone(r);
	else
		r->busy = true;
}

int renewal__settle(struct renewal *r, int wait_ms)
{
	return settle(r, wait_ms) ? r->last : -ETIMEDOUT;
}

void renewal__done(struct renewal *r)
{
	if (!r->pid)
		return;
	/* a write that isn't over may never be: to a server that is gone */
	if (r->busy)
		kill(r->pid, SIGKILL);
	cleanup_close(&r->sock);
	waitpid(r->pid, NULL, r->busy ? WNOHANG : 0);
	*r = (struct renewal){.sock = -1};
}
