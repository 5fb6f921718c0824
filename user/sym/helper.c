// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: the helper must not outlive us, however we end (parent-death signal, and its
 * socket closes), must not hold anything of ours open, and must not get the terminal's Ctrl-C,
 * which is for us and means "print everything now" (a process group of its own).
 */
#include "sym/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "symd/protocol.h"

uint64_t helper_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void helper__init(struct helper *h, int (*child)(int sock))
{
	*h = (struct helper){.child = child, .sock = -1, .reply = xcalloc(1, SYMD_MSG_MAX)};
}

void helper__done(struct helper *h)
{
	helper__kill(h);
	buf__done(&h->request);
	free(h->reply);
	h->reply = NULL;
}

void helper__kill(struct helper *h)
{
	if (h->sock >= 0)
		close(h->sock);
	h->sock = -1;
	if (!h->pid)
		return;
	kill(h->pid, SIGKILL);
	while (waitpid(h->pid, NULL, 0) < 0 && errno == EINTR)
		;
	h->pid = 0;
}

/* Only the socket and stderr (for "out of memory" and sanitizers) come along. */
static int arrange_fds(int sock)
{
	_cleanup_close_ int moved = fcntl(sock, F_DUPFD_CLOEXEC, SYMD_FD + 1);
	_cleanup_close_ int null = -1;

	if (moved < 0 || dup2(moved, SYMD_FD) < 0)
		return -errno;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	if (close_range(SYMD_FD + 1, ~0U, 0) < 0)
		return -errno;
	moved = null = -1;
	return 0;
}

static _Noreturn void run_child(int (*child)(int sock), int sock, pid_t parent)
{
	static char name[] = "pmubpf", command[] = "symd";
	char *const argv[] = {name, command, NULL};

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || arrange_fds(sock) < 0)
		_exit(127);
	if (child)
		_exit(child(SYMD_FD));
	execve("/proc/self/exe", argv, environ);
	_exit(127);
}

static int wait_for(int sock, short events, uint64_t deadline_ns)
{
	for (;;) {
		struct pollfd p = {.fd = sock, .events = events};
		uint64_t now = helper_now_ns();
		uint64_t left = deadline_ns > now ? deadline_ns - now : 0;
		struct timespec timeout = {
			.tv_sec = (time_t)(left / 1000000000),
			.tv_nsec = (long)(left % 1000000000),
		};
		int n = ppoll(&p, 1, &timeout, NULL);

		if (n > 0)
			return 0;
		if (n == 0)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
}

static int receive(struct helper *h, uint16_t type, uint64_t deadline_ns, struct cursor *body)
{
	struct symd_header header;
	ssize_t n;
	int r;

	do {
		r = wait_for(h->sock, POLLIN, deadline_ns);
		if (r < 0)
			return r;
		n = symd_msg__recv(h->sock, h->reply, NULL, MSG_DONTWAIT);
	} while (n == -EAGAIN);
	if (n <= 0)
		return n ? (int)n : -EPIPE;
	r = symd_msg__parse(h->reply, (size_t)n, &header, body);
	if (r < 0)
		return r;
	return header.type == type && header.seq == h->seq ? 0 : -EPROTO;
}

static int spawn(struct helper *h)
{
	int pair[2], size = 4 * SYMD_MSG_MAX;
	pid_t parent = getpid(), pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	pid = fork();
	if (pid == 0)
		run_child(h->child, pair[1], parent);
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return -EAGAIN;
	}
	h->pid = pid;
	h->sock = pair[0];
	h->seq = 0;
	return 0;
}

int helper__start(struct helper *h, uint64_t deadline_ns)
{
	struct cursor body;
	int r;

	if (h->pid)
		return 0;
	r = spawn(h);
	if (r < 0)
		return r;
	r = receive(h, SYMD_HELLO, deadline_ns, &body);
	if (r < 0)
		helper__kill(h);
	return r;
}

void helper__begin(struct helper *h, uint16_t type)
{
	symd_msg__begin(&h->request, type, ++h->seq);
}

static int ask(struct helper *h, int fd, uint64_t deadline_ns, struct cursor *body)
{
	struct symd_header header;
	struct cursor unused;
	int r;

	symd_msg__end(&h->request);
	r = symd_msg__parse(h->request.data, h->request.len, &header, &unused);
	while (r == 0) {
		r = symd_msg__send(h->sock, &h->request, fd, MSG_DONTWAIT);
		if (r != -EAGAIN)
			break;
		r = wait_for(h->sock, POLLOUT, deadline_ns);
	}
	return r < 0 ? r : receive(h, header.type, deadline_ns, body);
}

int helper__ask(struct helper *h, int fd, uint64_t deadline_ns, struct cursor *body)
{
	int r = h->pid ? ask(h, fd, deadline_ns, body) : -EPIPE;

	if (r < 0)
		helper__kill(h);
	return r;
}
