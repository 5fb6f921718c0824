// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Probes of allocators: in each file that a target has mapped and that has functions of these
 * names, at an instruction near their beginning that the kernel carries out itself, and where they
 * return. Each probe is of one process, so nobody else's calls take longer.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "collect/allocs.h"
#include "collect/canary.h"
#include "model/budget.h"
#include "model/duration.h"
#include "opener/opener.h"
#include "session/alloc_processes.h"
#include "session/internal.h"
#include "session/probing.h"
#include "sys/clock.h"
#include "sys/procfs.h"

enum {
	START_NS = 2000000000, /* for all files of before the start; others come later */
	STEP_NS = 10 * 1000 * 1000,
};

struct allocs {
	struct alloc_programs *programs;
	struct probing probing;
	struct probed told; /* at the last cut, what goes on counting */
	struct alloc_reach told_reach;
	uint64_t told_forgotten;
	uint64_t frees_lost, round_ns; /* until the last round, and when that was */
	struct alloc_files files;
	struct alloc_processes processes;
};

static int look_at_path(struct session *s, const char *path)
{
	_cleanup_close_ int fd = path ? opener__path(s->opts->opener, -1, 0, 0, path) : -1;

	return fd < 0 ? 0 :
			alloc_processes__probe(&s->allocs->processes, (uint32_t)s->command.pid, fd,
					       0, path);
}

/* What a command will map isn't known before it runs: its own file, what is loaded before all
 * else, and the C library that we have are there from its first call on. */
static int look_at_command(struct session *s)
{
	_cleanup_free_ char *exe = command__file(s->opts->whom.command[0]);
	const char *env = getenv("LD_PRELOAD");
	_cleanup_free_ char *preloaded = env ? xstrdup(env) : NULL;
	char *rest = preloaded;
	Dl_info libc;
	int r = look_at_path(s, exe);

	for (char *path; (path = strsep(&rest, " :"));) {
		if (r == 0 && *path == '/')
			r = look_at_path(s, path);
	}
	if (r == 0 && dladdr((void *)(uintptr_t)malloc, &libc))
		r = look_at_path(s, libc.dli_fname);
	return r == -OPENER_SERVED ? 0 : r;
}

static void forget(void *session, uint32_t tgid)
{
	struct session *s = session;

	assembly__forget_blocks(&s->assembly, tgid, now_ns());
}

static void attend(void *session)
{
	session__attend(session);
}

static int look_at_targets(struct session *s)
{
	const struct target *whom = &s->opts->whom;
	struct allocs *a = s->allocs;
	int r = 0;

	a->files = (struct alloc_files){
		.opener = s->opts->opener,
		.notes = &s->result->notes,
		.meanwhile = attend,
		.ctx = s,
	};
	a->processes = (struct alloc_processes){
		.files = &a->files,
		.programs = a->programs,
		.opener = s->opts->opener,
		.forget = forget,
		.ctx = s,
	};
	if (target__is_command(whom)) {
		alloc_processes__add(&a->processes, (uint32_t)s->command.pid);
		r = look_at_command(s);
	} else {
		for (size_t i = 0; i < whom->n_pids; i++) {
			alloc_processes__add(&a->processes, (uint32_t)whom->pids[i]);
			alloc_processes__look(&a->processes, (uint32_t)whom->pids[i]);
		}
	}
	alloc_processes__work(&a->processes, now_ns() + START_NS, true);
	alloc_files__rest(&a->files);
	return r;
}

static int load(struct session *s, struct err *err)
{
	const struct pmb_config config = {
		.user_mask = s->user_mask,
		.filter = target__filter(&s->opts->whom),
		.max_frames = SITE_FRAMES + 4,
		.pidns = procfs_nested_pid_namespace(),
		.by_table = s->opts->want_user && s->opts->by_table,
		.patient = s->opts->patient,
		/* half of what overflows' programs have: copies of stacks leave them room */
		.ring_wake = (uint32_t)(s->ring_bytes / 8),
	};

	return alloc_programs__load(&s->allocs->programs, s->programs, &config, err);
}

static void put_note(struct session *s)
{
	const struct allocs *a = s->allocs;
	char emulated[DURATION_TEXT], stepped[DURATION_TEXT];

	duration_text(a->probing.each.emulated_ns, emulated);
	duration_text(a->probing.each.stepped_ns, stepped);
	buf__printf(&s->result->notes,
		    "--alloc: %zu probes in %zu file%s; each call of an allocator takes about %s "
		    "longer, and %s where it returns, as a child of our own had it\n",
		    a->files.n_places, a->files.n_probed, a->files.n_probed == 1 ? "" : "s",
		    emulated, stepped);
}

int session__allocs_open(struct session *s, struct err *err)
{
	const struct target *whom = &s->opts->whom;
	const struct allocs *a;
	int r;

	if (!target__is_command(whom) && !whom->n_pids)
		return err__usage(err, "--alloc: it takes a command, or processes (-p): each is "
				       "probed by itself");
	s->allocs = xcalloc(1, sizeof(*s->allocs));
	r = canary__try(&s->allocs->probing.each, false, "--alloc", err);
	if (r == 0)
		r = load(s, err);
	if (r < 0)
		return r;
	r = look_at_targets(s);
	if (r < 0)
		return err__cannot(err, "--alloc: no probe could be put in: %s", strerror(-r));
	a = s->allocs;
	if (!a->files.n_places && !a->processes.first)
		return err__cannot(err,
				   "--alloc: no allocator was found that can be probed: malloc "
				   "and free, by their symbols%s",
				   a->files.n_unread ? "; symbols of some files could not be read "
						       "in time" :
						       "");
	put_note(s);
	return 0;
}

static int hits(void *session, struct probe_hits *ret)
{
	struct session *s = session;
	struct pmb_alloc_stats now;
	int r = alloc_programs__stats(s->allocs->programs, &now);

	*ret = (struct probe_hits){now.entries, now.exits, now.timed, now.timed_ns};
	return r;
}

/* Frees are not seen from now on, so nothing is known any more. */
static int take_out(void *session)
{
	struct session *s = session;

	assembly__forget_blocks(&s->assembly, 0, now_ns());
	alloc_programs__switch(s->allocs->programs, false);
	alloc_processes__take_out(&s->allocs->processes);
	return 0;
}

/* Some of the processes may have gone. */
static int put_in_again(void *session, struct err *err)
{
	struct session *s = session;

	(void)err;
	alloc_programs__switch(s->allocs->programs, true);
	alloc_processes__put_in(&s->allocs->processes);
	return 0;
}

static const struct probing_fns probing = {
	.hits = hits,
	.take_out = take_out,
	.put_in = put_in_again,
};

void session__allocs_begin(struct session *s)
{
	struct allocs *a = s->allocs;

	if (!a)
		return;
	a->files.began = true;
	a->round_ns = s->start_ns;
	a->probing.fns = &probing;
	a->probing.opener = s->opts->opener;
	a->probing.ctx = s;
	a->probing.notes = &s->result->notes;
	/* tables are being built until then, and stacks travel as copies */
	probing__begin(&a->probing, s->opts->budget / 100 * s->cpus->n, BUDGET_SETTLING_NS,
		       s->start_ns);
}

void session__allocs_lived(struct session *s, const struct life *life)
{
	if (!s->allocs || (life->kind == LIFE_FORK && !s->opts->whom.inherit))
		return;
	alloc_processes__lived(&s->allocs->processes, life);
}

bool session__allocs_hear(const struct session *s)
{
	return s->allocs && s->allocs->processes.n_lives;
}

void session__allocs_settle(struct session *s)
{
	if (s->allocs)
		alloc_processes__settle(&s->allocs->processes);
}

void session__allocs_ended(struct session *s, const struct life *life)
{
	if (s->allocs)
		alloc_processes__ended(&s->allocs->processes, life);
}

bool session__allocs_due(const struct session *s)
{
	return s->allocs && alloc_processes__due(&s->allocs->processes);
}

void session__allocs_work(struct session *s)
{
	if (session__allocs_due(s))
		alloc_processes__work(&s->allocs->processes, now_ns() + STEP_NS, false);
}

void session__allocs_round(struct session *s)
{
	const uint64_t begun_ns = now_ns();
	struct allocs *a = s->allocs;
	struct pmb_alloc_stats now;

	if (!a || alloc_programs__stats(a->programs, &now) < 0)
		return;
	if (now.frees_lost > a->frees_lost) { /* it may be somebody else's since the last round */
		assembly__forget_blocks(&s->assembly, 0, a->round_ns);
		assembly__forget_blocks(&s->assembly, 0, now_ns());
	}
	a->frees_lost = now.frees_lost;
	a->round_ns = begun_ns;
	alloc_processes__round(&a->processes, now_ns());
	alloc_processes__work(&a->processes, now_ns() + STEP_NS, false);
	probing__look(&a->probing, now_ns());
}

static struct alloc_reach reach_of(const struct allocs *a)
{
	struct alloc_reach reach = a->processes.reach;

	reach.files_served = a->files.n_served;
	reach.files_unread = a->files.n_unread;
	return reach;
}

void session__allocs_close(struct session *s, struct ledger *ledger)
{
	struct ledger_allocs *to = &ledger->allocs;
	struct allocs *a = s->allocs;

	if (!a || alloc_programs__stats(a->programs, &to->kernel) < 0)
		return;
	const struct pmb_alloc_stats now = to->kernel;
	const struct alloc_reach reach = reach_of(a);
	const uint64_t forgotten = s->assembly.blocks.forgotten;

	to->asked = true;
	alloc_stats__take(&to->kernel, &s->told.allocs);
	s->told.allocs = now;
	to->reach = reach;
	alloc_reach__take(&to->reach, &a->told_reach);
	a->told_reach = reach;
	to->forgotten = forgotten - a->told_forgotten;
	a->told_forgotten = forgotten;
	to->probed = probing__part(&a->probing, &a->told);
}

void session__allocs_free(struct session *s)
{
	if (!s->allocs)
		return;
	if (s->allocs->programs)
		alloc_programs__switch(s->allocs->programs, false);
	alloc_processes__done(&s->allocs->processes);
	alloc_files__done(&s->allocs->files);
	alloc_programs__free(s->allocs->programs);
	free(s->allocs);
	s->allocs = NULL;
}
