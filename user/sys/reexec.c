// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/reexec.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"

/* Only the socket and stderr (for "out of memory" and sanitizers) come along. No descriptor more is
 * needed than there are: a parent at its limit starts it, too. */
static int arrange_fds(int sock)
{
	_cleanup_close_ int null = -1;

	if (sock != REEXEC_FD ? dup2(sock, REEXEC_FD) < 0 : fcntl(sock, F_SETFD, 0) < 0)
		return -errno;
	if (close_range(REEXEC_FD + 1, ~0U, 0) < 0)
		return -errno;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	return 0;
}

static _Noreturn void run_child(const struct reexec *what, int sock, pid_t parent)
{
	static char name[] = "pmubpf";
	char *const argv[] = {name, (char *)what->command, NULL};

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || arrange_fds(sock) < 0)
		_exit(127);
	if (what->child)
		_exit(what->child(REEXEC_FD));
	execve("/proc/self/exe", argv, environ);
	_exit(127);
}

int reexec_start(const struct reexec *what, pid_t *ret_pid, int *ret_sock)
{
	pid_t parent = getpid(), pid;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	if (what->buffer_bytes)
		setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &what->buffer_bytes,
			   sizeof(what->buffer_bytes));
	pid = fork();
	if (pid == 0)
		run_child(what, pair[1], parent);
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return -EAGAIN;
	}
	*ret_pid = pid;
	*ret_sock = pair[0];
	return 0;
}
