// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The run of one recording. The hard thing is the order: programs before marks, marks before
 * counters, side-band before anything whose birth must be known, everything open and attached before
 * anything is enabled, and only then the command may exec.
 */
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "collect/room.h"
#include "session/internal.h"
#include "sys/clock.h"
#include "sys/limits.h"
#include "sys/procfs.h"

enum {
	ROUND_MS = 100,
	HURRY_MS =
		25, /* while stacks are being copied, because tables or programs aren't known yet */
	REST_MS = 10,
	NEWS_MS = 1, /* between two looks at what processes do */
	LARGE_BLOCK = 128 * 1024,
};

/* glibc raises its threshold to the size of what was freed, and then keeps such blocks for itself. */
static void give_back_large_blocks(void)
{
	mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
}

static void session__init(struct session *s, const struct session_opts *opts,
			  struct session_result *result)
{
	size_t n = opts->events->n;

	give_back_large_blocks();
	*result = (struct session_result){.lent = opts->profile != NULL};
	s->opts = opts;
	s->result = result;
	s->command.go_fd = s->command.failed_fd = -1;
	s->tasks = (struct tasks){.whom = &opts->whom};
	s->n_cpus = cpus_possible();
	s->idle_before = xcalloc((size_t)s->n_cpus, sizeof(*s->idle_before));
	s->idle_after = xcalloc((size_t)s->n_cpus, sizeof(*s->idle_after));
	result->files = opts->files ? opts->files : files__new(opts->opener);
	if (session_wants_cgroups(opts))
		result->cgroups = opts->cgroups ? opts->cgroups : cgroups__new(opts->opener);
	result->rates = xcalloc(n, sizeof(*result->rates));
	result->scopes = xcalloc(n, sizeof(*result->scopes));
	session__assemble(s);
}

static int session__check_cpus(struct session *s, struct err *err)
{
	int r = cpus__online(&s->online, err);

	if (r < 0)
		return r;
	s->ring_bytes = s->opts->ring_bytes ? s->opts->ring_bytes : room_ring_bytes(s->online.n);
	s->cpus = s->opts->whom.cpus ? s->opts->whom.cpus : &s->online;
	return cpus__check(s->cpus, &s->online, err);
}

/* What is known to fail later, and would be harder to explain there. */
static int session__check_place(const struct session *s, struct err *err)
{
	/* shared maps and helpers; a ring and two side-band rings per CPU; programs and events per CPU */
	unsigned long files = 32 + 3 * (unsigned long)s->online.n +
			      s->opts->events->n * (4 + (unsigned long)s->cpus->n);

	if (!procfs_is_ours())
		return err__cannot(
			err, "/proc shows the processes of another pid namespace than ours: mount "
			     "ours (unshare --mount-proc), or enter that one (nsenter -p)");
	raise_fd_limit();
	if (fd_limit() < files)
		return err__set(
			err, -EMFILE,
			"about %lu open files are needed and the limit is %lu: raise it (ulimit "
			"-n %lu)",
			files, fd_limit(), files);
	return 0;
}

static int session__prepare(struct session *s, struct err *err)
{
	int r = session__check_cpus(s, err);

	if (r == 0)
		r = session__check_place(s, err);
	if (r == 0)
		r = session__load(s, err);
	if (r == 0)
		r = rings__open(&s->rings, s->programs, s->ring_bytes, session__ring_record, s,
				err);
	if (r == 0)
		r = sideband__open(&s->sideband, &s->online, err);
	if (r == 0 && s->opts->whom.command)
		r = command__start(&s->command, s->opts->whom.command, s->opts->whom.command_stdout,
				   err);
	if (r == 0)
		r = session__open_counters(s, err);
	if (r == 0)
		sideband__watch_throttling(s->sideband, &s->counters);
	if (r == 0)
		session__note_ways(s);
	return r;
}

static bool meets_kernel(const struct event_list *events)
{
	for (size_t i = 0; i < events->n; i++) {
		if (!events->events[i].attr.exclude_kernel)
			return true;
	}
	return false;
}

/* Counters that wait for the command's exec enable themselves. */
static int session__start(struct session *s, struct err *err)
{
	struct counters now = {0};
	int r;

	procfs_idle_ns(s->idle_before, s->n_cpus);
	for (size_t i = 0; i < s->counters.n; i++) {
		if (s->counters.list[i].tid >= 0 && target__is_command(&s->opts->whom))
			continue;
		GROW(now.list, now.n, now.cap);
		now.list[now.n++] = s->counters.list[i];
	}
	r = counters__enable(&now, err);
	free(now.list);
	s->start_ns = s->round_ns = now_ns();
	session__spend_begin(s);
	if (r == 0 && s->tables)
		tables__prepare(s->tables);
	if (r == 0 && meets_kernel(s->opts->events))
		kernel_names__begin(s->opts->kernel);
	if (r == 0 && s->opts->whom.command)
		r = command__go(&s->command, s->opts->whom.command[0], err);
	if (r == 0 && !s->opts->more_follow)
		session__drop_privileges(s);
	return r;
}

/* Which of our signals has come; the command's death is one of them. */
static bool session__signalled(struct session *s, enum session_end *ret_end)
{
	int signo;

	while ((signo = signals__next(s->opts->signals))) {
		if (signo != SIGCHLD) {
			*ret_end = END_SIGNAL;
			return true;
		}
		if (s->command.pid && command__exited(&s->command)) {
			*ret_end = END_TARGET;
			return true;
		}
	}
	return false;
}

static void session__tick(struct session *s, uint64_t now)
{
	struct session_tick tick = {.elapsed_ns = now - s->start_ns};

	if (!s->opts->tick)
		return;
	for (size_t i = 0; i < s->opts->events->n; i++) {
		struct pmb_stats stats;

		if (s->opts->events->events[i].way == EVENT_OVERFLOWS)
			tick.samples += s->assembly.books.events[i].decoded;
		if (programs__stats(s->programs, i, &stats) < 0)
			continue;
		for (int k = 0; k < PMB_N_DROPS; k++)
			tick.lost += stats.dropped[k];
	}
	s->opts->tick(s->opts->tick_ctx, &tick);
}

static bool session__time_is_up(const struct session *s, uint64_t now)
{
	return s->opts->whom.duration_ns && now - s->start_ns >= s->opts->whom.duration_ns;
}

static int left_ms(const struct session *s, uint64_t now, int at_most)
{
	uint64_t left;

	if (!s->opts->whom.duration_ns)
		return at_most;
	left = s->start_ns + s->opts->whom.duration_ns - now;
	return left < (uint64_t)at_most * 1000000 ? (int)(left / 1000000) + 1 : at_most;
}

/* True if a signal, the death of the command, of the targets or of our reader ends the recording. */
static bool session__ended(struct session *s, const struct pollfd *reader,
			   enum session_end *ret_end)
{
	if (session__signalled(s, ret_end))
		return true;
	*ret_end = reader->revents & POLLERR ? END_READER : END_TARGET;
	return *ret_end == END_READER || tasks__gone(&s->tasks);
}

/* What the loop waits for; while it rests, only for those before FD_TABLES. */
enum { FD_SIGNALS, FD_READER, FD_NEWS, FD_TABLES, FD_RINGS, N_FDS };

/*
 * poll() for so long, while what the kernel tells of processes is taken: a process that lives for 2 ms has its
 * files opened while it lives. It rests for a moment after each look.
 */
static int session__poll(struct session *s, struct pollfd *fds, nfds_t n, int timeout_ms)
{
	uint64_t end = now_ns() + (uint64_t)timeout_ms * 1000000, now;
	struct pollfd *news = &fds[FD_NEWS];
	int left = timeout_ms, r;

	news->fd = sideband__epoll_fd(s->sideband);
	for (;;) {
		news->revents = 0;
		r = poll(fds, n, news->fd < 0 && left > NEWS_MS ? NEWS_MS : left);
		now = now_ns();
		if (r > 0 && !(r == 1 && news->revents))
			return r;
		if (now >= end)
			return 0;
		if (r > 0)
			session__news(s);
		news->fd = r > 0 ? -1 : sideband__epoll_fd(s->sideband);
		left = (int)((end - now) / 1000000) + 1;
	}
}

/*
 * Waits for a ring to fill up or for the next round. Between rounds the rings aren't looked at for a
 * moment: once woken, their epoll set stays readable as long as any sample arrives.
 */
static enum session_end session__loop(struct session *s)
{
	struct pollfd fds[N_FDS] = {
		[FD_SIGNALS] = {.fd = s->opts->signals->fd, .events = POLLIN},
		[FD_READER] = {.fd = s->opts->whom.reader_fd},
		[FD_NEWS] = {.fd = -1, .events = POLLIN},
		[FD_TABLES] = {.fd = -1, .events = POLLIN}, /* the helper that builds them */
		[FD_RINGS] = {.fd = rings__epoll_fd(s->rings), .events = POLLIN},
	};
	enum session_end end;
	uint64_t now;

	for (;;) {
		now = now_ns();
		if (session__time_is_up(s, now))
			return END_DURATION;
		fds[FD_TABLES].fd = s->tables ? tables__fd(s->tables) : -1;
		if (session__poll(s, fds, FD_TABLES, left_ms(s, now, REST_MS)) == 0) {
			now = now_ns();
			if (session__time_is_up(s, now))
				return END_DURATION;
			session__poll(s, fds, N_FDS,
				      left_ms(s, now,
					      (s->assembly.slices.hurry ? HURRY_MS : ROUND_MS) -
						      REST_MS));
		}
		if (session__ended(s, &fds[FD_READER], &end))
			return end;
		s->assembly.slices.hurry = false;
		session__round(s, false);
		session__spend_round(s);
		session__tick(s, now_ns());
	}
}

int session__record(struct session **ret, const struct session_opts *opts,
		    struct session_result *result, struct err *err)
{
	struct session *s = xcalloc(1, sizeof(*s));
	int r;

	session__init(s, opts, result);
	r = session__prepare(s, err);
	if (r == 0)
		r = session__start(s, err);
	if (r < 0) {
		command__terminate(&s->command);
		command__wait(&s->command);
		session__free(s);
		session_result__done(result);
		return r;
	}
	result->end = session__loop(s);
	result->duration_ns = now_ns() - s->start_ns;
	counters__disable(&s->counters);
	session__spend_stop(s);
	procfs_idle_ns(s->idle_after, s->n_cpus);
	command__terminate(&s->command);
	session__round(s, true);
	session__spend_end(s);
	session__close_books(s);
	*ret = s;
	return 0;
}

int session__wait(struct session *s)
{
	if (!s->command.pid)
		return 0;
	command__wait(&s->command);
	return command__exit_status(&s->command);
}

struct session *session__free(struct session *s)
{
	if (!s)
		return NULL;
	counters__close(&s->counters);
	counters__close(&s->counted);
	rings__free(s->rings);
	sideband__free(s->sideband);
	session__unwind_free(s);
	session__spend_free(s);
	programs__free(s->programs);
	assembly__done(&s->assembly);
	session__family_free(s);
	tasks__done(&s->tasks);
	cpus__done(&s->online);
	free(s->idle_before);
	free(s->idle_after);
	free(s);
	return NULL;
}

void session_result__done(struct session_result *result)
{
	if (!result->lent) {
		profile__free(result->profile);
		files__free(result->files);
		cgroups__free(result->cgroups);
	}
	free(result->counts);
	ledger__done(&result->ledger);
	free(result->rates);
	free(result->scopes);
	buf__done(&result->notes);
	*result = (struct session_result){0};
}
