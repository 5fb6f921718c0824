// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Processes of which there is no sample: servers whose work is done by children that were there
 * before, which are no part of -p.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "session/internal.h"
#include "sys/procfs.h"

enum { SHOWN = 8, THREADS = 256, START_FIELD = 22, FIELDS_AFTER_NAME = 3 };

/* When it began, since boot; UINT64_MAX: not known. */
static uint64_t begun_ns(pid_t process)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/stat", process);
	_cleanup_free_ char *text = file_read(path);
	char *rest = text ? strrchr(text, ')') : NULL, *word;
	uint64_t ticks;

	rest = rest && rest[1] ? rest + 2 : NULL;
	for (int field = FIELDS_AFTER_NAME; (word = strsep(&rest, " ")); field++) {
		if (field == START_FIELD && num__parse_u64(word, &ticks) == 0)
			return ticks * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
	}
	return UINT64_MAX;
}

static bool is_target(const struct target *whom, pid_t process)
{
	for (size_t i = 0; i < whom->n_pids; i++) {
		if (whom->pids[i] == process)
			return true;
	}
	return false;
}

static void add_child(const struct session *s, const char *word, struct buf *out, size_t *n)
{
	int child;

	if (num__parse_int(word, 1, INT32_MAX, &child) < 0 || is_target(&s->opts->whom, child) ||
	    begun_ns(child) >= s->start_ns)
		return;
	if ((*n)++ < SHOWN)
		buf__printf(out, "%s%d", *n > 1 ? "," : "", child);
}

/* Those that were there before and aren't recorded: appends the first few, and returns how many
 * there are. */
static size_t list_children(const struct session *s, pid_t process, struct buf *out)
{
	_cleanup_free_ pid_t *threads = NULL;
	int n_threads = procfs_threads(process, &threads);
	size_t n = 0;

	for (int i = 0; i < n_threads && i < THREADS; i++) {
		_cleanup_free_ char *path =
			xasprintf("/proc/%d/task/%d/children", process, threads[i]);
		_cleanup_free_ char *children = file_read(path);
		char *rest = children, *word;

		while (rest && (word = strsep(&rest, " \n")))
			add_child(s, word, out, &n);
	}
	return n;
}

/* In all parts of the recording. */
static bool any_overflow(const struct session *s)
{
	for (size_t i = 0; i < s->opts->events->n; i++) {
		struct pmb_stats stats;

		if (s->opts->events->events[i].mode == EVENT_OVERFLOWS &&
		    (programs__stats(s->programs, i, &stats) < 0 || stats.seen))
			return true;
	}
	return false;
}

void session__note_quiet(struct session *s)
{
	const struct target *whom = &s->opts->whom;

	if (any_overflow(s))
		return;
	for (size_t i = 0; i < whom->n_pids; i++) {
		_cleanup_(buf__done) struct buf list = {0};
		size_t n = list_children(s, whom->pids[i], &list);

		if (n)
			buf__printf(&s->result->notes,
				    "no sample of -p %d; of its %zu %s, there before, nothing was "
				    "recorded: -p %s%s\n",
				    whom->pids[i], n, n > 1 ? "children" : "child", list.data,
				    n > SHOWN ? ",…" : "");
		else if (session__wants_off_cpu(s) && kill(whom->pids[i], 0) == 0)
			buf__printf(&s->result->notes,
				    "no sample of -p %d: no thread of it had a CPU in that time; "
				    "where each waits is in /proc/%d/task/*/stack\n",
				    whom->pids[i], whom->pids[i]);
	}
}
