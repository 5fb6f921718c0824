// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The run of one recording. The hard thing is the order: programs before marks, marks before
 * counters, side-band before anything whose birth must be known, everything open and attached
 * before anything is enabled, and only then the command may exec.
 */
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "collect/room.h"
#include "opener/opener.h"
#include "session/gate_events.h"
#include "session/internal.h"
#include "sys/clock.h"
#include "sys/limits.h"
#include "sys/processor.h"
#include "sys/procfs.h"

enum { LARGE_BLOCK = 128 * 1024 };

/* glibc raises its threshold to the size of what was freed, and then keeps such blocks for
 * itself. */
static void give_back_large_blocks(void)
{
	mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
}

struct contexts *session_contexts(const struct session_opts *opts)
{
	return opts->labels & LABEL_CONTEXT ?
		       contexts__new(opts->max_memory / BUDGET_CONTEXTS_PART) :
		       NULL;
}

struct branch_records *session_branches(const struct session_opts *opts)
{
	return opts->branch_filter ? branch_records__new(opts->max_memory / BUDGET_BRANCHES_PART) :
				     NULL;
}

static void session__init(struct session *s, const struct session_opts *opts,
			  struct session_result *result)
{
	size_t n = opts->events->n;

	give_back_large_blocks();
	mem_hold();
	*result = (struct session_result){.lent = opts->profile != NULL};
	s->opts = opts;
	s->result = result;
	s->command.go_fd = s->command.failed_fd = s->more_fd = -1;
	s->tasks = (struct tasks){.whom = &opts->whom};
	s->n_cpus = cpus_possible();
	s->idle_before = xcalloc((size_t)s->n_cpus, sizeof(*s->idle_before));
	s->idle_after = xcalloc((size_t)s->n_cpus, sizeof(*s->idle_after));
	result->files = opts->files ? opts->files : files__new(opts->opener);
	result->objects = opts->objects ? opts->objects :
					  objects__new(opts->max_memory / BUDGET_OBJECTS_PART);
	result->sites = opts->sites ? opts->sites :
				      sites__new(opts->max_memory / BUDGET_SITES_PART);
	result->contexts = opts->contexts ? opts->contexts : session_contexts(opts);
	result->branches = opts->branches ? opts->branches : session_branches(opts);
	if (session_wants_cgroups(opts))
		result->cgroups = opts->cgroups ? opts->cgroups : cgroups__new(opts->opener);
	s->told.times_short = mem_times_short();
	s->told.stats = xcalloc(n, sizeof(*s->told.stats));
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

enum {
	MAPS = 28,              /* each event's object has descriptors of its own for them */
	SHARED_FILES = 28,      /* six of them for helpers that start when all is recorded */
	WINDOW_FILES = 10 + 24, /* the object of their programs has descriptors of its own, too */
	MAPPED_FILES = 48,      /* …and those at mmap(), whose links have two each */
	SPARE_FILES = 8,        /* for files that are looked at at the same time */
};

/* What is known to fail later, and would be harder to explain there. */
static int session__check_surroundings(const struct session *s, struct err *err)
{
	/* outputs, the opener's, and what we inherited; a later pass has files of targets instead,
	 * for which it was asked what is left */
	unsigned long already = s->opts->files ? 0 : fds_open();
	/* helpers; a ring and two side-band rings per CPU; programs, maps and events per CPU */
	unsigned long files = already + SHARED_FILES + (s->opts->gates ? WINDOW_FILES : 0) +
			      (session__mapped_wanted(s) ? MAPPED_FILES : 0) +
			      3 * (unsigned long)s->online.n +
			      s->opts->events->n * (MAPS + 4 + (unsigned long)s->cpus->n);

	if (!procfs_is_ours())
		return err__cannot(
			err, "/proc shows the processes of another pid namespace than ours: mount "
			     "ours (unshare --mount-proc), or enter that one (nsenter -p)");
	raise_fd_limit();
	if (fd_limit() < files)
		return err__set(
			err, -EMFILE,
			"about %lu open files are needed (%lu are open already) and the limit is "
			"%lu: raise it (ulimit -n %lu)",
			files, already, fd_limit(), files + SPARE_FILES);
	return 0;
}

static void attend(void *session)
{
	session__attend(session);
}

/* What threads say they work on, if anybody asks. */
static void session__open_contexts(struct session *s)
{
	const struct thread_contexts_parts parts = {
		.programs = s->programs,
		.processes = s->assembly.processes,
		.files = s->result->files,
		.meanwhile = attend,
		.ctx = s,
	};

	if (s->opts->labels & LABEL_CONTEXT)
		s->thread_contexts = thread_contexts__new(&parts);
}

static int session__prepare(struct session *s, struct err *err)
{
	int r = session__check_cpus(s, err);

	if (r == 0)
		r = session__check_surroundings(s, err);
	if (r == 0)
		r = session__load(s, err);
	if (r == 0)
		session__open_contexts(s);
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
		sideband__watch_throttling(s->sideband, &s->counters, 0);
	if (r == 0)
		session__note_modes(s);
	if (r == 0 && s->opts->opened)
		r = s->opts->opened(s->opts->opened_ctx, s->command.pid, err);
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
	r = session__window_probes_begin(s, err);
	if (r == 0)
		r = counters__enable(&now, err);
	free(now.list);
	if (r == 0)
		r = gate_events__start(&s->gates, &s->opts->whom, err);
	s->start_ns = s->round_ns = s->part_ns = now_ns();
	assembly__start_timeline(&s->assembly, s->start_ns);
	if (s->opts->processor)
		processor_watch__begin(s->opts->processor, "", s->start_ns);
	session__pace(s, s->start_ns, true);
	session__spend_begin(s);
	session__sliced_begin(s);
	session__allocs_begin(s);
	session__arrivals_begin(s);
	if (r == 0 && s->unwind.tables)
		tables__prepare(s->unwind.tables);
	if (r == 0 && meets_kernel(s->opts->events))
		kernel_names__begin(s->opts->kernel);
	if (r == 0 && s->opts->whom.command)
		r = command__go(&s->command, s->opts->whom.command[0], err);
	if (r == 0 && !s->opts->more_follow)
		session__drop_privileges(s);
	if (r == 0)
		opener__between(s->opts->opener, attend, s);
	return r;
}

int session__open(struct session **ret, const struct session_opts *opts,
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
	*ret = s;
	return 0;
}

static void session__note_memory(struct session *s)
{
	if (s->result->end == END_MEMORY)
		buf__puts(&s->result->notes, "ended early: the system refused memory, and what was "
					     "held back for that was used up (ulimit -d, -v?)\n");
	else if (mem_times_short() > s->told.times_short)
		buf__puts(&s->result->notes, "the system refused memory for a while: samples were "
					     "left out, and fewer stacks kept apart (ulimit -d, "
					     "-v?)\n");
	s->told.times_short = mem_times_short();
}

void session__close(struct session *s)
{
	session__stop(s);
	session__window_probes_stop(s);
	s->result->start_ns = s->start_ns;
	s->result->duration_ns = s->stopped_ns - s->start_ns;
	command__terminate(&s->command);
	session__end_off_cpu(s, session__ring_record);
	session__round(s, true);
	session__spend_end(s);
	session__close_books(s);
	session__note_memory(s);
	opener__hurry_no_more(s->opts->opener);
}

struct session_cut *session__cut(struct session *s)
{
	struct session_cut *cut = xcalloc(1, sizeof(*cut));

	session__round(s, false);
	session__charge_system_counters(s);
	procfs_idle_ns(s->idle_after, s->n_cpus);
	*cut = session__part(s, s->settled_ns, false);
	session__forget_succeeded(s);
	cut->next = s->cuts;
	s->cuts = cut;
	return cut;
}

void session__give_up(struct session *s, struct session_cut *cut)
{
	struct session_cut **at = &s->cuts;

	while (*at != cut)
		at = &(*at)->next;
	*at = cut->next;
	profile__free(cut->profile);
	ledger__done(&cut->ledger);
	free(cut->rates);
	free(cut);
}

int session__record(struct session **ret, const struct session_opts *opts,
		    struct session_result *result, struct err *err)
{
	struct pollfd fds[SESSION_FDS];
	int r = session__open(ret, opts, result, err);

	if (r < 0)
		return r;
	do {
		int timeout_ms = session__fds(*ret, now_ns(), fds);

		poll(fds, SESSION_FDS, timeout_ms);
	} while (session__step(*ret, now_ns(), fds));
	session__close(*ret);
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
	cleanup_close(&s->more_fd);
	counters__close(&s->counters);
	counters__close(&s->counted);
	counters__close(&s->gates);
	rings__free(s->rings);
	sideband__free(s->sideband);
	session__unwind_free(s);
	session__spend_free(s);
	session__arrivals_free(s);
	session__allocs_free(s);
	session__mapped_free(s);
	memory_nodes__done(&s->memory_nodes);
	programs__free(s->programs);
	s->thread_contexts = thread_contexts__free(s->thread_contexts);
	session__window_probes_free(s);
	session__sliced_free(s);
	assembly__done(&s->assembly);
	session__family_free(s);
	tasks__done(&s->tasks);
	cpus__done(&s->online);
	while (s->cuts)
		session__give_up(s, s->cuts);
	free(s->told.stats);
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
		objects__free(result->objects);
		sites__free(result->sites);
		contexts__free(result->contexts);
		branch_records__free(result->branches);
		cgroups__free(result->cgroups);
	}
	free(result->counts);
	ledger__done(&result->ledger);
	free(result->rates);
	free(result->scopes);
	buf__done(&result->notes);
	*result = (struct session_result){0};
}
