// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/protocol.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/fd_packet.h"

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

int symd_msg__send(int sock, const struct buf *b, int fd, int flags)
{
	return fd_packet__send(sock, b->data, b->len, fd, flags);
}

ssize_t symd_msg__recv(int sock, void *data, int *ret_fd, int flags)
{
	return fd_packet__recv(sock, data, SYMD_MSG_MAX, ret_fd, flags);
}

int symd_fd__enclose(int fd)
{
	const char byte = 0;
	int pair[2], r;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	r = fd_packet__send(pair[1], &byte, 1, fd, MSG_DONTWAIT);
	close(pair[1]);
	if (r < 0)
		close(pair[0]);
	return r < 0 ? r : pair[0];
}

int symd_fd__take_out(int fd)
{
	struct stat st;
	int inner = -1;
	ssize_t n;
	char byte;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISSOCK(st.st_mode))
		return fd;
	n = fd_packet__recv(fd, &byte, 1, &inner, MSG_DONTWAIT);
	close(fd);
	if (n != 1 && n != -EMSGSIZE && inner >= 0) {
		close(inner);
		inner = -1;
	}
	return inner;
}
