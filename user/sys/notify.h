/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What systemd wants to hear of a service of type notify: datagrams to $NOTIFY_SOCKET, as
 * sd_notify(3) describes. Without that variable nothing is said.
 */
#ifndef PMUBPF_SYS_NOTIFY_H
#define PMUBPF_SYS_NOTIFY_H

#include <stdint.h>

struct notify {
	int sock;             /* -1: nobody listens */
	uint64_t watchdog_ns; /* it wants to hear of us so often; 0: it doesn't care */
};

/* Reads the environment and takes those variables out of it: they are for this process alone. */
void notify__open(struct notify *n);
/* "READY=1", "WATCHDOG=1", "STOPPING=1", lines "STATUS=…". Doesn't wait. */
void notify__say(const struct notify *n, const char *text);
void notify__close(struct notify *n);

#endif
