// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/symd.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "symd/protocol.h"
#include "symd/requests.h"

enum { STACK_BYTES = 64 * 1024 * 1024 };
#define DATA_BYTES_MAX (4ULL << 30)

/* Line tables, symbols and names: a file may make more of a few bytes than there is memory. Beyond
 * this the helper ends, and its client goes on without that file. */
static void limit_memory(void)
{
#ifndef __SANITIZE_ADDRESS__ /* whose shadow counts */
	struct rlimit data = {DATA_BYTES_MAX, DATA_BYTES_MAX};

	setrlimit(RLIMIT_DATA, &data);
#endif
}

static void prepare_process(int sock)
{
	int send_buffer = 4 * SYMD_MSG_MAX;
	struct rlimit stack;

	/* Again, since exec clears it when the file has capabilities. A client that died before
	 * this has closed the socket, which ends the loop. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "pmubpf-symd");
	/* libdw would ask servers about the files it is given. */
	unsetenv("DEBUGINFOD_URLS");
	/* The demangler recurses as deeply as names are nested. The kernel looks at the limit when
	 * the stack grows, so raising it helps a process that already runs. */
	if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < STACK_BYTES) {
		stack.rlim_cur = stack.rlim_max < STACK_BYTES ? stack.rlim_max : STACK_BYTES;
		setrlimit(RLIMIT_STACK, &stack);
	}
	limit_memory();
	setsockopt(sock, SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof(send_buffer));
	/* The sandbox (seccomp, Landlock, rlimits, no capabilities) belongs here: nothing of a
	 * profiled program was read yet, and from here on only descriptors that arrive are. */
}

int symd_main(int sock)
{
	_cleanup_free_ char *request = xcalloc(1, SYMD_MSG_MAX);
	struct requests s = {0};
	ssize_t n = 0;
	int r;

	prepare_process(sock);
	symd_msg__begin(&s.reply, SYMD_HELLO, 0);
	symd_msg__end(&s.reply);
	r = symd_msg__send(sock, &s.reply, -1, 0);
	while (r == 0) {
		_cleanup_close_ int fd = -1, reply_fd = -1;

		n = symd_msg__recv(sock, request, &fd, 0);
		if (n <= 0)
			break;
		r = requests__handle(&s, request, (size_t)n, &fd, &reply_fd);
		if (r == 0)
			r = symd_msg__send(sock, &s.reply, reply_fd, 0);
	}
	requests__done(&s);
	return r == 0 && n == 0 ? 0 : 1;
}
