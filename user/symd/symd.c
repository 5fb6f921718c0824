// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/symd.h"

#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "symd/disassembler.h"
#include "symd/protocol.h"
#include "symd/requests.h"
#include "symd/sandbox.h"

enum { STACK_BYTES = 64 * 1024 * 1024 };

static int prepare_process(int sock)
{
	int send_buffer = 4 * SYMD_MSG_MAX;
	struct rlimit stack;

	prctl(PR_SET_NAME, "pmubpf-symd");
	/* libdw would ask servers about the files it is given. */
	unsetenv("DEBUGINFOD_URLS");
	/* The demangler recurses as deeply as names are nested. The kernel looks at the limit when
	 * the stack grows, so raising it helps a process that already runs. */
	if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < STACK_BYTES) {
		stack.rlim_cur = stack.rlim_max < STACK_BYTES ? stack.rlim_max : STACK_BYTES;
		setrlimit(RLIMIT_STACK, &stack);
	}
	setsockopt(sock, SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof(send_buffer));
	return sandbox_enter(sock);
}

int symd_main(int sock)
{
	_cleanup_free_ char *request = NULL;
	struct requests s;
	ssize_t n = 0;
	int r;

	if (prepare_process(sock) < 0)
		return 1;
	request = xcalloc(1, SYMD_MSG_MAX);
	requests__init(&s);
	symd_msg__begin(&s.reply, SYMD_HELLO, 0);
	symd_msg__end(&s.reply);
	r = symd_msg__send(sock, &s.reply, -1, 0);
	while (r == 0) {
		_cleanup_close_ int fd = -1;

		n = symd_msg__recv(sock, request, &fd, 0);
		if (n <= 0)
			break;
		fd = symd_fd__take_out(fd);
		r = requests__handle(&s, request, (size_t)n, &fd);
		/* if that takes time, it is this request that does */
		cleanup_close(&fd);
		fd = -1;
		if (r == 0 && !s.silent)
			r = symd_msg__send(sock, &s.reply, -1, 0);
	}
	requests__done(&s);
	return r == 0 && n == 0 ? 0 : 1;
}

int symd_code_main(int sock)
{
	disassembler_load();
	return symd_main(sock);
}
