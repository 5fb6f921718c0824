// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ship/sending.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "ship/sender.h"
#include "symd/fetch.h"
#include "sys/drop.h"
#include "sys/fd_packet.h"
#include "sys/landlock.h"
#include "sys/no_network.h"
#include "sys/reexec.h"

enum { LOOK_S = 5, REQUEST_MS = 60000, SENDER_MEMORY = 512 << 20, LOCK_MS = 10000 };

/* Of the process that is just being started, as fork() has left it there. */
static struct sending_opts inherited;
static struct destination to_whom;

struct sending {
	int sock;
	int lock; /* of this destination: -1 or open until the end */
	struct sending_news news;
};

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

static void say(void *ctx, const char *text)
{
	(void)ctx;
	inherited.say(to_whom.to, text);
}

static void tell(void *ctx, const struct ship_state *state)
{
	struct sending *s = ctx;

	s->news.books = (struct destination_books){
		.sent = state->sent,
		.refused = state->refused,
		.expired = state->expired,
		.uncertain = state->uncertain,
		.running = 1,
	};
	send(s->sock, &s->news, sizeof(s->news), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Once the process that has the network is there. */
static int give_up_all_else(void)
{
	const struct rlimit memory = {SENDER_MEMORY, SENDER_MEMORY};
	int r = drop_capabilities(0);

	if (r == 0)
		r = landlock_two_folders(inherited.spool, inherited.state);
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
	const struct timespec wait = {.tv_sec = LOOK_S};
	const struct sender_opts how = {
		.spool = inherited.spool,
		.state_dir = inherited.state,
		.to = to_whom.to,
		.url = &to_whom.url,
		.secrets = &to_whom.secrets,
		.host = inherited.host,
		.rows = inherited.rows,
		.timeout_ms = REQUEST_MS,
		.say = say,
		.done = tell,
		.ctx = s,
	};
	struct http_client *http = NULL;
	struct sender *sender = NULL;
	int r;

	s->lock = ship_state__lock(inherited.state, to_whom.to, LOCK_MS, err);
	r = s->lock < 0 ? s->lock : http_client__new(&http, &to_whom.url, &to_whom.secrets, err);
	if (r < 0)
		return r;
	http_client__start_no_more(http);
	r = give_up_all_else();
	if (r < 0)
		return err__set(err, r, "can't give up privileges: %s", strerror(-r));
	r = sender__new(&sender, http, &how, err);
	if (r == 0)
		tell(s, sender__state(sender));
	while (r == 0 && (r = sender__run(sender, err)) == 0)
		nanosleep(&wait, NULL);
	return r;
}

static int sending_main(int sock)
{
	int *fds[] = {&inherited.spool, &inherited.state, &to_whom.secrets.ca};
	struct sending s = {.sock = sock, .lock = -1};
	struct err err = {0};

	prctl(PR_SET_NAME, "pmubpf-send");
	if (!receive_fds(sock, fds, ARRAY_SIZE(fds)))
		return 1;
	if (run_sender(&s, &err) < 0)
		say(&s, err.text);
	return 1;
}

int sending_start(const struct sending_opts *opts, pid_t *ret_pid, int *ret_sock)
{
	const struct reexec what = {.child = sending_main};
	const int fds[] = {opts->spool, opts->state, opts->destination->secrets.ca};
	const char byte = 0;
	int r;

	inherited = *opts;
	to_whom = *opts->destination;
	r = reexec_start(&what, ret_pid, ret_sock);
	to_whom = (struct destination){0};
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(fds); i++)
		fd_packet__send(*ret_sock, &byte, 1, fds[i], 0);
	return r;
}
