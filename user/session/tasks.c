// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "session/tasks.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "sys/limits.h"
#include "sys/procfs.h"

static int compare_tids(const void *a, const void *b)
{
	return CMP3(*(const pid_t *)a, *(const pid_t *)b);
}

static size_t sort_distinct(pid_t *tids, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(tids, n, sizeof(*tids), compare_tids);
	for (size_t i = 0; i < n; i++) {
		if (!kept || tids[kept - 1] != tids[i])
			tids[kept++] = tids[i];
	}
	return kept;
}

/* Or there is no descriptor to look at it with. */
static int process_gone(pid_t pid, int r, struct err *err)
{
	if (r == -EMFILE || r == -ENFILE)
		return err__set(err, r,
				"can't watch process %d: %s; -p takes one for each process, and "
				"the limit is %lu: raise it with ulimit -n, or name fewer",
				pid, strerror(-r), fd_limit());
	return err__set(err, r, "process %d does not exist (any more); `pgrep -a NAME` finds PIDs",
			pid);
}

int tasks__list(const struct tasks *t, pid_t command, pid_t **ret_tids, size_t *ret_n,
		struct err *err)
{
	_cleanup_free_ pid_t *tids = NULL;
	size_t n = 0, cap = 0;

	if (command) {
		GROW(tids, n, cap);
		tids[n++] = command;
	}
	for (size_t i = 0; i < t->whom->n_tids; i++) {
		GROW(tids, n, cap);
		tids[n++] = t->whom->tids[i];
	}
	for (size_t i = 0; i < t->whom->n_pids; i++) {
		_cleanup_free_ pid_t *threads = NULL;
		int count = procfs_threads(t->whom->pids[i], &threads);

		if (count < 0)
			return process_gone(t->whom->pids[i], count == -ENOENT ? -ESRCH : count,
					    err);
		for (int k = 0; k < count; k++) {
			GROW(tids, n, cap);
			tids[n++] = threads[k];
		}
	}
	*ret_n = sort_distinct(tids, n);
	*ret_tids = TAKE_PTR(tids);
	return 0;
}

bool tids_any_new(const pid_t *now, size_t n_now, const pid_t *before, size_t n_before)
{
	for (size_t i = 0; i < n_now; i++) {
		if (!n_before || !bsearch(&now[i], before, n_before, sizeof(*now), compare_tids))
			return true;
	}
	return false;
}

int tasks__each(const struct tasks *t, pid_t command, void (*fn)(void *ctx, pid_t tid), void *ctx,
		struct err *err)
{
	_cleanup_free_ pid_t *before = NULL;
	size_t n_before = 0;

	for (;;) {
		_cleanup_free_ pid_t *tids = NULL;
		size_t n;
		int r = tasks__list(t, command, &tids, &n, err);

		if (r < 0)
			return r;
		for (size_t i = 0; i < n; i++)
			fn(ctx, tids[i]);
		if (!tids_any_new(tids, n, before, n_before))
			return 0;
		free(before);
		before = TAKE_PTR(tids);
		n_before = n;
	}
}

int tasks__watch(struct tasks *t, struct err *err)
{
	t->fds = xcalloc(t->whom->n_pids + 1, sizeof(*t->fds));
	for (size_t i = 0; i < t->whom->n_pids; i++) {
		struct proc_status status;
		int fd;

		if (procfs_status(t->whom->pids[i], &status) == 0 &&
		    status.tgid != t->whom->pids[i])
			return err__set(err, -EINVAL,
					"%d is a thread of process %d; use -t %d or -p %d",
					t->whom->pids[i], status.tgid, t->whom->pids[i],
					status.tgid);
		fd = (int)syscall(SYS_pidfd_open, t->whom->pids[i], 0);
		if (fd < 0)
			return process_gone(t->whom->pids[i], -errno, err);
		t->fds[t->n_fds++] = fd;
	}
	for (size_t i = 0; i < t->whom->n_tids; i++) {
		if (!procfs_task_exists(t->whom->tids[i]))
			return err__set(err, -ESRCH, "thread %d does not exist (any more)",
					t->whom->tids[i]);
	}
	return 0;
}

bool tasks__gone(const struct tasks *t)
{
	if (!t->whom->n_pids && !t->whom->n_tids)
		return false;
	for (size_t i = 0; i < t->n_fds; i++) {
		struct pollfd gone = {.fd = t->fds[i], .events = POLLIN};

		if (poll(&gone, 1, 0) == 0)
			return false;
	}
	for (size_t i = 0; i < t->whom->n_tids; i++) {
		if (procfs_task_exists(t->whom->tids[i]))
			return false;
	}
	return true;
}

void tasks__done(struct tasks *t)
{
	for (size_t i = 0; i < t->n_fds; i++)
		cleanup_close(&t->fds[i]);
	free(t->fds);
	t->fds = NULL;
	t->n_fds = 0;
}
