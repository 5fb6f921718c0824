// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The process that runs the caller's program. The hard thing is to end what it has started: those
 * that have left its session are found because they become this process's children when their
 * parents end, and nobody else can have their numbers before they are waited for.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "session/runner.h"
#include "sys/caller.h"
#include "sys/clock.h"
#include "sys/limits.h"
#include "sys/procfs.h"

enum {
	MS = 1000 * 1000,
	KILL_AGAIN_MS = 10,
	VARIABLES_MAX = 64,
	LAST_SIGNAL = 64,
	FAILED_FD = 3, /* in the program, until it is one */
};

struct run {
	pid_t pid; /* 0: none */
	int failed_fd;
	int status;
	uint64_t ends_ns;
	bool reaped, killed;
};

struct beside {
	int sock, signals; /* sock -1: nobody asks any more */
	struct runner_order order;
	struct run run;
};

static void reply(const struct beside *b, enum runner_outcome outcome, int value)
{
	const struct runner_reply packet = {.outcome = outcome, .value = value};

	if (b->sock >= 0)
		send(b->sock, &packet, sizeof(packet), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* ---------------------------------------------------------------- the program */

static void plain_signals(void)
{
	const struct sigaction dfl = {.sa_handler = SIG_DFL};
	sigset_t none;

	for (int i = 1; i <= LAST_SIGNAL; i++)
		sigaction(i, &dfl, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Standard descriptors that lead nowhere, and none besides but FAILED_FD until the exec. */
static int plain_fds(int failed_fd)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
	    dup2(null, STDERR_FILENO) < 0)
		return -errno;
	if (failed_fd != FAILED_FD && dup2(failed_fd, FAILED_FD) < 0)
		return -errno;
	if (fcntl(FAILED_FD, F_SETFD, FD_CLOEXEC) < 0 || close_range(FAILED_FD + 1, ~0U, 0) < 0)
		return -errno;
	return 0;
}

static _Noreturn void become_program(const struct beside *b, char *const environment[],
				     int failed_fd, pid_t parent)
{
	char *const argv[] = {(char *)b->order.program, NULL};
	int failure = 0;

	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	plain_signals();
	restore_limits();
	if (plain_fds(failed_fd) < 0)
		_exit(127);
	execve(b->order.program, argv, environment);
	failure = errno;
	if (write(FAILED_FD, &failure, sizeof(failure)) < 0)
		_exit(126);
	_exit(127);
}

/* ---------------------------------------------------------------- its life */

static void start(struct beside *b, char *const environment[])
{
	pid_t self = getpid();
	int failed[2];

	if (pipe2(failed, O_CLOEXEC | O_NONBLOCK) < 0) {
		reply(b, RUNNER_CANNOT, errno);
		return;
	}
	b->run = (struct run){.failed_fd = failed[0]};
	b->run.ends_ns = now_ns() + (uint64_t)b->order.limit_ms * MS;
	b->run.pid = fork();
	if (b->run.pid == 0)
		become_program(b, environment, failed[1], self);
	close(failed[1]);
	if (b->run.pid > 0)
		return;
	reply(b, RUNNER_CANNOT, errno);
	close(failed[0]);
	b->run.pid = 0;
}

static void over(struct beside *b)
{
	struct run *run = &b->run;
	int failure;

	if (read(run->failed_fd, &failure, sizeof(failure)) == sizeof(failure))
		reply(b, RUNNER_CANNOT, failure);
	else if (run->killed)
		reply(b, RUNNER_KILLED, 0);
	else
		reply(b, RUNNER_ENDED, run->status);
	close(run->failed_fd);
	*run = (struct run){0};
}

static void reap(struct beside *b)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != b->run.pid)
			continue;
		b->run.status = status;
		b->run.reaped = true;
	}
	if (pid < 0 && errno == ECHILD && b->run.pid)
		over(b);
}

/* Those that are our children by now; what they leave is at the next look. */
static void kill_all(struct beside *b)
{
	_cleanup_free_ char *path = xasprintf("/proc/self/task/%d/children", getpid());
	_cleanup_free_ char *children = file_read(path);
	char *rest = children, *word;
	int pid;

	b->run.killed = true;
	if (!b->run.reaped) /* else the number may be another's */
		kill(-b->run.pid, SIGKILL);
	while (rest && (word = strsep(&rest, " \n"))) {
		if (num__parse_int(word, 2, INT32_MAX, &pid) == 0)
			kill(pid, SIGKILL);
	}
}

/* ---------------------------------------------------------------- what it is asked for */

/* "NAME=value" with their NULs. */
static void take_apart(char *packet, size_t n, char *ret[VARIABLES_MAX + 1])
{
	size_t k = 0;

	for (size_t at = 0; at < n && k < VARIABLES_MAX; at += strlen(packet + at) + 1)
		ret[k++] = packet + at;
	ret[k] = NULL;
}

static void take(struct beside *b)
{
	static char packet[RUNNER_PACKET_MAX + 1];
	char *environment[VARIABLES_MAX + 1];
	ssize_t n = recv(b->sock, packet, RUNNER_PACKET_MAX, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		close(b->sock);
		b->sock = -1;
		return;
	}
	packet[n] = '\0';
	take_apart(packet, (size_t)n, environment);
	if (b->run.pid)
		reply(b, RUNNER_BUSY, 0);
	else
		start(b, environment);
}

static int ms_until(const struct beside *b)
{
	uint64_t now = now_ns();

	if (!b->run.pid)
		return -1;
	return b->run.ends_ns > now ? (int)((b->run.ends_ns - now) / MS) + 1 : KILL_AGAIN_MS;
}

static void wait_for_something(const struct beside *b)
{
	struct pollfd fds[] = {{.fd = b->sock, .events = POLLIN},
			       {.fd = b->signals, .events = POLLIN}};
	struct signalfd_siginfo info;

	poll(fds, ARRAY_SIZE(fds), ms_until(b));
	while (read(b->signals, &info, sizeof(info)) == sizeof(info))
		;
}

static void serve(struct beside *b)
{
	while (b->sock >= 0 || b->run.pid) {
		wait_for_something(b);
		reap(b);
		if (b->run.pid && now_ns() >= b->run.ends_ns)
			kill_all(b);
		if (b->sock >= 0)
			take(b);
	}
}

/* ---------------------------------------------------------------- its beginning */

static bool become_caller(const struct beside *b)
{
	_cleanup_(caller__done) struct caller caller = {0};
	int r = caller__find(&caller, NULL);

	if (r == 0)
		r = caller__become(&caller);
	if (r < 0)
		reply(b, RUNNER_CANNOT_BECOME, -r);
	return r == 0;
}

static bool can_run(const struct beside *b)
{
	struct stat st;
	int failure = 0;

	if (stat(b->order.program, &st) < 0 || access(b->order.program, X_OK) < 0)
		failure = errno;
	else if (!S_ISREG(st.st_mode))
		failure = S_ISDIR(st.st_mode) ? EISDIR : EACCES;
	reply(b, failure ? RUNNER_CANNOT : RUNNER_READY, failure);
	return failure == 0;
}

/* Nobody waits for the end of what this process has open, or wants to unmount where it is. */
static int let_go(void)
{
	_cleanup_close_ int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	return null < 0 || dup2(null, STDERR_FILENO) < 0 || chdir("/") < 0 ? -1 : 0;
}

static int watch_children(void)
{
	sigset_t child;

	prctl(PR_SET_PDEATHSIG, 0); /* whoever is killed leaves a program that is to end in time */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	return signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

int runner_main(int sock)
{
	struct beside b = {.sock = sock, .signals = watch_children()};

	if (b.signals < 0 || let_go() < 0 ||
	    recv(sock, &b.order, sizeof(b.order), 0) != (ssize_t)sizeof(b.order))
		return 1;
	if (!become_caller(&b) || !can_run(&b))
		return 1;
	serve(&b);
	return 0;
}
