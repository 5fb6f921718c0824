// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/protocol.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

void symd_msg__put_u8(struct buf *b, uint8_t value)
{
	buf__add(b, &value, sizeof(value));
}

void symd_msg__put_u16(struct buf *b, uint16_t value)
{
	buf__add(b, &value, sizeof(value));
}

void symd_msg__put_u32(struct buf *b, uint32_t value)
{
	buf__add(b, &value, sizeof(value));
}

void symd_msg__set_u32(struct buf *b, size_t at, uint32_t value)
{
	memcpy(b->data + at, &value, sizeof(value));
}

void symd_msg__put_u64(struct buf *b, uint64_t value)
{
	buf__add(b, &value, sizeof(value));
}

void symd_msg__put_text(struct buf *b, const char *text, size_t max)
{
	size_t len = text ? strnlen(text, max) : 0;

	symd_msg__put_u16(b, (uint16_t)len);
	buf__add(b, text, len);
}

void symd_msg__begin(struct buf *b, uint16_t type, uint32_t seq)
{
	buf__clear(b);
	symd_msg__put_u32(b, 0);
	symd_msg__put_u32(b, seq);
	symd_msg__put_u16(b, type);
	symd_msg__put_u16(b, SYMD_VERSION);
}

void symd_msg__end(struct buf *b)
{
	symd_msg__set_u32(b, 0, (uint32_t)b->len);
}

int symd_msg__parse(const void *data, size_t len, struct symd_header *ret, struct cursor *body)
{
	struct cursor c = cursor__over(data, len);
	uint32_t size = cursor__u32(&c);
	uint32_t seq = cursor__u32(&c);
	uint16_t type = cursor__u16(&c);
	uint16_t version = cursor__u16(&c);

	if (!cursor__ok(&c) || size != len || version != SYMD_VERSION)
		return -EPROTO;
	*ret = (struct symd_header){.seq = seq, .type = type};
	*body = c;
	return 0;
}

union fd_control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int symd_msg__send(int sock, const struct buf *b, int fd, int flags)
{
	struct iovec iov = {.iov_base = b->data, .iov_len = b->len};
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
	return (size_t)n == b->len ? 0 : -EIO;
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

ssize_t symd_msg__recv(int sock, void *data, int *ret_fd, int flags)
{
	struct iovec iov = {.iov_base = data, .iov_len = SYMD_MSG_MAX};
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

int symd_fd__enclose(int fd)
{
	char byte = 0;
	const struct buf packet = {.data = &byte, .len = 1};
	int pair[2], r;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	r = symd_msg__send(pair[1], &packet, fd, MSG_DONTWAIT);
	close(pair[1]);
	if (r < 0)
		close(pair[0]);
	return r < 0 ? r : pair[0];
}

int symd_fd__take_out(int fd)
{
	union fd_control control = {0};
	char byte;
	struct iovec iov = {.iov_base = &byte, .iov_len = 1};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = CMSG_LEN(sizeof(int))};
	struct stat st;
	int inner = -1;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISSOCK(st.st_mode))
		return fd;
	if (recvmsg(fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) == 1)
		inner = received_fd(&msg);
	close(fd);
	return inner;
}
