/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* This program again, as a process beside us: it has nothing of ours but one socket, and standard
 * error. */
#ifndef PMUBPF_SYS_REEXEC_H
#define PMUBPF_SYS_REEXEC_H

#include <sys/types.h>

enum { REEXEC_FD = 3 }; /* where it finds its socket */

struct reexec {
	const char *command;    /* what main() gets as its first argument */
	int (*child)(int sock); /* instead of it, without an exec; NULL: none */
	int buffer_bytes;       /* of what we send; 0: as it is */
};

/*
 * Starts it. *ret_sock is our end of a SOCK_SEQPACKET pair, which is closed when it ends. It is
 * killed when we end, gets no signals of our terminal (they are for us, and mean "print everything
 * now"), and is ours to reap. 0 or a negative errno.
 */
int reexec_start(const struct reexec *what, pid_t *ret_pid, int *ret_sock);

#endif
