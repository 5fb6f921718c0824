/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tasks that were named: which threads they are now, and whether any of them is left. */
#ifndef PMUBPF_SESSION_TASKS_H
#define PMUBPF_SESSION_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "session/target.h"

struct tasks {
	const struct target *whom; /* pids and tids; borrowed */
	int *fds;                  /* pidfds of pids, after tasks__watch; ours */
	size_t n_fds;
};

/* The threads there are now, of the processes and those named, and `command` (0: none): ascending,
 * each
 * once: a thread that was named twice must not be counted twice. The caller frees *ret_tids. */
int tasks__list(const struct tasks *tasks, pid_t command, pid_t **ret_tids, size_t *ret_n,
		struct err *err);

/* Threads appear while others are being marked or opened: done when a second look finds no new one.
 * Both as tasks__list made them. */
bool tids_any_new(const pid_t *now, size_t n_now, const pid_t *before, size_t n_before);

/* fn for each, until a look finds none that wasn't there at the one before; for some several times.
 */
int tasks__each(const struct tasks *tasks, pid_t command, void (*fn)(void *ctx, pid_t tid),
		void *ctx, struct err *err);

/* Checks that all are there, and notices from now on when they go. */
int tasks__watch(struct tasks *tasks, struct err *err);
/* True if there were any, and all of them have ended. */
bool tasks__gone(const struct tasks *tasks);
void tasks__done(struct tasks *tasks);

#endif
