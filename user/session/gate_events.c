// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is that threads appear while events are being opened in those that are there: such
 * a thread has inherited them from its creator or has not. So all are opened again then.
 */
#include "session/gate_events.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"

enum { OPEN_TRIES = 20 };

static struct counters_opts counter_opts(const struct gate_events_opts *o,
					 const struct event *event, int program_fd)
{
	return (struct counters_opts){
		.sampled = true,
		.program_fd = program_fd,
		.event = event,
		.opener = o->opener,
		.inherit = o->whom->inherit,
		.enable_on_exec = target__is_command(o->whom),
	};
}

/* Closing first: what is open must be closed. */
static int open_both(struct counters *ret, const struct gate_events_opts *o, const pid_t *tids,
		     size_t n, struct err *err)
{
	const struct event *const events[] = {o->gates->closes.event, o->gates->opens.event};
	const int fds[] = {o->fds.close, o->fds.open};
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(events); i++) {
		struct counters_opts opts = counter_opts(o, events[i], fds[i]);

		if (!events[i])
			continue;
		r = tids ? counters__open_tasks(ret, &opts, tids, n, err) :
			   counters__open_cpus(ret, &opts, o->cpus, err);
	}
	return r;
}

static int open_in_tasks(struct counters *ret, const struct gate_events_opts *o, struct err *err)
{
	for (int try = 1;; try++) {
		_cleanup_free_ pid_t *before = NULL, *after = NULL;
		size_t n_before, n_after;
		int r = tasks__list(o->tasks, o->command, &before, &n_before, err);

		if (r == 0)
			r = open_both(ret, o, before, n_before, err);
		if (r == 0)
			r = tasks__list(o->tasks, o->command, &after, &n_after, err);
		if (r < 0 || !tids_any_new(after, n_after, before, n_before))
			return r;
		counters__close(ret);
		if (try == OPEN_TRIES)
			return err__set(err, -EAGAIN,
					"%s: threads kept appearing while events were opened in "
					"them: try again, or -a",
					o->gates->option);
	}
}

int gate_events__open(struct counters *ret, const struct gate_events_opts *o, struct err *err)
{
	if (!gates__by_event(o->gates))
		return 0;
	if (target__any_process(o->whom))
		return open_both(ret, o, NULL, 0, err);
	return open_in_tasks(ret, o, err);
}

int gate_events__start(const struct counters *events, const struct target *whom, struct err *err)
{
	return target__is_command(whom) ? 0 : counters__enable(events, err);
}
