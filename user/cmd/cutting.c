// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/cutting.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "sys/clock.h"

void cutting__init(struct cutting *c)
{
	*c = (struct cutting){.ended_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
}

static void step(struct cutting *c, struct pollfd *fds)
{
	const uint64_t one = 1;

	if (c->ended)
		return;
	if (session__step(c->session, now_ns(), fds)) {
		if (c->stepped)
			c->stepped(c->stepped_ctx, now_ns());
		return;
	}
	c->ended = true;
	/* nothing can go wrong with the first, and one is enough */
	if (write(c->ended_fd, &one, sizeof(one)) < 0)
		return;
}

void cutting__meanwhile(void *ctx)
{
	struct cutting *c = ctx;
	struct pollfd fds[SESSION_FDS];

	session__fds(c->session, now_ns(), fds);
	poll(fds, SESSION_FDS, 0);
	step(c, fds);
}

enum cutting_news cutting__wait(struct cutting *c, int fd)
{
	struct pollfd fds[SESSION_FDS + 1];

	while (!c->ended) {
		uint64_t now = now_ns();
		int ms;

		if (now >= c->next_ns)
			return CUTTING_DUE;
		ms = session__fds_until(c->session, now, c->next_ns, fds);
		fds[SESSION_FDS] = (struct pollfd){.fd = fd, .events = POLLIN};
		poll(fds, SESSION_FDS + 1, ms);
		step(c, fds);
		if (!c->ended && fds[SESSION_FDS].revents)
			return CUTTING_INPUT;
	}
	return CUTTING_ENDED;
}

void cutting__done(struct cutting *c)
{
	if (c->ended_fd > 0)
		close(c->ended_fd);
	*c = (struct cutting){0};
}
