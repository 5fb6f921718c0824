// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/closer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "sys/drop.h"
#include "sys/fd_packet.h"
#include "sys/reexec.h"

struct closer {
	pid_t pid;
	int sock;    /* -1: there is no such process */
	size_t sent; /* and not known to be closed */
	/* those that the socket had no room for, from the first on that is still here */
	int *waiting;
	size_t first, n, cap;
};

static int close_all(int sock)
{
	char word;

	prctl(PR_SET_NAME, "pmubpf-closer");
	if (drop_capabilities(0) < 0)
		return 1;
	for (;;) {
		int fd = -1;

		if (fd_packet__recv(sock, &word, sizeof(word), &fd, 0) <= 0)
			return 0;
		cleanup_close(&fd);
		/* who doesn't read it has gone, and the others are to be closed all the same */
		fd_packet__send(sock, &word, sizeof(word), -1, MSG_NOSIGNAL);
	}
}

struct closer *closer__start(void)
{
	const struct reexec what = {.child = close_all};
	struct closer *c = xcalloc(1, sizeof(*c));

	if (reexec_start(&what, &c->pid, &c->sock) < 0)
		c->sock = -1;
	return c;
}

/* It has gone: what is left is ours to close, and what it had is closed. */
static void lose(struct closer *c)
{
	cleanup_close(&c->sock);
	c->sock = -1;
	c->sent = 0;
}

static int hand_over(struct closer *c, int fd)
{
	const char word = 0;
	int r = c->sock < 0 ? -EPIPE :
			      fd_packet__send(c->sock, &word, sizeof(word), fd,
					      MSG_DONTWAIT | MSG_NOSIGNAL);

	if (r == -EAGAIN)
		return r;
	if (r < 0 && c->sock >= 0)
		lose(c);
	c->sent += r == 0;
	close(fd);
	return 0;
}

static void go_on(struct closer *c)
{
	while (c->first < c->n && hand_over(c, c->waiting[c->first]) == 0)
		c->first++;
	if (c->first == c->n)
		c->first = c->n = 0;
}

void closer__take(struct closer *c, int fd)
{
	go_on(c);
	if (c->first == c->n && hand_over(c, fd) == 0)
		return;
	GROW(c->waiting, c->n, c->cap);
	c->waiting[c->n++] = fd;
}

size_t closer__left(struct closer *c)
{
	char word;

	while (c->sock >= 0 && c->sent &&
	       fd_packet__recv(c->sock, &word, sizeof(word), NULL, MSG_DONTWAIT) > 0)
		c->sent--;
	go_on(c);
	return c->sent + (c->n - c->first);
}

void closer__free(struct closer *c)
{
	if (!c)
		return;
	go_on(c);
	while (c->first < c->n)
		close(c->waiting[c->first++]);
	cleanup_close(&c->sock);
	if (c->pid > 0)
		waitpid(c->pid, NULL, WNOHANG);
	free(c->waiting);
	free(c);
}
