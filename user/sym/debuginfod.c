// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/debuginfod.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "sym/helper.h"
#include "symd/fetch.h"
#include "symd/protocol.h"
#include "sys/clock.h"

enum {
	START_MS = 5000,
	LEAVE_MS = 500, /* for what it has in /tmp, if it never was root */
	NS_PER_MS = 1000000,
};

struct asked {
	enum fetch_which which;
	uint8_t build_id[SYMD_BUILD_ID_MAX];
	size_t len;
	int fd; /* -1: there is none */
};

struct debuginfod {
	struct helper helper;
	struct debuginfod_work work;
	struct asked asked[DEBUGINFOD_FILES_MAX]; /* work.asked of them */
};

struct debuginfod *debuginfod__new(void)
{
	struct debuginfod *d = xcalloc(1, sizeof(*d));

	helper__init(&d->helper, NULL);
	d->helper.command = "fetchd";
	d->helper.still_ns = 0; /* servers may take their time */
	return d;
}

void debuginfod__stop_by(struct debuginfod *d, int fd, uint64_t from_ns)
{
	d->helper.stop_fd = fd;
	d->helper.stop_from_ns = from_ns;
}

void debuginfod__meanwhile(struct debuginfod *d, void (*fn)(void *ctx), void *ctx)
{
	d->helper.meanwhile = fn;
	d->helper.meanwhile_ctx = ctx;
}

void debuginfod__done(struct debuginfod **d)
{
	for (size_t i = 0; *d && i < (*d)->work.asked; i++)
		cleanup_close(&(*d)->asked[i].fd);
	if (*d) {
		helper__leave(&(*d)->helper, LEAVE_MS);
		helper__done(&(*d)->helper);
	}
	free(*d);
	*d = NULL;
}

/* The helper's own way of asking has no answers with descriptors. */
static int receive(struct debuginfod *d, uint64_t deadline_ns, int *ret_fd)
{
	struct helper *h = &d->helper;
	struct symd_header header;
	struct cursor body;
	ssize_t n;
	uint8_t answer;
	int r;

	do {
		r = helper__wait(h, POLLIN, deadline_ns);
		n = r == 0 ? symd_msg__recv(h->sock, h->reply, ret_fd, MSG_DONTWAIT) : r;
	} while (n == -EAGAIN || n == -EINTR);
	if (n <= 0)
		return n ? (int)n : -EPIPE;
	if (symd_msg__parse(h->reply, (size_t)n, &header, &body) < 0 || header.type != SYMD_FETCH ||
	    header.seq != h->seq)
		return -EPROTO;
	answer = cursor__u8(&body);
	if (!cursor__done(&body) || answer > FETCH_NO_LIBRARY ||
	    (answer == FETCH_FOUND) != (*ret_fd >= 0))
		return -EPROTO;
	return answer;
}

/* An enum fetch_answer, or a negative errno: then the process is gone. *ret_fd is the caller's, or
 * -1. */
static int debuginfod__ask(struct debuginfod *d, const struct asked *what, uint64_t timeout_ns,
			   int *ret_fd)
{
	uint64_t now = now_ns();
	int r = helper__start(&d->helper, now + (uint64_t)START_MS * NS_PER_MS);

	*ret_fd = -1;
	if (r < 0)
		return r;
	helper__begin(&d->helper, SYMD_FETCH);
	symd_msg__put_u8(&d->helper.request, (uint8_t)what->which);
	symd_msg__put_u8(&d->helper.request, (uint8_t)what->len);
	buf__add(&d->helper.request, what->build_id, what->len);
	symd_msg__end(&d->helper.request);
	r = symd_msg__send(d->helper.sock, &d->helper.request, -1, MSG_DONTWAIT);
	if (r == 0)
		r = receive(d, now + timeout_ns, ret_fd);
	if (r >= 0)
		return r;
	cleanup_close(ret_fd);
	*ret_fd = -1;
	helper__kill(&d->helper);
	return r;
}

int debuginfod__check(struct err *err)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	const struct asked nothing = {.which = FETCH_DEBUG_FILE};
	_cleanup_close_ int fd = -1;
	struct debuginfod *d;
	int r;

	if (!urls || !*urls)
		return err__usage(
			err,
			"--debuginfod: DEBUGINFOD_URLS names no server to ask; set it, such as "
			"DEBUGINFOD_URLS=https://debuginfod.debian.net (sudo drops it: "
			"sudo --preserve-env=DEBUGINFOD_URLS …)");
	d = debuginfod__new();
	r = debuginfod__ask(d, &nothing, (uint64_t)START_MS * NS_PER_MS, &fd);
	debuginfod__done(&d);
	if (r == FETCH_NO_LIBRARY)
		return err__set(err, -ENOENT,
				"--debuginfod: libdebuginfod isn't installed (Debian, Ubuntu: "
				"libdebuginfod1)");
	if (r < 0)
		return err__set(err, r,
				"--debuginfod: the process that would ask can't be started "
				"without privileges");
	return 0;
}

/* NULL: no more may be asked for. */
static struct asked *asked_of(struct debuginfod *d, enum fetch_which which, const uint8_t *build_id,
			      size_t len)
{
	struct asked *a;

	for (size_t i = 0; i < d->work.asked; i++) {
		a = &d->asked[i];
		if (a->which == which && a->len == len && memcmp(a->build_id, build_id, len) == 0)
			return a;
	}
	if (d->work.asked >= DEBUGINFOD_FILES_MAX)
		return NULL;
	a = &d->asked[d->work.asked];
	memcpy(a->build_id, build_id, len);
	a->len = len;
	a->which = which;
	return a;
}

static int fetch(struct debuginfod *d, enum fetch_which which, const uint8_t *build_id, size_t len)
{
	const uint64_t total = (uint64_t)DEBUGINFOD_TOTAL_S * 1000 * NS_PER_MS;
	uint64_t each = (uint64_t)FETCH_FILE_S * 1000 * NS_PER_MS, before = now_ns();
	struct asked *asked;
	int r;

	if (len < 2 || len > SYMD_BUILD_ID_MAX || !(asked = asked_of(d, which, build_id, len)))
		return -1;
	if (asked == &d->asked[d->work.asked]) {
		if (d->work.ns >= total)
			return -1;
		if (each > total - d->work.ns)
			each = total - d->work.ns;
		d->work.asked++;
		r = debuginfod__ask(d, asked, each, &asked->fd);
		d->work.found += r == FETCH_FOUND;
		d->work.ns += now_ns() - before;
	}
	return asked->fd < 0 ? -1 : fcntl(asked->fd, F_DUPFD_CLOEXEC, 0);
}

int debuginfod__fetch(struct debuginfod *d, const uint8_t *build_id, size_t len)
{
	return fetch(d, FETCH_DEBUG_FILE, build_id, len);
}

int debuginfod__fetch_program(struct debuginfod *d, const uint8_t *build_id, size_t len)
{
	return fetch(d, FETCH_PROGRAM, build_id, len);
}

struct debuginfod_work debuginfod__work(const struct debuginfod *d)
{
	return d->work;
}
