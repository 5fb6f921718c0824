// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* inflight N: holds N descriptors in messages that nobody receives, says so, and sleeps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 250 }; /* of a message: SCM_MAX_FD is 253 */

static ssize_t send_some(int sock, int n)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(MOST * sizeof(int))];
	} control = {0};
	struct iovec iov = {.iov_base = "x", .iov_len = 1};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = CMSG_SPACE((size_t)n * sizeof(int))};

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN((size_t)n * sizeof(int)); /* of descriptor 0 */
	return sendmsg(sock, &msg, MSG_DONTWAIT);
}

int main(int argc, char **argv)
{
	long left = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
	int pair[2];

	while (left > 0) {
		if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) < 0) {
			perror("socketpair");
			return 1;
		}
		while (left > 0 && send_some(pair[0], left < MOST ? (int)left : MOST) == 1)
			left -= left < MOST ? left : MOST;
	}
	puts("held");
	fflush(stdout);
	pause();
	return 0;
}
