// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * HTTP as far as a scrape needs it: one request of each connection, of which only the first line is
 * looked at. The port is opened by the parent, which keeps it, so that another process can take the
 * place of one that was killed, and whoever asks meanwhile waits.
 */
#include "ship/scrape.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "sys/clock.h"
#include "sys/drop.h"
#include "sys/fd_packet.h"
#include "sys/landlock.h"
#include "sys/no_network.h"
#include "sys/reexec.h"

enum { BACKLOG = 64, FILES = 64 };
#define SECOND_NS 1000000000ULL

struct client {
	int fd; /* -1: nobody */
	uint64_t until_ns;
	size_t n_request;
	char request[SCRAPE_REQUEST];
	struct buf reply; /* empty: the request isn't whole yet */
	size_t sent;
};

struct server {
	int sock, listener;
	struct buf text;
	struct client clients[SCRAPE_CLIENTS];
};

/* ---------------------------------------------------------------- the process beside us */

static void hang_up(struct client *c)
{
	cleanup_close(&c->fd);
	c->fd = -1;
	buf__done(&c->reply);
}

static void reply(struct client *c, const char *status, const struct buf *text)
{
	buf__printf(&c->reply,
		    "HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
		    "Content-Length: %zu\r\nConnection: close\r\n\r\n",
		    status, text ? text->len : 0);
	if (text && text->len)
		buf__add(&c->reply, text->data, text->len);
	c->sent = 0;
}

static bool is_of_metrics(const char *request)
{
	static const char start[] = "GET /metrics";

	return starts_with(request, start) && strchr(" ?", request[sizeof(start) - 1]);
}

static void answer(struct server *s, struct client *c)
{
	c->request[c->n_request] = '\0';
	if (!strstr(c->request, "\r\n\r\n") && !strstr(c->request, "\n\n")) {
		if (c->n_request == sizeof(c->request) - 1)
			reply(c, "431 Request Header Fields Too Large", NULL);
		return;
	}
	if (is_of_metrics(c->request))
		reply(c, "200 OK", &s->text);
	else
		reply(c, "404 Not Found", NULL);
}

static void read_on(struct server *s, struct client *c)
{
	ssize_t n = recv(c->fd, c->request + c->n_request, sizeof(c->request) - 1 - c->n_request,
			 MSG_DONTWAIT);

	if (n <= 0) {
		hang_up(c);
		return;
	}
	c->n_request += (size_t)n;
	answer(s, c);
}

static void write_on(struct client *c)
{
	char rest[4096];
	ssize_t n = send(c->fd, c->reply.data + c->sent, c->reply.len - c->sent,
			 MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0 && errno != EAGAIN) {
		hang_up(c);
		return;
	}
	c->sent += n > 0 ? (size_t)n : 0;
	if (c->sent < c->reply.len)
		return;
	/* what is left unread would make the kernel throw the answer away */
	for (int i = 0; i < 16 && recv(c->fd, rest, sizeof(rest), MSG_DONTWAIT) > 0; i++)
		;
	hang_up(c);
}

static void take_client(struct server *s)
{
	struct client *to = &s->clients[0];
	int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	for (size_t i = 0; i < SCRAPE_CLIENTS && to->fd >= 0; i++) {
		struct client *c = &s->clients[i];

		if (c->fd < 0 || c->until_ns < to->until_ns)
			to = c;
	}
	if (to->fd >= 0)
		hang_up(to);
	to->fd = fd;
	to->n_request = 0;
	to->until_ns = now_ns() + SCRAPE_SECONDS * SECOND_NS;
}

/* False: the agent has ended. */
static bool take_text(struct server *s)
{
	_cleanup_close_ int fd = -1;
	struct stat st;
	char byte;
	void *room;

	if (fd_packet__recv(s->sock, &byte, 1, &fd, 0) != 1)
		return false;
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size <= 0 || st.st_size > SCRAPE_TEXT)
		return true;
	buf__clear(&s->text);
	room = buf__room(&s->text, (size_t)st.st_size);
	if (pread(fd, room, (size_t)st.st_size, 0) != st.st_size)
		buf__clear(&s->text);
	return true;
}

static void serve_clients(struct server *s)
{
	enum { SOCK = SCRAPE_CLIENTS, LISTENER, N };
	struct pollfd fds[N];

	for (;;) {
		uint64_t now = now_ns();

		for (size_t i = 0; i < SCRAPE_CLIENTS; i++) {
			struct client *c = &s->clients[i];

			if (c->fd >= 0 && now > c->until_ns)
				hang_up(c);
			fds[i] = (struct pollfd){c->fd, c->reply.len ? POLLOUT : POLLIN, 0};
		}
		fds[SOCK] = (struct pollfd){s->sock, POLLIN, 0};
		/* whoever asks before there is a text waits for it */
		fds[LISTENER] = (struct pollfd){s->text.len ? s->listener : -1, POLLIN, 0};
		if (poll(fds, N, 1000) <= 0)
			continue;
		if (fds[SOCK].revents && !take_text(s))
			return;
		for (size_t i = 0; i < SCRAPE_CLIENTS; i++) {
			if (fds[i].revents && s->clients[i].reply.len)
				write_on(&s->clients[i]);
			else if (fds[i].revents)
				read_on(s, &s->clients[i]);
		}
		if (fds[LISTENER].revents)
			take_client(s);
	}
}

static int become_nobody(void)
{
	const struct rlimit files = {FILES, FILES};
	int r;

	prctl(PR_SET_NAME, "pmubpf-metrics");
	r = drop_new_privileges();
	if (r < 0)
		return r;
	r = drop_to_nobody();
	/* who records has given up what that needs by the time that another one is started */
	if (r == -EPERM)
		r = drop_capabilities(0);
	/* becoming another user has cleared it */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 0);
	setrlimit(RLIMIT_NOFILE, &files);
	if (r == 0)
		r = landlock_deny_all();
	return r == 0 || r == -ENOSYS ? no_network() : r;
}

static int serve(int sock)
{
	struct server *s = xcalloc(1, sizeof(*s));
	sigset_t none;
	char byte;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	s->sock = sock;
	for (size_t i = 0; i < SCRAPE_CLIENTS; i++)
		s->clients[i].fd = -1;
	if (fd_packet__recv(sock, &byte, 1, &s->listener, 0) == 1 && s->listener >= 0 &&
	    become_nobody() == 0)
		serve_clients(s);
	free(s);
	return 1;
}

/* ---------------------------------------------------------------- ours */

struct address {
	union {
		struct sockaddr any;
		struct sockaddr_in four;
		struct sockaddr_in6 six;
	};
	socklen_t len;
};

static int parse(const char *where, struct address *ret, struct err *err)
{
	const char *colon = strrchr(where, ':'), *port = colon ? colon + 1 : where;
	_cleanup_free_ char *host = xstrndup(where, colon ? (size_t)(colon - where) : 0);
	size_t len = strlen(host);
	char *name = host;
	int number;

	*ret = (struct address){0};
	if (len > 1 && host[0] == '[' && host[len - 1] == ']') {
		host[len - 1] = '\0';
		name = host + 1;
	}
	if (num__parse_int(port, 0, 65535, &number) < 0)
		return err__usage(err, "--metrics '%s': no port from 0 to 65535 is at its end",
				  where);
	if (!*host || strcmp(host, "localhost") == 0)
		name = (char *)"127.0.0.1";
	if (name != host + 1 && inet_pton(AF_INET, name, &ret->four.sin_addr) == 1) {
		ret->four.sin_family = AF_INET;
		ret->four.sin_port = htons((uint16_t)number);
		ret->len = sizeof(ret->four);
		return 0;
	}
	if (name == host + 1 && inet_pton(AF_INET6, name, &ret->six.sin6_addr) == 1) {
		ret->six.sin6_family = AF_INET6;
		ret->six.sin6_port = htons((uint16_t)number);
		ret->len = sizeof(ret->six);
		return 0;
	}
	return err__usage(
		err, "--metrics '%s' is not an address and port, as 127.0.0.1:9464 or [::1]:9464",
		where);
}

int scrape__check(const char *where, struct err *err)
{
	struct address address;

	return parse(where, &address, err);
}

static int open_port(const struct address *a, unsigned *ret_port)
{
	_cleanup_close_ int fd =
		socket(a->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct address got = {.len = sizeof(got.six)};
	const int yes = 1;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0 ||
	    bind(fd, &a->any, a->len) < 0 || listen(fd, BACKLOG) < 0 ||
	    getsockname(fd, &got.any, &got.len) < 0)
		return -errno;
	*ret_port = ntohs(got.any.sa_family == AF_INET ? got.four.sin_port : got.six.sin6_port);
	return TAKE_FD(fd);
}

static int start(struct scrape *s)
{
	const struct reexec what = {.child = serve};
	const char byte = 0;
	int r = reexec_start(&what, &s->pid, &s->sock);

	if (r < 0) {
		s->pid = 0;
		s->sock = -1;
		return r;
	}
	return fd_packet__send(s->sock, &byte, 1, s->listener, MSG_DONTWAIT);
}

int scrape__open(const char *where, unsigned *ret_port, struct err *err)
{
	struct address address;
	int r = parse(where, &address, err);

	if (r < 0)
		return r;
	r = open_port(&address, ret_port);
	return r < 0 ? err__set(err, r, "can't listen on --metrics '%s': %s", where, strerror(-r)) :
		       r;
}

int scrape__start(struct scrape *s, int listener, struct err *err)
{
	int r;

	*s = (struct scrape){.listener = listener, .sock = -1};
	r = start(s);
	return r < 0 ? err__set(err, r, "the process that answers scrapes doesn't start: %s",
				strerror(-r)) :
		       0;
}

static void end(struct scrape *s)
{
	if (s->pid) {
		kill(s->pid, SIGKILL);
		waitpid(s->pid, NULL, 0);
	}
	cleanup_close(&s->sock);
	s->pid = 0;
	s->sock = -1;
}

static int put(struct scrape *s, const struct buf *text)
{
	_cleanup_close_ int fd = memfd_create("pmubpf-metrics", MFD_CLOEXEC);
	const char byte = 0;
	int r;

	if (fd < 0 || write(fd, text->data, text->len) != (ssize_t)text->len)
		return 0; /* the old one stays */
	r = fd_packet__send(s->sock, &byte, 1, fd, MSG_DONTWAIT);
	return r == -EAGAIN ? 0 : r;
}

void scrape__put(struct scrape *s, const struct buf *text)
{
	if (s->listener < 0 || !text->len)
		return;
	if (s->sock >= 0 && put(s, text) == 0)
		return;
	end(s);
	if (now_ns() < s->retry_ns)
		return;
	s->retry_ns = now_ns() + SECOND_NS;
	if (start(s) < 0 || put(s, text) < 0)
		end(s);
}

bool scrape__has_gone(const struct scrape *s)
{
	char byte;

	return s->listener >= 0 &&
	       (s->sock < 0 || recv(s->sock, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0);
}

void scrape__done(struct scrape *s)
{
	if (s->listener < 0)
		return;
	end(s);
	cleanup_close(&s->listener);
	*s = (struct scrape){.listener = -1, .sock = -1};
}
