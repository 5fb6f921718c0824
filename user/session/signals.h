/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What ends a session from outside, as a descriptor to poll: SIGINT, SIGTERM, SIGHUP; and SIGCHLD. */
#ifndef PMUBPF_SESSION_SIGNALS_H
#define PMUBPF_SESSION_SIGNALS_H

#include <signal.h>

#include "base/err.h"

struct signals {
	sigset_t before;
	int fd; /* -1: not caught */
};

/* Blocks them for whoever is started from here on, and ignores SIGPIPE. */
int signals__catch(struct signals *signals, struct err *err);
/* The next that has come, 0 if none has. */
int signals__next(const struct signals *signals);
/* From here on Ctrl-C ends us as it ends any program. */
void signals__release(const struct signals *signals);

#endif
