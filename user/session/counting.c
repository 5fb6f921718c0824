// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The run of a counting. Everything is open before anything is enabled, and only then the command
 * may exec: its counters enable themselves with that.
 */
#include "session/counting.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "opener/opener.h"
#include "session/counting_internal.h"
#include "sys/caps.h"
#include "sys/clock.h"
#include "sys/drop.h"
#include "sys/processor.h"

enum {
	ROUND_NS = 100000000, /* how long it may take to notice that threads (-t) have ended */
};

/* From here on counters are read, and a command that has become another user is ended. */
static void drop_privileges(const struct counting_opts *o, const struct held *held)
{
	uint64_t keep = o->whom.command ? CAP_BIT(CAP_KILL) : 0;
	bool probes = o->per && gates__by_probes(o->per);

	/* rows are the kernel's, and not in memory that could be mapped; what is inside is settled
	 * by a program */
	if (o->by || o->inside || probes)
		keep |= CAP_BIT(CAP_BPF_NUMBER);
	if (probes && gates__by_kernel(o->per) && o->budget > 0) /* they come and go */
		keep |= caps_to_count();
	if (o->opener)
		keep |= caps_to_hand_over();
	if (held->has_gpu)
		keep |= CAP_BIT(CAP_SYS_PTRACE);
	drop_capabilities(keep);
	if (!(o->per && gates__by_user(o->per) && o->budget > 0)) /* whose probes come and go */
		opener__settled(o->opener);
	drop_new_privileges();
}

/* CPU time of the children that have been waited for: user, system. */
static void children_usage(uint64_t ret[2])
{
	struct rusage usage = {0};

	getrusage(RUSAGE_CHILDREN, &usage);
	ret[0] = timeval_ns(&usage.ru_utime);
	ret[1] = timeval_ns(&usage.ru_stime);
}

static int prepare(struct counting *c, struct err *err)
{
	const struct counting_opts *o = c->opts;
	int r = cpus__online(&c->online, err);

	if (r == 0 && o->whom.cpus)
		r = cpus__check(o->whom.cpus, &c->online, err);
	if (r == 0)
		r = tasks__watch(&c->tasks, err);
	if (r == 0)
		r = signals__catch(&c->signals, err);
	if (r == 0 && o->whom.command)
		r = command__start(&c->result->command, o->whom.command, o->whom.command_stdout,
				   err);
	if (r == 0)
		r = counting__open(c, err);
	if (r == 0)
		r = counting_beside__open(c, err);
	if (r == 0 && o->per)
		r = counting_work__open(c, err);
	return r == 0 && o->by ? counting_owners__open(c, err) : r;
}

/* GPUs are those of the first process. */
static void find_what_holds(struct counting *c)
{
	const struct target *whom = &c->opts->whom;
	pid_t command = target__is_command(whom) ? c->result->command.pid : 0;
	pid_t first = whom->n_pids ? whom->pids[0] : whom->n_tids ? whom->tids[0] : command;

	for (size_t i = 0; i < whom->n_cgroups; i++)
		held__add(&c->held, "", cgroup__path(&whom->cgroups[i]), 0);
	for (size_t i = 0; i < whom->n_pids; i++)
		held__add(&c->held, "", NULL, whom->pids[i]);
	for (size_t i = 0; i < whom->n_tids; i++)
		held__add(&c->held, "", NULL, whom->tids[i]);
	if (command)
		held__add(&c->held, "", NULL, command);
	held__begin(&c->held, "", first);
}

static int start(struct counting *c, struct err *err)
{
	int r = counting__enable(c, err);

	if (r == 0)
		r = counting_beside__enable(c, err);
	if (r == 0 && c->work)
		r = counting_work__start(c, err);
	if (r == 0 && c->owners)
		r = counting_owners__start(c, err);
	if (r < 0)
		return r;
	children_usage(c->usage_before);
	if (c->work && c->opts->interval)
		find_what_holds(c);
	c->start_ns = now_ns();
	if (c->opts->processor)
		processor_watch__begin(c->opts->processor, "", c->start_ns);
	if (!c->opts->whom.command)
		return 0;
	return command__go(&c->result->command, c->opts->whom.command[0], err);
}

static void read_counts(struct counting *c, uint64_t now, bool last)
{
	if (c->work)
		counting_work__read(c, last);
	if (c->work && c->opts->interval)
		held__since(&c->held, &c->result->throttled_ns, &c->result->gpu_ns);
	if (c->owners)
		counting_owners__read(c, last);
	counting__read(c, now - c->start_ns);
	counting_beside__read(c, now - c->start_ns);
}

static int emit(struct counting *c, uint64_t now, bool last)
{
	read_counts(c, now, last);
	return c->opts->interval ? c->opts->interval(c->opts->ctx, &c->result->counts) : 0;
}

/* Which of our signals has come; the command's death is one of them. */
static bool signalled(struct counting *c, enum session_end *ret_end)
{
	struct command *command = &c->result->command;
	int signo;

	while ((signo = signals__next(&c->signals))) {
		*ret_end = signo == SIGCHLD ? END_TARGET : END_SIGNAL;
		if (signo != SIGCHLD || (command->pid && command__exited(command)))
			return true;
	}
	return false;
}

/* Our signals, our reader, and the processes, whose end is to be seen at once. */
enum { POLL_SIGNALS, POLL_READER, POLL_TASKS };

static struct pollfd *what_to_poll(const struct counting *c, nfds_t *ret_n)
{
	struct pollfd *fds = xcalloc(POLL_TASKS + c->tasks.n_fds, sizeof(*fds));

	fds[POLL_SIGNALS] = (struct pollfd){.fd = c->signals.fd, .events = POLLIN};
	fds[POLL_READER].fd = c->opts->whom.reader_fd;
	for (size_t i = 0; i < c->tasks.n_fds; i++)
		fds[POLL_TASKS + i] = (struct pollfd){.fd = c->tasks.fds[i], .events = POLLIN};
	*ret_n = POLL_TASKS + c->tasks.n_fds;
	return fds;
}

static void wait_until(struct pollfd *fds, nfds_t n, uint64_t now, uint64_t deadline)
{
	uint64_t left = deadline > now ? deadline - now : 0;
	struct timespec timeout;

	if (left > ROUND_NS)
		left = ROUND_NS;
	timeout = (struct timespec){.tv_sec = 0, .tv_nsec = (long)left};
	ppoll(fds, n, &timeout, NULL);
	for (nfds_t i = POLL_TASKS; i < n; i++) {
		if (fds[i].revents)
			fds[i].fd = -1; /* it has ended, and the others may not have */
	}
}

static uint64_t deadline(uint64_t start_ns, uint64_t after_ns)
{
	return after_ns ? start_ns + after_ns : UINT64_MAX;
}

static enum session_end loop(struct counting *c)
{
	const struct counting_opts *o = c->opts;
	uint64_t end_ns = deadline(c->start_ns, o->whom.duration_ns);
	uint64_t next_ns = deadline(c->start_ns, o->interval_ns), now;
	_cleanup_free_ struct pollfd *fds = NULL;
	enum session_end end;
	nfds_t n;

	fds = what_to_poll(c, &n);
	for (;;) {
		now = now_ns();
		if (now >= end_ns)
			return END_DURATION;
		if (now >= next_ns) {
			if (emit(c, now, false) < 0)
				return END_READER;
			next_ns += (now - next_ns) / o->interval_ns * o->interval_ns;
			next_ns += o->interval_ns;
		}
		if (o->processor)
			processor_watch__look(o->processor, "", now);
		if (c->owners)
			counting_owners__tell(c, now);
		if (now >= counting_work__due(c))
			counting_work__look(c);
		wait_until(fds, n, now, earlier(earlier(next_ns, end_ns), counting_work__due(c)));
		if (signalled(c, &end))
			return end;
		if (fds[POLL_READER].revents & POLLERR)
			return END_READER;
		if (tasks__gone(&c->tasks))
			return END_TARGET;
	}
}

static void set_usage(struct counting *c)
{
	struct counting_result *result = c->result;
	uint64_t usage[2];

	if (!target__is_command(&c->opts->whom) || !result->command.reaped)
		return;
	children_usage(usage);
	result->has_usage = true;
	result->user_ns = usage[0] - c->usage_before[0];
	result->system_ns = usage[1] - c->usage_before[1];
}

static void counting__done(struct counting *c)
{
	counting_work__close(c);
	counting_owners__close(c);
	counting_beside__close(c);
	counting__close(c);
	held__done(&c->held);
	tasks__done(&c->tasks);
	signals__release(&c->signals);
	cpus__done(&c->online);
}

int counting__run(const struct counting_opts *o, struct counting_result *result, struct err *err)
{
	_cleanup_(counting__done) struct counting c = {
		.opts = o,
		.result = result,
		.tasks = {.whom = &o->whom},
		.signals = {.fd = -1},
	};
	int r;

	counting_result__begin(result, o->events);
	r = prepare(&c, err);
	if (r == 0)
		r = start(&c, err);
	if (r == 0 && !o->more_follow)
		drop_privileges(o, &c.held);
	if (r == 0) {
		result->end = loop(&c);
		if (result->end != END_READER && emit(&c, now_ns(), true) < 0)
			result->end = END_READER;
	}
	command__terminate(&result->command);
	set_usage(&c);
	signals__release(&c.signals);
	if (r == 0)
		return 0;
	command__wait(&result->command);
	counting_result__done(result);
	return r;
}

int counting__wait(struct counting_result *result)
{
	if (!result->command.pid)
		return 0;
	command__wait(&result->command);
	return command__exit_status(&result->command);
}
