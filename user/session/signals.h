/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What ends a session from outside, as a descriptor to poll: SIGINT, SIGTERM, SIGHUP; and SIGCHLD.
 * Whoever writes down what was recorded releases them afterwards: a second one must not lose it.
 */
#ifndef PMUBPF_SESSION_SIGNALS_H
#define PMUBPF_SESSION_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#include "base/err.h"

struct signals {
	sigset_t before;
	int fd; /* -1: not caught */
	/* Before it catches: SIGHUP is another's, who has signals__hangup_fd(). */
	bool spare_hangup;
};

/* Those by which a write would end us. */
void signals__ignore_of_files(void);
/* Blocks them for whoever is started from here on, and ignores those of files. */
int signals__catch(struct signals *signals, struct err *err);
/* The next that has come, 0 if none has. */
int signals__next(const struct signals *signals);
/* Blocks SIGHUP; the caller closes it. A negative errno. *ret_ignored: it was ignored before
 * (nohup). */
int signals__hangup_fd(bool *ret_ignored);
/* Readable while another of them is waiting (SIGCHLD is none); the caller closes it, -1: can't be
 * had. */
int signals__more_fd(void);
/* From here on Ctrl-C ends us as it ends any program. What has come before is forgotten. */
void signals__release(struct signals *signals);

#endif
