// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Three kinds of processes, each with less than the one before: the keeper, which reads nothing of
 * anybody's, has what it takes to make a process nobody; a sender reads windows and answers, and
 * has its two folders, no capability and no network; and what it asks servers by (ship/http.h),
 * which was started before that, has the network. If that one ends, so does the sender, and both
 * are started anew.
 */
#include "ship/keeper.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "ship/sender.h"
#include "symd/fetch.h"
#include "sys/clock.h"
#include "sys/drop.h"
#include "sys/fd_packet.h"
#include "sys/landlock.h"
#include "sys/no_network.h"
#include "sys/reexec.h"

enum { LOOK_S = 5, REQUEST_MS = 60000, SENDER_MEMORY = 512 << 20 };
#define SECOND_NS 1000000000ULL
#define BACKOFF_NS SECOND_NS            /* doubled with each start, */
#define BACKOFF_MAX_NS (60 * SECOND_NS) /* up to that; of one that has run so long it begins anew */

struct news {
	uint64_t index;
	struct destination_books books;
};

/* Of the process that is just being started, as fork() has left it there. */
static struct inherited {
	struct keeper_opts opts;
	struct destination destinations[DESTINATIONS_MAX];
	size_t index; /* of a sender */
} inherited;

static void send_fds(int sock, const int *fds, size_t n)
{
	const char byte = 0;

	for (size_t i = 0; i < n; i++)
		fd_packet__send(sock, &byte, 1, fds[i], 0);
}

/* Those that aren't there are -1. */
static bool receive_fds(int sock, int **fds, size_t n)
{
	char byte;

	for (size_t i = 0; i < n; i++) {
		if (fd_packet__recv(sock, &byte, 1, fds[i], 0) != 1)
			return false;
	}
	return true;
}

/* What a process has that was forked and isn't executed. */
static void begin(const char *name)
{
	sigset_t none;

	prctl(PR_SET_NAME, name);
	prctl(PR_SET_DUMPABLE, 0); /* it knows passwords */
	drop_new_privileges();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* ---------------------------------------------------------------- a sender */

struct sending {
	int sock;
	const char *to;
	struct news news;
};

static void say(void *ctx, const char *text)
{
	const struct sending *s = ctx;

	inherited.opts.say(s->to, text);
}

static void tell(void *ctx, const struct ship_state *state)
{
	struct sending *s = ctx;

	s->news.books = (struct destination_books){
		.sent = state->sent,
		.refused = state->refused,
		.expired = state->expired,
		.uncertain = state->uncertain,
	};
	send(s->sock, &s->news, sizeof(s->news), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Once the process that has the network is there. */
static int give_up_all_else(const struct keeper_opts *opts)
{
	const struct rlimit memory = {SENDER_MEMORY, SENDER_MEMORY};
	int r = drop_capabilities(0);

	if (r == 0)
		r = landlock_two_folders(opts->spool, opts->state);
	if (r == 0 || r == -ENOSYS)
		r = no_network();
	if (r == 0)
		r = fetch_forbid_calls();
#ifndef __SANITIZE_ADDRESS__
	setrlimit(RLIMIT_DATA, &memory);
#else
	(void)memory;
#endif
	return r;
}

static int run_sender(struct sending *s, struct err *err)
{
	const struct keeper_opts *opts = &inherited.opts;
	const struct destination *d = &inherited.destinations[inherited.index];
	const struct timespec wait = {.tv_sec = LOOK_S};
	const struct sender_opts how = {
		.spool = opts->spool,
		.state_dir = opts->state,
		.to = d->to,
		.url = &d->url,
		.secrets = &d->secrets,
		.host = opts->host,
		.rows.max_stacks = opts->max_stacks,
		.timeout_ms = REQUEST_MS,
		.say = say,
		.done = tell,
		.ctx = s,
	};
	struct http_client *http = NULL;
	struct sender *sender = NULL;
	int r = http_client__new(&http, &d->url, &d->secrets, err);

	if (r < 0)
		return r;
	http_client__start_no_more(http);
	r = give_up_all_else(opts);
	if (r < 0)
		return err__set(err, r, "can't give up privileges: %s", strerror(-r));
	r = sender__new(&sender, http, &how, err);
	if (r == 0)
		tell(s, sender__state(sender));
	while (r == 0 && (r = sender__run(sender, err)) == 0)
		nanosleep(&wait, NULL);
	return r;
}

static int sender_main(int sock)
{
	struct destination *d = &inherited.destinations[inherited.index];
	int *fds[] = {&inherited.opts.spool, &inherited.opts.state, &d->secrets.ca};
	struct sending s = {.sock = sock, .to = d->to, .news.index = inherited.index};
	struct err err = {0};

	begin("pmubpf-send");
	if (!receive_fds(sock, fds, ARRAY_SIZE(fds)))
		return 1;
	if (run_sender(&s, &err) < 0)
		say(&s, err.text);
	return 1;
}

/* ---------------------------------------------------------------- the keeper */

struct kept {
	pid_t pid;
	int sock; /* -1: it doesn't run */
	uint64_t started_ns, not_before_ns, backoff_ns;
	struct news news;
};

static void forward(int sock, struct kept *k)
{
	k->news.books.running = k->sock >= 0;
	send(sock, &k->news, sizeof(k->news), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void start_one(struct kept *k, size_t i)
{
	const struct reexec what = {.child = sender_main};
	const int fds[] = {inherited.opts.spool, inherited.opts.state,
			   inherited.destinations[i].secrets.ca};

	inherited.index = i;
	k->started_ns = now_ns();
	k->news.index = i;
	k->news.books.starts++;
	if (reexec_start(&what, &k->pid, &k->sock) < 0) {
		k->sock = -1;
		k->not_before_ns = k->started_ns + BACKOFF_MAX_NS;
		return;
	}
	send_fds(k->sock, fds, ARRAY_SIZE(fds));
}

/* Its process for the network goes as it does: it asks to be killed then. */
static void has_ended(struct kept *k)
{
	uint64_t now = now_ns();

	kill(k->pid, SIGKILL);
	waitpid(k->pid, NULL, 0);
	close(k->sock);
	k->sock = -1;
	if (now - k->started_ns > BACKOFF_MAX_NS || !k->backoff_ns)
		k->backoff_ns = BACKOFF_NS;
	else if (k->backoff_ns < BACKOFF_MAX_NS)
		k->backoff_ns *= 2;
	k->not_before_ns = now + k->backoff_ns;
}

static void hear(struct kept *k)
{
	struct news news;

	if (recv(k->sock, &news, sizeof(news), MSG_DONTWAIT) != (ssize_t)sizeof(news)) {
		has_ended(k);
		return;
	}
	news.books.starts = k->news.books.starts;
	k->news.books = news.books;
}

/* Until the agent ends. */
static void keep(int sock, struct kept *kept, size_t n)
{
	struct pollfd fds[DESTINATIONS_MAX + 1] = {[DESTINATIONS_MAX] = {sock, POLLIN, 0}};

	for (;;) {
		uint64_t now = now_ns();

		for (size_t i = 0; i < n; i++) {
			if (kept[i].sock < 0 && now >= kept[i].not_before_ns) {
				start_one(&kept[i], i);
				forward(sock, &kept[i]);
			}
		}
		for (size_t i = 0; i < DESTINATIONS_MAX; i++)
			fds[i] = (struct pollfd){i < n ? kept[i].sock : -1, POLLIN, 0};
		poll(fds, ARRAY_SIZE(fds), 1000);
		if (fds[DESTINATIONS_MAX].revents)
			return;
		for (size_t i = 0; i < n; i++) {
			if (!fds[i].revents)
				continue;
			hear(&kept[i]);
			forward(sock, &kept[i]);
		}
	}
}

static int keeper_main(int sock)
{
	const uint64_t caps = CAP_BIT(CAP_SETUID) | CAP_BIT(CAP_SETGID) | CAP_BIT(CAP_SETPCAP);
	struct kept kept[DESTINATIONS_MAX] = {0};
	int *fds[2 + DESTINATIONS_MAX] = {&inherited.opts.spool, &inherited.opts.state};
	size_t n = inherited.opts.n;

	begin("pmubpf-keep");
	for (size_t i = 0; i < n; i++) {
		fds[2 + i] = &inherited.destinations[i].secrets.ca;
		kept[i].sock = -1;
	}
	if (drop_capabilities(geteuid() == 0 ? caps : 0) < 0 || !receive_fds(sock, fds, 2 + n))
		return 1;
	keep(sock, kept, n);
	return 0;
}

/* ---------------------------------------------------------------- ours */

int keeper__start(struct keeper *k, const struct keeper_opts *opts, struct err *err)
{
	const struct reexec what = {.child = keeper_main};
	int fds[2 + DESTINATIONS_MAX] = {opts->spool, opts->state};
	int r;

	*k = (struct keeper){.sock = -1, .n = opts->n};
	inherited.opts = *opts;
	for (size_t i = 0; i < opts->n; i++) {
		inherited.destinations[i] = opts->destinations[i];
		fds[2 + i] = opts->destinations[i].secrets.ca;
	}
	r = reexec_start(&what, &k->pid, &k->sock);
	inherited = (struct inherited){0};
	if (r < 0)
		return err__set(err, r, "the process that keeps senders doesn't start: %s",
				strerror(-r));
	send_fds(k->sock, fds, 2 + opts->n);
	return 0;
}

void keeper__step(struct keeper *k)
{
	struct news news;
	ssize_t n;

	while (k->sock >= 0 && (n = recv(k->sock, &news, sizeof(news), MSG_DONTWAIT)) != -1) {
		if (n == (ssize_t)sizeof(news) && news.index < k->n) {
			k->books[news.index] = news.books;
			continue;
		}
		cleanup_close(&k->sock);
		k->sock = -1;
		for (size_t i = 0; i < k->n; i++)
			k->books[i].running = 0;
	}
}

void keeper__done(struct keeper *k)
{
	if (!k->pid)
		return;
	kill(k->pid, SIGKILL);
	cleanup_close(&k->sock);
	waitpid(k->pid, NULL, 0);
	*k = (struct keeper){.sock = -1};
}
