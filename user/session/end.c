// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What ends a recording. The hard thing is to see it in time: a round may take long, and programs
 * may make whoever looks at them wait, so it is looked for within rounds, too.
 */
#include <poll.h>

#include "base/mem.h"
#include "opener/opener.h"
#include "session/internal.h"
#include "sys/clock.h"
#include "sys/procfs.h"

enum {
	/* Between two looks at signals and the clock, where processes may make us wait. */
	ATTEND_NS = 5 * 1000 * 1000,
	MS = 1000 * 1000,
};

/* Which of our signals has come; the command's death is one of them. */
static bool session__signalled(struct session *s)
{
	int signo;

	while ((signo = signals__next(s->opts->signals))) {
		if (signo != SIGCHLD) {
			s->result->end = END_SIGNAL;
			return true;
		}
		if (s->command.pid && command__exited(&s->command)) {
			s->result->end = END_TARGET;
			return true;
		}
	}
	return false;
}

bool session__time_is_up(struct session *s, uint64_t now)
{
	if (!s->opts->whom.duration_ns || now - s->start_ns < s->opts->whom.duration_ns)
		return false;
	s->result->end = END_DURATION;
	return true;
}

/* What is left of it is for what has been recorded. */
static bool session__out_of_memory(struct session *s)
{
	if (mem_state() != MEM_OUT)
		return false;
	s->result->end = END_MEMORY;
	return true;
}

bool session__ended(struct session *s, bool reader_gone)
{
	if (session__signalled(s) || session__out_of_memory(s))
		return true;
	s->result->end = reader_gone ? END_READER : END_TARGET;
	return reader_gone || tasks__gone(&s->tasks);
}

void session__stop(struct session *s)
{
	if (s->stopped_ns)
		return;
	s->stopped_ns = now_ns();
	session__sliced_end(s);
	counters__disable(&s->counters);
	counters__disable(&s->gates);
	if (session__wants_off_cpu(s))
		programs__off_stop(s->programs);
	sideband__stop_mappings(s->sideband);
	s->more_fd = signals__more_fd();
	opener__between(s->opts->opener, NULL, NULL);
	opener__hurry(s->opts->opener, (uint64_t)BUDGET_END_LOOKS_MS * MS, s->more_fd);
	session__spend_stop(s);
	procfs_idle_ns(s->idle_after, s->n_cpus);
}

bool session__hurries(const struct session *s)
{
	struct pollfd p = {.fd = s->more_fd, .events = POLLIN};

	return p.fd >= 0 && poll(&p, 1, 0) > 0;
}

void session__attend(struct session *s)
{
	uint64_t now = now_ns();

	if (s->stopped_ns || now < s->when.attend_ns)
		return;
	s->when.attend_ns = now + ATTEND_NS;
	opener__attended(s->opts->opener, now, false);
	if (session__time_is_up(s, now) || session__signalled(s) || session__out_of_memory(s))
		session__stop(s);
}
