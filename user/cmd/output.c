// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "render/escape.h"
#include "sys/caller.h"

/* What is no regular file is written to. */
static int open_beside(struct output *out, int old)
{
	int fd = beside__open(&out->beside, out->path, old);

	if (fd < 0)
		return old;
	out->is_new = true;
	out->old = old;
	return fd;
}

/* At the end of a link somebody else may have chosen where: that file stays ours. */
static int create(const char *path, bool private)
{
	mode_t mode = private ? 0600 : 0666;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);

	if (fd < 0 && errno == EEXIST)
		return open(path, O_WRONLY | O_CREAT | O_CLOEXEC, mode);
	if (fd >= 0 && private && geteuid() == 0 && caller_id("SUDO_UID") >= 0 &&
	    fchown(fd, (uid_t)caller_id("SUDO_UID"), (gid_t)caller_id("SUDO_GID")) < 0)
		return fd; /* then it is root's */
	return fd;
}

enum {
	LOOK_US = 20 * 1000, /* between two looks for a FIFO's reader */
	SAID_AFTER = 50,     /* looks */
};

/* Whether a signal that ends programs has come; record has blocked them all by now. */
static bool shall_end(void)
{
	sigset_t pending;

	return sigpending(&pending) == 0 &&
	       (sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1 ||
		sigismember(&pending, SIGHUP) == 1 || sigismember(&pending, SIGQUIT) == 1);
}

static void say_that_it_waits(const char *path)
{
	struct err err = {0};

	err__set(&err, 0, "'%s' is a FIFO that nobody reads yet: waiting for a reader", path);
	complain(&err);
}

/* That of a FIFO waits for a reader, as the shell's does, but not beyond a signal. */
static int open_old(const char *path)
{
	int fd, looks = 0;

	while ((fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0 && errno == ENXIO) {
		struct stat st;

		if (stat(path, &st) < 0 || !S_ISFIFO(st.st_mode)) {
			errno = ENXIO;
			return -1;
		}
		if (shall_end()) {
			errno = EINTR;
			return -1;
		}
		if (++looks == SAID_AFTER)
			say_that_it_waits(path);
		usleep(LOOK_US);
	}
	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

int output__open(struct output *out, const char *path, int how, struct err *err)
{
	int fd;

	if (!path)
		return 0;
	out->path = path;
	fd = open_old(path);
	if (fd < 0 && errno == ENOENT) {
		fd = create(path, how & OUTPUT_PRIVATE);
		out->created = fd >= 0;
	} else if (fd >= 0 && (how & OUTPUT_WHOLE)) {
		fd = open_beside(out, fd);
	}
	out->file = fd >= 0 ? fdopen(fd, "w") : NULL;
	return out->file ? 0 : err__set(err, -errno, "can't write '%s': %s", path, strerror(errno));
}

static void forget_old(struct output *out)
{
	if (out->is_new) {
		close(out->old);
		beside__done(&out->beside);
	}
	out->is_new = false;
}

/* If it is still what has the name. */
static void take_away(const struct output *out)
{
	struct stat ours, named;

	if (fstat(fileno(out->file), &ours) == 0 && lstat(out->path, &named) == 0 &&
	    ours.st_ino == named.st_ino && ours.st_dev == named.st_dev)
		unlink(out->path);
}

void output__done(struct output *out)
{
	if (!out->file)
		return;
	if (out->created)
		take_away(out);
	fclose(out->file);
	forget_old(out);
}

bool ends_in(const char *path, const char *suffix)
{
	size_t n = strlen(path), len = strlen(suffix);

	return n > len && path[n - len - 1] != '/' && strcmp(path + n - len, suffix) == 0;
}

int write_error(const char *path, int r, struct err *err)
{
	return err__set(err, r, "can't write %s: %s", path ? path : "to standard output",
			strerror(-r));
}

int output__check_stdout(struct err *err)
{
	const int flags = fcntl(STDOUT_FILENO, F_GETFL);

	return flags < 0 || (flags & O_ACCMODE) == O_RDONLY ? write_error(NULL, -EBADF, err) : 0;
}

static void shorten(const struct output *out, off_t size)
{
	if (out->file && output__is_regular(out) && ftruncate(fileno(out->file), size) < 0)
		return; /* then the write that follows fails, too, and says so */
}

bool output__is_regular(const struct output *out)
{
	struct stat st;

	return fstat(out->file ? fileno(out->file) : STDOUT_FILENO, &st) == 0 &&
	       S_ISREG(st.st_mode);
}

void output__empty(struct output *out)
{
	shorten(out, 0);
}

/* Those of a network say only when it is closed that they are full. */
static int close_copy(FILE *file)
{
	int fd = dup(fileno(file));

	return fd >= 0 && close(fd) < 0 && errno != EINTR ? -errno : 0;
}

/* What is written from now on goes to the file that has the name. */
static int settle(struct output *out)
{
	int fd = fileno(out->file), r = 0;

	if (out->is_new) {
		r = beside__finish(&out->beside, fd, out->old);
		if (r == 0 && out->beside.keep && dup3(out->old, fd, O_CLOEXEC) < 0)
			r = -errno;
	} else if (output__is_regular(out)) {
		r = close_copy(out->file);
	}
	if (r < 0)
		return r;
	forget_old(out);
	out->created = false;
	out->whole = lseek(fd, 0, SEEK_END);
	return 0;
}

static int say_failed(struct output *out, int r, struct err *err)
{
	const char *left = out->is_new    ? "; the file that was there has not changed" :
			   out->whole > 0 ? "; what was written before is there" :
			   out->created   ? "; nothing is left of it" :
					    "";

	return err__set(err, r, "can't write %s: %s%s", out->path, strerror(-r), left);
}

int output__finish(struct output *out, int r, struct err *err)
{
	if (r == -EPIPE)
		return 0;
	if (!out->file)
		return r < 0 ? write_error(NULL, r, err) : 0;
	if (r == 0)
		r = settle(out);
	if (r == 0)
		return 0;
	shorten(out, out->whole > 0 ? out->whole : 0);
	return say_failed(out, r, err);
}

/* Names of files and of profiles are in it, and nobody's name may command the terminal. */
int complain(const struct err *err)
{
	_cleanup_(buf__done) struct buf line = {0};

	escape_line(&line, err->text);
	fprintf(stderr, "pmubpf: %s\n", line.data ? line.data : "");
	return err->exit_code;
}
