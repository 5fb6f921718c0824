/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The profiled command: started stopped, let go when the counters wait for its exec. */
#ifndef PMUBPF_SESSION_COMMAND_H
#define PMUBPF_SESSION_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct command {
	pid_t pid;     /* 0: none */
	int go_fd;     /* closing it ends the child, a byte lets it exec */
	int failed_fd; /* the child writes errno here if exec fails */
	bool reaped;
	int status; /* of waitpid, when reaped */
};

/* The file that execvp() would take for a command, from / on; the caller's. NULL: there is none. */
char *command__file(const char *name);
/* stdout_fd becomes the child's standard output (-1: it keeps ours). */
int command__start(struct command *command, char *const argv[], int stdout_fd, struct err *err);
/* Returns when the exec has happened, or -errno if it failed. */
int command__go(struct command *command, const char *name, struct err *err);
bool command__exited(struct command *command); /* without waiting */
/* SIGTERM, if it still runs. Waiting for it is a step of its own: the profile is printed first. */
void command__terminate(struct command *command);
void command__wait(struct command *command);
/* Its exit status, or 128 + the signal that killed it. */
int command__exit_status(const struct command *command);

#endif
