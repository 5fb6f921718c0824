// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/helper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "symd/protocol.h"
#include "sys/clock.h"
#include "sys/memory_file.h"
#include "sys/reexec.h"
#include "sys/usage.h"

enum {
	DELAY_S = 40,
	KILL_PAUSE_NS = 1000000,
	KILL_TRIES = 1000,
	KILL_SLEEPS = 50, /* tries, after which it isn't waited for if it sleeps */
	MEANWHILE_NS = 10 * 1000 * 1000,
	LOOK_MS = 100, /* between two looks at one that was asked */
	SMALL_STACK = 1024 * 1024,
};

void helper__init(struct helper *h, int (*child)(int sock))
{
	*h = (struct helper){.child = child,
			     .sock = -1,
			     .stop_fd = -1,
			     .written = -1,
			     .still_ns = HELPER_STILL_MS * 1000000ULL,
			     .reply = xcalloc(1, SYMD_MSG_MAX)};
}

/* As waitpid(), and its time is remembered. */
static pid_t reap(struct helper *h, pid_t pid, int options)
{
	struct rusage used = {0};
	pid_t r = wait4(pid, &h->status, options, &used);

	if (r == pid)
		h->gone_ns += timeval_ns(&used.ru_utime) + timeval_ns(&used.ru_stime);
	return r;
}

uint64_t helper__cpu_ns(const struct helper *h)
{
	uint64_t ns = h->gone_ns + (h->pid ? usage_cpu_ns(h->pid) : 0);

	for (int i = 0; i < h->n_dying; i++)
		ns += usage_cpu_ns(h->dying[i]);
	return ns;
}

/* A process in the middle of a read from a dead server dies when the read ends. */
static void reap_dying(struct helper *h)
{
	int kept = 0;

	for (int i = 0; i < h->n_dying; i++) {
		if (reap(h, h->dying[i], WNOHANG) == 0)
			h->dying[kept++] = h->dying[i];
	}
	h->n_dying = kept;
}

/* One whose memory is about to be free is worth the time. */
static bool may_spawn(struct helper *h)
{
	reap_dying(h);
	for (int i = 0; i < h->n_dying; i++) {
		if (!usage_sleeps(h->dying[i]))
			return false;
	}
	return h->n_dying < HELPER_MAX_DYING;
}

/* Whatever was written there before it failed. */
static void close_written(struct helper *h)
{
	cleanup_close(&h->written);
	h->written = -1;
}

/* There always is room: nobody is started where there would be none. */
static void reap_later(struct helper *h)
{
	h->dying[h->n_dying++] = h->pid;
	h->pid = 0;
	h->status = -1;
}

void helper__done(struct helper *h)
{
	helper__kill(h);
	close_written(h);
	reap_dying(h);
	buf__done(&h->request);
	free(h->reply);
	h->reply = NULL;
}

void helper__leave(struct helper *h, int timeout_ms)
{
	if (h->sock >= 0)
		close(h->sock);
	h->sock = -1;
	for (int i = 0; h->pid && i < timeout_ms; i++) {
		if (reap(h, h->pid, WNOHANG) != 0)
			h->pid = 0;
		else
			nanosleep(&(struct timespec){.tv_nsec = KILL_PAUSE_NS}, NULL);
	}
	helper__kill(h);
}

void helper__abandon(struct helper *h)
{
	close_written(h);
	if (h->sock >= 0)
		close(h->sock);
	h->sock = -1;
	if (!h->pid)
		return;
	kill(h->pid, SIGKILL);
	reap_later(h);
	reap_dying(h);
}

void helper__kill(struct helper *h)
{
	if (h->sock >= 0)
		close(h->sock);
	h->sock = -1;
	if (!h->pid)
		return;
	kill(h->pid, SIGKILL);
	for (int i = 0; reap(h, h->pid, WNOHANG) == 0; i++) {
		if (i == KILL_TRIES || (i >= KILL_SLEEPS && usage_sleeps(h->pid))) {
			reap_later(h);
			break;
		}
		nanosleep(&(struct timespec){.tv_nsec = KILL_PAUSE_NS}, NULL);
	}
	h->pid = 0;
}

int helper__wait(const struct helper *h, short events, uint64_t deadline_ns)
{
	for (;;) {
		uint64_t now = now_ns(), until = deadline_ns, left;
		bool listens = h->stop_fd >= 0 && now >= h->stop_from_ns;
		struct pollfd p[] = {{.fd = h->sock, .events = events},
				     {.fd = listens ? h->stop_fd : -1, .events = POLLIN}};
		struct timespec timeout;
		int n;

		if (h->stop_fd >= 0 && !listens && h->stop_from_ns < until)
			until = h->stop_from_ns;
		if (h->meanwhile && now + MEANWHILE_NS < until)
			until = now + MEANWHILE_NS;
		left = until > now ? until - now : 0;
		timeout = (struct timespec){.tv_sec = (time_t)(left / 1000000000),
					    .tv_nsec = (long)(left % 1000000000)};
		n = ppoll(p, ARRAY_SIZE(p), &timeout, NULL);
		if (h->meanwhile)
			h->meanwhile(h->meanwhile_ctx);
		if (n > 0)
			return p[0].revents ? 0 : -ECANCELED;
		if (n == 0 && until == deadline_ns)
			return -ETIMEDOUT;
		if (n < 0 && errno != EINTR)
			return -errno;
	}
}

static int spawn(struct helper *h)
{
	const struct reexec what = {
		.command = h->command ? h->command : "symd",
		.child = h->child,
		.buffer_bytes = 4 * SYMD_MSG_MAX,
	};
	int r = reexec_start(&what, &h->pid, &h->sock);

	if (r < 0)
		return r;
	h->seq = 0;
	h->greeted = false;
	h->worked_ns = 0;
	return 0;
}

/* The next message, if it is there. */
static int receive(struct helper *h, uint16_t type, uint32_t seq, struct cursor *body)
{
	struct symd_header header;
	ssize_t n = symd_msg__recv(h->sock, h->reply, NULL, MSG_DONTWAIT);
	int r;

	if (n <= 0)
		return n ? (int)n : -EPIPE;
	r = symd_msg__parse(h->reply, (size_t)n, &header, body);
	return r < 0 || header.type != type || header.seq != seq ? -EPROTO : 0;
}

/* Its first words come before any answer. */
static int receive_greeting(struct helper *h)
{
	struct cursor body;
	int r;

	if (h->greeted)
		return 0;
	r = receive(h, SYMD_HELLO, 0, &body);
	h->greeted = r == 0;
	return r;
}

/* Only ever called between two files. */
static bool is_tired(const struct helper *h)
{
	return h->pid && h->worked_ns > HELPER_WORK_S * 1000000000ULL;
}

int helper__spawn(struct helper *h)
{
	h->no_room = false;
	if (is_tired(h))
		helper__abandon(h);
	if (h->pid)
		return 0;
	return may_spawn(h) ? spawn(h) : -EBUSY;
}

int helper__start(struct helper *h, uint64_t deadline_ns)
{
	int r;

	if (is_tired(h))
		helper__kill(h);
	/* the one before may be on its way out */
	for (int i = 0; (r = helper__spawn(h)) == -EBUSY && i < KILL_TRIES; i++)
		nanosleep(&(struct timespec){.tv_nsec = KILL_PAUSE_NS}, NULL);
	if (r < 0)
		return r;
	while (!h->greeted && r == 0) {
		r = helper__wait(h, POLLIN, deadline_ns);
		if (r == 0)
			r = receive_greeting(h);
		if (r == -EAGAIN)
			r = 0;
	}
	if (r < 0)
		helper__kill(h);
	return r;
}

void helper__begin(struct helper *h, uint16_t type)
{
	symd_msg__begin(&h->request, type, ++h->seq);
	h->asked = type;
	h->asked_ns = now_ns();
	h->delayed_ns = h->pid ? usage_delayed_ns(h->pid) : 0;
	h->seen_ns = h->asked_ns;
	h->seen_cpu_ns = h->pid ? usage_cpu_ns(h->pid) : 0;
	h->stuck = false;
}

bool helper__is_stuck(struct helper *h)
{
	uint64_t cpu_ns = h->pid ? usage_cpu_ns(h->pid) : 0, now = now_ns();

	if (cpu_ns != h->seen_cpu_ns) {
		h->seen_cpu_ns = cpu_ns;
		h->seen_ns = now;
		return false;
	}
	h->stuck = h->pid && h->still_ns && now - h->seen_ns >= h->still_ns && usage_sleeps(h->pid);
	return h->stuck;
}

/* Not for ever: whoever waits for the answer is a user. */
static uint64_t extended(const struct helper *h, uint64_t deadline_ns)
{
	const uint64_t most = DELAY_S * 1000000000ULL;
	uint64_t delayed = h->pid ? usage_delayed_ns(h->pid) - h->delayed_ns : 0;

	return deadline_ns + (delayed < most ? delayed : most);
}

bool helper__is_late(const struct helper *h, uint64_t deadline_ns)
{
	uint64_t now = now_ns();

	return now >= deadline_ns && now >= extended(h, deadline_ns);
}

static int wait_for_answer(struct helper *h, uint64_t deadline_ns)
{
	for (;;) {
		uint64_t now = now_ns(), look = now + LOOK_MS * 1000000ULL;
		bool soon = deadline_ns > now && deadline_ns < look;
		int r = helper__wait(h, POLLIN, soon ? deadline_ns : look);

		if (r != -ETIMEDOUT)
			return r;
		if (helper__is_stuck(h) || helper__is_late(h, deadline_ns))
			return helper__wait(h, POLLIN, 0); /* it may have come meanwhile */
	}
}

static int ask(struct helper *h, int fd, uint64_t deadline_ns, struct cursor *body)
{
	int r;

	symd_msg__end(&h->request);
	while ((r = symd_msg__send(h->sock, &h->request, fd, MSG_DONTWAIT)) == -EAGAIN) {
		r = helper__wait(h, POLLOUT, deadline_ns);
		if (r < 0)
			return r;
	}
	while (r == 0) {
		r = wait_for_answer(h, deadline_ns);
		if (r < 0)
			return r;
		r = receive(h, h->asked, h->seq, body);
		if (r != -EAGAIN)
			return r;
		r = 0;
	}
	return r;
}

int helper__ask(struct helper *h, int fd, uint64_t deadline_ns, struct cursor *body)
{
	int r = h->pid ? ask(h, fd, deadline_ns, body) : -EPIPE;

	h->worked_ns += now_ns() - h->asked_ns;
	if (r < 0)
		helper__kill(h);
	return r;
}

static int lend(const struct helper *h)
{
	_cleanup_(buf__done) struct buf word = {0};

	symd_msg__begin(&word, SYMD_INTO, 0);
	symd_msg__end(&word);
	return symd_msg__send(h->sock, &word, h->written, MSG_DONTWAIT);
}

int helper__post(struct helper *h, int fd, const char *name)
{
	int r;

	close_written(h);
	h->written = memory_file__new(name);
	h->no_room = h->written < 0;
	if (h->no_room)
		return h->written;
	symd_msg__end(&h->request);
	r = h->pid ? lend(h) : -EPIPE;
	if (r == 0)
		r = symd_msg__send(h->sock, &h->request, fd, MSG_DONTWAIT);
	if (r < 0)
		helper__abandon(h);
	return r;
}

int helper__take(struct helper *h, struct cursor *body, int *ret_written)
{
	int r = h->pid ? receive_greeting(h) : -EPIPE;

	*ret_written = -1;
	if (r == 0)
		r = receive(h, h->asked, h->seq, body);
	if (r != -EAGAIN)
		h->worked_ns += now_ns() - h->asked_ns;
	if (r < 0 && r != -EAGAIN)
		helper__abandon(h);
	if (r == 0)
		*ret_written = TAKE_FD(h->written);
	return r;
}

/* It raises its own limit as far as it may, so what is small is the hard one, which is ours. */
static char *ended_by(int signal)
{
	struct rlimit stack;

	if (signal == SIGSEGV && getrlimit(RLIMIT_STACK, &stack) == 0 &&
	    stack.rlim_max < SMALL_STACK)
		return xasprintf("was ended by signal %d (%s): its stack is limited to %llu kB "
				 "(ulimit -s)",
				 signal, strsignal(signal),
				 (unsigned long long)stack.rlim_max / 1024);
	return xasprintf("was ended by signal %d (%s)", signal, strsignal(signal));
}

char *helper__obituary(const struct helper *h, int err)
{
	if (err == -ETIMEDOUT)
		return xstrdup("did not answer in time");
	if (err == -EPROTO || err == -EMSGSIZE)
		return xstrdup("gave an invalid answer");
	if (err != -EPIPE && err != -ECONNRESET)
		return xasprintf("could not be asked: %s", strerror(-err));
	if (h->status < 0)
		return xstrdup("died");
	if (WIFSIGNALED(h->status) && WTERMSIG(h->status) == SIGSYS)
		return xstrdup("tried what its sandbox forbids");
	if (WIFSIGNALED(h->status))
		return ended_by(WTERMSIG(h->status));
	return xasprintf("gave up (exit status %d: not enough memory?)", WEXITSTATUS(h->status));
}
