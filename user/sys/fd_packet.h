/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packets over a socket (SOCK_SEQPACKET), each with a descriptor or none. Stands on base/ alone. */
#ifndef PMUBPF_SYS_FD_PACKET_H
#define PMUBPF_SYS_FD_PACKET_H

#include <stddef.h>
#include <sys/types.h>

/* fd is borrowed; -1: none. flags: of sendmsg(). 0 or a negative errno. */
int fd_packet__send(int sock, const void *data, size_t len, int fd, int flags);
/* Its bytes; 0: nobody is there any more; -EMSGSIZE: it was larger than most; another negative
 * errno. *ret_fd, unless it is NULL, is the caller's, also of a packet that was too large; -1:
 * none. flags: of recvmsg(). */
ssize_t fd_packet__recv(int sock, void *data, size_t most, int *ret_fd, int flags);

#endif
