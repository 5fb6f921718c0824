// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is that one that was killed must not have left a sender to which another one is
 * started: each is killed with its parent, and locks what it writes down (ship_state__lock).
 */
#include "ship/keeping.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "ship/scrape.h"
#include "ship/sending.h"
#include "symd/protocol.h"
#include "sys/caps.h"
#include "sys/clock.h"
#include "sys/drop.h"
#include "sys/reexec.h"

#define SECOND_NS 1000000000ULL
#define BACKOFF_NS SECOND_NS            /* doubled with each start, */
#define BACKOFF_MAX_NS (60 * SECOND_NS) /* up to that; of one that has run so long it begins anew */

/* Of the process that is just being started, as fork() has left it there. */
static keeper_say *inherited_say;

struct kept {
	struct destination to; /* its own */
	pid_t pid;
	int sock; /* -1: it doesn't run */
	uint64_t started_ns, not_before_ns, backoff_ns;
	struct destination_books books;
};

struct keeping {
	int sock;
	pid_t agent;
	int spool, state;
	char *host;
	struct rows_opts rows;
	uint32_t generation;
	bool begun;
	struct kept kept[DESTINATIONS_MAX];
	size_t n;
	struct kept next[DESTINATIONS_MAX]; /* that SET is about */
	size_t n_next;
	char message[SYMD_MSG_MAX];
};

/* ---------------------------------------------------------------- senders */

static void forward(struct keeping *k, size_t i)
{
	_cleanup_(buf__done) struct buf message = {0};
	const struct destination_books *b = &k->kept[i].books;
	const uint64_t counts[] = {b->sent,      b->refused, b->expired,
				   b->uncertain, b->starts,  k->kept[i].sock >= 0};

	symd_msg__begin(&message, KEEPING_NEWS, 0);
	symd_msg__put_u32(&message, k->generation);
	symd_msg__put_u8(&message, (uint8_t)i);
	for (size_t c = 0; c < ARRAY_SIZE(counts); c++)
		symd_msg__put_u64(&message, counts[c]);
	symd_msg__end(&message);
	symd_msg__send(k->sock, &message, -1, MSG_DONTWAIT);
}

static void start_one(struct keeping *k, struct kept *one)
{
	const struct sending_opts opts = {
		.destination = &one->to,
		.spool = k->spool,
		.state = k->state,
		.host = k->host,
		.rows = k->rows,
		.say = inherited_say,
	};

	one->started_ns = now_ns();
	one->books.starts++;
	if (sending_start(&opts, &one->pid, &one->sock) == 0)
		return;
	one->sock = -1;
	one->not_before_ns = one->started_ns + BACKOFF_MAX_NS;
}

/* Its process for the network goes as it does: it asks to be killed then. */
static void end_one(struct kept *one)
{
	if (one->sock < 0)
		return;
	kill(one->pid, SIGKILL);
	waitpid(one->pid, NULL, 0);
	cleanup_close(&one->sock);
	one->sock = -1;
}

static void has_ended(struct kept *one)
{
	uint64_t now = now_ns();

	end_one(one);
	if (now - one->started_ns > BACKOFF_MAX_NS || !one->backoff_ns)
		one->backoff_ns = BACKOFF_NS;
	else if (one->backoff_ns < BACKOFF_MAX_NS)
		one->backoff_ns *= 2;
	one->not_before_ns = now + one->backoff_ns;
}

static void hear(struct kept *one)
{
	struct sending_news news;

	if (recv(one->sock, &news, sizeof(news), MSG_DONTWAIT) != (ssize_t)sizeof(news)) {
		has_ended(one);
		return;
	}
	news.books.starts = one->books.starts;
	one->books = news.books;
}

/* ---------------------------------------------------------------- what it is told */

static void kept__done(struct kept *one)
{
	end_one(one);
	free((char *)one->to.to);
	ship_url__done(&one->to.url);
	http_secrets__done(&one->to.secrets);
	*one = (struct kept){.sock = -1};
}

static char *take_text(struct cursor *c)
{
	size_t len = cursor__u16(c);
	const char *text = cursor__bytes(c, len);

	return text ? xstrndup(text, len) : xstrdup("");
}

/* NULL for none. */
static char *take_secret(struct cursor *c)
{
	char *text = take_text(c);

	if (*text)
		return text;
	free(text);
	return NULL;
}

static bool take_destination(struct keeping *k, struct cursor *body, int *fd)
{
	struct kept *one = &k->next[k->n_next];
	struct err err = {0};

	if (k->n_next == DESTINATIONS_MAX)
		return false;
	*one = (struct kept){.sock = -1, .to.secrets.ca = TAKE_FD(*fd)};
	k->n_next++;
	one->to.to = take_text(body);
	one->to.secrets.user = take_secret(body);
	one->to.secrets.password = take_secret(body);
	return cursor__done(body) &&
	       ship_url__parse_any(&one->to.url, one->to.to, "--to", &err) == 0;
}

static bool same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool same_file(int a, int b)
{
	struct stat x, y;

	if (a < 0 || b < 0)
		return a == b || (a < 0 && b < 0);
	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino && x.st_size == y.st_size &&
	       memcmp(&x.st_ctim, &y.st_ctim, sizeof(x.st_ctim)) == 0;
}

static bool same_destination(const struct destination *a, const struct destination *b)
{
	return same_text(a->to, b->to) && same_text(a->secrets.user, b->secrets.user) &&
	       same_text(a->secrets.password, b->secrets.password) &&
	       same_file(a->secrets.ca, b->secrets.ca);
}

static void swap(struct kept *a, struct kept *b)
{
	struct kept c = *a;

	*a = *b;
	*b = c;
}

static bool same_rows(const struct rows_opts *a, const struct rows_opts *b)
{
	return a->max_stacks == b->max_stacks && a->one_of == b->one_of;
}

/* Senders of what stays go on: they change places with what came. */
static bool set(struct keeping *k, struct cursor *body)
{
	uint32_t generation = cursor__u32(body);
	char *host = take_text(body);
	struct rows_opts rows = {.max_stacks = cursor__u64(body)};
	bool same;

	rows.one_of = cursor__u32(body);
	same = k->host && strcmp(host, k->host) == 0 && same_rows(&rows, &k->rows);
	free(k->host);
	k->host = host;
	k->rows = rows;
	k->generation = generation;
	for (size_t i = 0; i < k->n_next; i++) {
		for (size_t was = 0; was < k->n; was++) {
			if (same && same_destination(&k->kept[was].to, &k->next[i].to))
				swap(&k->kept[was], &k->next[i]);
		}
	}
	for (size_t i = 0; i < k->n; i++)
		kept__done(&k->kept[i]);
	memcpy(k->kept, k->next, sizeof(k->kept));
	for (size_t i = 0; i < DESTINATIONS_MAX; i++)
		k->next[i] = (struct kept){.sock = -1};
	k->n = k->n_next;
	k->n_next = 0;
	for (size_t i = 0; k->begun && i < k->n; i++) /* a spare one has no news */
		forward(k, i);
	return cursor__done(body);
}

static void listen_for_agent(struct keeping *k, struct cursor *body)
{
	_cleanup_free_ char *where = take_text(body);
	_cleanup_(buf__done) struct buf message = {0};
	unsigned port = 0;
	struct err err = {0};
	_cleanup_close_ int fd = scrape__open(where, &port, &err);

	symd_msg__begin(&message, KEEPING_LISTEN, 0);
	symd_msg__put_u32(&message, fd < 0 ? (uint32_t)-fd : 0);
	symd_msg__put_u16(&message, (uint16_t)port);
	symd_msg__end(&message);
	symd_msg__send(k->sock, &message, fd, MSG_DONTWAIT);
}

/* ---------------------------------------------------------------- another one */

/* Who ends all of one name leaves the other one. */
static void be_called(bool at_work)
{
	prctl(PR_SET_NAME, at_work ? "pmubpf-keep" : "pmubpf-spare");
}

/* False: the agent has ended already. */
static bool be_another(struct keeping *k, int sock)
{
	be_called(false);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	cleanup_close(&k->sock);
	k->sock = sock;
	k->begun = false;
	for (size_t i = 0; i < k->n; i++) {
		struct kept *one = &k->kept[i];

		cleanup_close(&one->sock); /* another's sender */
		one->sock = -1;
		one->books = (struct destination_books){0};
		one->backoff_ns = one->not_before_ns = 0;
	}
	return getppid() == k->agent;
}

static void tell_of_another(struct keeping *k, pid_t pid, int sock)
{
	_cleanup_(buf__done) struct buf message = {0};

	symd_msg__begin(&message, KEEPING_ANOTHER, 0);
	symd_msg__put_u32(&message, k->generation);
	symd_msg__put_u32(&message, pid > 0 ? (uint32_t)pid : 0);
	symd_msg__end(&message);
	symd_msg__send(k->sock, &message, sock, MSG_DONTWAIT);
}

/* A child of the agent's, which is there when this one has ended; it returns, too.
 * False: as that of it. */
static bool make_another(struct keeping *k)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
		tell_of_another(k, 0, -1);
		return true;
	}
	pid = (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
	if (pid == 0) {
		close(pair[0]);
		return be_another(k, pair[1]);
	}
	tell_of_another(k, pid, pid > 0 ? pair[0] : -1);
	close(pair[0]);
	close(pair[1]);
	return true;
}

/* ---------------------------------------------------------------- the loop */

static void replace(int *at, int *fd)
{
	cleanup_close(at);
	*at = TAKE_FD(*fd);
}

/* False: it has ended, or says what nobody says. */
static bool take_message(struct keeping *k)
{
	_cleanup_close_ int fd = -1;
	struct symd_header header;
	struct cursor body;
	ssize_t n = symd_msg__recv(k->sock, k->message, &fd, 0);

	if (n <= 0 || symd_msg__parse(k->message, (size_t)n, &header, &body) < 0)
		return false;
	switch (header.type) {
	case KEEPING_SPOOL:
		replace(&k->spool, &fd);
		return true;
	case KEEPING_STATE:
		replace(&k->state, &fd);
		return true;
	case KEEPING_DESTINATION: {
		bool ok = take_destination(k, &body, &fd);

		explicit_bzero(k->message, (size_t)n);
		return ok;
	}
	case KEEPING_SET:
		return set(k, &body);
	case KEEPING_BEGIN:
		be_called(true);
		k->begun = true;
		return true;
	case KEEPING_ANOTHER:
		return make_another(k);
	case KEEPING_LISTEN:
		listen_for_agent(k, &body);
		return true;
	default:
		return false;
	}
}

static void start_senders(struct keeping *k)
{
	uint64_t now = now_ns();

	for (size_t i = 0; k->begun && i < k->n; i++) {
		struct kept *one = &k->kept[i];

		if (one->sock >= 0 || now < one->not_before_ns)
			continue;
		start_one(k, one);
		forward(k, i);
	}
}

/* Until the agent ends. */
static void keep(struct keeping *k)
{
	struct pollfd fds[DESTINATIONS_MAX + 1];

	for (;;) {
		start_senders(k);
		for (size_t i = 0; i < DESTINATIONS_MAX; i++)
			fds[i] = (struct pollfd){i < k->n ? k->kept[i].sock : -1, POLLIN, 0};
		fds[DESTINATIONS_MAX] = (struct pollfd){k->sock, POLLIN, 0};
		poll(fds, ARRAY_SIZE(fds), k->begun && k->n ? 1000 : -1);
		for (size_t i = 0; i < k->n; i++) {
			if (!fds[i].revents)
				continue;
			hear(&k->kept[i]);
			forward(k, i);
		}
		if (fds[DESTINATIONS_MAX].revents && !take_message(k))
			return;
	}
}

static int keeping_main(int sock)
{
	const uint64_t caps = CAP_BIT(CAP_SETUID) | CAP_BIT(CAP_SETGID) | CAP_BIT(CAP_SETPCAP) |
			      caps_to_hand_over();
	struct keeping *k = xcalloc(1, sizeof(*k));
	sigset_t none;

	k->sock = sock;
	k->agent = getppid();
	k->spool = k->state = -1;
	for (size_t i = 0; i < DESTINATIONS_MAX; i++)
		k->kept[i].sock = k->next[i].sock = -1;
	be_called(false);
	prctl(PR_SET_DUMPABLE, 0); /* it knows passwords */
	drop_new_privileges();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (drop_capabilities(geteuid() == 0 ? caps : 0) == 0)
		keep(k);
	return 1;
}

int keeping_start(struct keeper_process *ret, keeper_say *say)
{
	const struct reexec what = {.child = keeping_main};
	int r;

	inherited_say = say;
	r = reexec_start(&what, &ret->pid, &ret->sock);
	if (r < 0)
		*ret = (struct keeper_process){.sock = -1};
	return r;
}
