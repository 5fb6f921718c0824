// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The agent's side. The hard thing is that what it knows of a keeper is always late: one may have
 * ended before it did what it was told. So both are told all, news say of which settings they are,
 * and a spare one that was made before it was told the last ones is given up.
 */
#include "ship/keeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "ship/keeping.h"
#include "symd/protocol.h"
#include "sys/clock.h"

#define SECOND_NS 1000000000ULL
#define BACKOFF_NS SECOND_NS
#define BACKOFF_MAX_NS (60 * SECOND_NS)
enum { ANSWER_MS = 2000 };

/* What a message was about. */
struct heard {
	uint16_t type; /* 0: none that counts */
	int listener;  /* of LISTEN: a descriptor, or a negative errno */
	unsigned port;
};

/* ---------------------------------------------------------------- the processes */

static void end(struct keeper_process *p)
{
	if (p->pid > 0) {
		kill(p->pid, SIGKILL);
		waitpid(p->pid, NULL, 0);
	}
	if (p->sock >= 0)
		close(p->sock);
	*p = (struct keeper_process){.sock = -1};
}

static void send_empty(struct keeper_process *p, uint16_t type, int fd)
{
	_cleanup_(buf__done) struct buf message = {0};

	symd_msg__begin(&message, type, 0);
	symd_msg__end(&message);
	if (p->sock >= 0 && symd_msg__send(p->sock, &message, fd, MSG_DONTWAIT) < 0)
		end(p);
}

int keeper__start(struct keeper *k, int spool, keeper_say *say, struct err *err)
{
	int r;

	*k = (struct keeper){.first.sock = -1, .spare.sock = -1};
	r = keeping_start(&k->first, say);
	if (r == 0)
		r = keeping_start(&k->spare, say);
	if (r < 0) {
		end(&k->first);
		return err__set(err, r, "the process that keeps senders doesn't start: %s",
				strerror(-r));
	}
	send_empty(&k->first, KEEPING_SPOOL, spool);
	send_empty(&k->spare, KEEPING_SPOOL, spool);
	return 0;
}

bool keeper__is_over(const struct keeper *k)
{
	return k->first.sock < 0 && k->spare.sock < 0;
}

void keeper__done(struct keeper *k)
{
	end(&k->first);
	end(&k->spare);
	*k = (struct keeper){.first.sock = -1, .spare.sock = -1};
}

/* ---------------------------------------------------------------- news */

static void take_news(struct keeper *k, struct cursor *body)
{
	uint32_t generation = cursor__u32(body);
	size_t i = cursor__u8(body);
	struct destination_books b = {
		.sent = cursor__u64(body),
		.refused = cursor__u64(body),
		.expired = cursor__u64(body),
		.uncertain = cursor__u64(body),
		.starts = cursor__u64(body),
		.running = cursor__u64(body),
	};

	if (!cursor__done(body) || generation != k->generation || i >= k->n)
		return;
	if (!b.sent && !b.refused && !b.expired && !b.uncertain) {
		/* it has not said anything yet */
		k->books[i].starts = k->starts_before[i] + b.starts;
		k->books[i].running = b.running;
		return;
	}
	b.starts += k->starts_before[i];
	k->books[i] = b;
}

static void take_spare(struct keeper *k, struct cursor *body, int *fd)
{
	uint32_t generation = cursor__u32(body);
	struct keeper_process p = {.pid = (pid_t)cursor__u32(body), .sock = *fd};

	k->is_asked = false;
	if (!cursor__done(body) || p.sock < 0)
		return;
	TAKE_FD(*fd);
	if (k->spare.sock >= 0 || generation != k->generation)
		end(&p);
	else
		k->spare = p;
}

static void take_listener(struct cursor *body, int *fd, struct heard *ret)
{
	uint32_t error = cursor__u32(body);

	ret->port = cursor__u16(body);
	ret->listener = error ? -(int)error : *fd >= 0 ? TAKE_FD(*fd) : -EPROTO;
}

/* One message of that one. 0: there is none; -EPIPE: it has ended, and was reaped. */
static int hear(struct keeper *k, struct keeper_process *p, struct heard *ret)
{
	static char message[SYMD_MSG_MAX];
	_cleanup_close_ int fd = -1;
	struct symd_header header;
	struct cursor body;
	ssize_t n = p->sock < 0 ? -EAGAIN : symd_msg__recv(p->sock, message, &fd, MSG_DONTWAIT);

	*ret = (struct heard){.listener = -1};
	if (n == -EAGAIN || n == -EINTR)
		return 0;
	if (n <= 0 || symd_msg__parse(message, (size_t)n, &header, &body) < 0) {
		end(p);
		return -EPIPE;
	}
	ret->type = header.type;
	if (header.type == KEEPING_NEWS)
		take_news(k, &body);
	else if (header.type == KEEPING_ANOTHER)
		take_spare(k, &body, &fd);
	else if (header.type == KEEPING_LISTEN)
		take_listener(&body, &fd, ret);
	return 1;
}

/* The first one has ended: the spare one takes its place, after a while. */
static void succeed(struct keeper *k)
{
	uint64_t now = now_ns();

	for (size_t i = 0; i < k->n; i++) {
		k->books[i].running = 0;
		k->starts_before[i] = k->books[i].starts;
	}
	if (!k->backoff_ns || now - k->told_ns > BACKOFF_MAX_NS)
		k->backoff_ns = BACKOFF_NS;
	else if (k->backoff_ns < BACKOFF_MAX_NS)
		k->backoff_ns *= 2;
	k->not_before_ns = now + k->backoff_ns;
	k->began = false;
	k->is_asked = false;
	k->first = k->spare;
	k->spare = (struct keeper_process){.sock = -1};
}

static void begin(struct keeper *k)
{
	if (k->began || k->first.sock < 0 || now_ns() < k->not_before_ns)
		return;
	k->began = true;
	k->told_ns = now_ns();
	send_empty(&k->first, KEEPING_BEGIN, -1);
}

void keeper__step(struct keeper *k)
{
	struct heard heard;

	if (keeper__is_over(k))
		return;
	while (hear(k, &k->first, &heard) > 0)
		cleanup_close(&heard.listener); /* nobody waits for it any more */
	while (hear(k, &k->spare, &heard) > 0)
		cleanup_close(&heard.listener);
	if (k->first.sock < 0)
		succeed(k);
	if (k->spare.sock < 0 && k->first.sock >= 0 && !k->is_asked) {
		k->is_asked = true;
		send_empty(&k->first, KEEPING_ANOTHER, -1);
	}
	begin(k);
}

void keeper__watch(const struct keeper *k, int epoll)
{
	const int socks[] = {k->first.sock, k->spare.sock};

	for (size_t i = 0; i < ARRAY_SIZE(socks); i++) {
		struct epoll_event event = {.events = EPOLLIN};

		if (socks[i] >= 0)
			epoll_ctl(epoll, EPOLL_CTL_ADD, socks[i], &event); /* or it is there */
	}
}

/* ---------------------------------------------------------------- what they are told */

static int send_destination(int sock, const struct destination *d)
{
	_cleanup_(buf__done) struct buf message = {0};
	int r;

	symd_msg__begin(&message, KEEPING_DESTINATION, 0);
	symd_msg__put_text(&message, d->to, KEEPING_TEXT_MAX);
	symd_msg__put_text(&message, d->secrets.user, KEEPING_TEXT_MAX);
	symd_msg__put_text(&message, d->secrets.password, KEEPING_TEXT_MAX);
	symd_msg__end(&message);
	r = symd_msg__send(sock, &message, d->secrets.ca, MSG_DONTWAIT);
	explicit_bzero(message.data, message.len);
	return r;
}

/* One that can't be told has to go: it would send what it was told before. */
static void tell(struct keeper *k, struct keeper_process *p, const struct keeper_settings *s)
{
	_cleanup_(buf__done) struct buf message = {0};
	int r = 0;

	if (p->sock >= 0 && s->state >= 0)
		send_empty(p, KEEPING_STATE, s->state);
	if (p->sock < 0)
		return;
	for (size_t i = 0; r == 0 && i < s->n; i++)
		r = send_destination(p->sock, &s->destinations[i]);
	symd_msg__begin(&message, KEEPING_SET, 0);
	symd_msg__put_u32(&message, k->generation);
	symd_msg__put_text(&message, s->host, KEEPING_TEXT_MAX);
	symd_msg__put_u64(&message, s->rows.max_stacks);
	symd_msg__put_u32(&message, s->rows.one_of);
	symd_msg__end(&message);
	if (r < 0 || symd_msg__send(p->sock, &message, -1, MSG_DONTWAIT) < 0)
		end(p);
}

int keeper__set(struct keeper *k, const struct keeper_settings *s, const size_t *places)
{
	struct destination_books books[DESTINATIONS_MAX] = {0};
	uint64_t before[DESTINATIONS_MAX] = {0};

	keeper__step(k);
	if (keeper__is_over(k))
		return -EPIPE;
	for (size_t i = 0; i < s->n; i++) {
		if (places[i] >= k->n)
			continue;
		books[i] = k->books[places[i]];
		before[i] = k->starts_before[places[i]];
	}
	memcpy(k->books, books, sizeof(books));
	memcpy(k->starts_before, before, sizeof(before));
	k->n = s->n;
	k->generation++;
	tell(k, &k->first, s);
	tell(k, &k->spare, s);
	keeper__step(k);
	return keeper__is_over(k) ? -EPIPE : 0;
}

int keeper__listen(struct keeper *k, const char *where, unsigned *ret_port)
{
	_cleanup_(buf__done) struct buf message = {0};
	uint64_t until = now_ns() + ANSWER_MS * 1000000ULL;
	struct heard heard;
	int r;

	keeper__step(k);
	if (k->first.sock < 0)
		return -EPIPE;
	symd_msg__begin(&message, KEEPING_LISTEN, 0);
	symd_msg__put_text(&message, where, KEEPING_TEXT_MAX);
	symd_msg__end(&message);
	r = symd_msg__send(k->first.sock, &message, -1, MSG_DONTWAIT);
	while (r == 0) {
		struct pollfd p = {.fd = k->first.sock, .events = POLLIN};
		uint64_t now = now_ns();

		if (now >= until || poll(&p, 1, (int)((until - now) / 1000000) + 1) == 0)
			return -ETIMEDOUT;
		if (hear(k, &k->first, &heard) < 0)
			return -EPIPE;
		if (heard.type != KEEPING_LISTEN)
			continue;
		*ret_port = heard.port;
		return heard.listener;
	}
	return r;
}
