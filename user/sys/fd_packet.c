// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/fd_packet.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

union fd_control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int fd_packet__send(int sock, const void *data, size_t len, int fd, int flags)
{
	struct iovec iov = {.iov_base = (void *)data, .iov_len = len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	union fd_control control = {0};
	ssize_t n;

	if (fd >= 0) {
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	}
	do {
		n = sendmsg(sock, &msg, flags | MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}

static int received_fd(struct msghdr *msg)
{
	struct cmsghdr *header = CMSG_FIRSTHDR(msg);
	int fd;

	if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
	    header->cmsg_len != CMSG_LEN(sizeof(fd)))
		return -1;
	memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	return fd;
}

ssize_t fd_packet__recv(int sock, void *data, size_t most, int *ret_fd, int flags)
{
	struct iovec iov = {.iov_base = data, .iov_len = most};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	union fd_control control = {0};
	ssize_t n;

	if (ret_fd) {
		*ret_fd = -1;
		msg.msg_control = &control;
		/* Not CMSG_SPACE: its padding has room for a second descriptor, which would
		 * leak. */
		msg.msg_controllen = CMSG_LEN(sizeof(int));
	}
	do {
		n = recvmsg(sock, &msg, flags | MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (ret_fd)
		*ret_fd = received_fd(&msg);
	return msg.msg_flags & MSG_TRUNC ? -EMSGSIZE : n;
}
