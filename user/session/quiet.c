// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Processes that did nothing while they were recorded: servers whose work is done by children that
 * were there before, which are no part of -p.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "session/internal.h"
#include "sys/procfs.h"

enum { SHOWN = 8, THREADS = 256 };

/* Appends the first few, and returns how many there are. */
static size_t list_children(pid_t process, struct buf *out)
{
	_cleanup_free_ pid_t *threads = NULL;
	int n_threads = procfs_threads(process, &threads);
	size_t n = 0;

	for (int i = 0; i < n_threads && i < THREADS; i++) {
		_cleanup_free_ char *path =
			xasprintf("/proc/%d/task/%d/children", process, threads[i]);
		_cleanup_free_ char *children = file_read(path);
		char *rest = children, *word;

		while (rest && (word = strsep(&rest, " \n"))) {
			if (!*word)
				continue;
			if (n++ < SHOWN)
				buf__printf(out, "%s%s", n > 1 ? "," : "", word);
		}
	}
	return n;
}

static bool any_overflow(const struct ledger *l)
{
	for (size_t i = 0; i < l->n_events; i++) {
		if (l->events[i].kernel.seen)
			return true;
	}
	return false;
}

void session__note_quiet(struct session *s)
{
	const struct target *whom = &s->opts->whom;

	if (any_overflow(&s->result->ledger))
		return;
	for (size_t i = 0; i < whom->n_pids; i++) {
		_cleanup_(buf__done) struct buf list = {0};
		size_t n = list_children(whom->pids[i], &list);

		if (n)
			buf__printf(&s->result->notes,
				    "-p %d did nothing; of its %zu %s, there before, nothing was "
				    "recorded: -p %s%s\n",
				    whom->pids[i], n, n > 1 ? "children" : "child", list.data,
				    n > SHOWN ? ",…" : "");
	}
}
