/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One recording: open, step until it has ended, close. The pipeline of every command; what differs
 * is what becomes of the profile at its end.
 */
#ifndef PMUBPF_SESSION_SESSION_H
#define PMUBPF_SESSION_SESSION_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "assemble/assembly.h"
#include "base/err.h"
#include "collect/gates.h"
#include "model/branch_records.h"
#include "model/clockrate.h"
#include "model/cost.h"
#include "model/ledger.h"
#include "model/contexts.h"
#include "model/objects.h"
#include "model/sites.h"
#include "model/profile.h"
#include "pmu/event.h"
#include "proc/cgroups.h"
#include "proc/files.h"
#include "session/target.h"
#include "sym/kernel_names.h"

enum { DEFAULT_MAX_MEMORY = 128 * 1024 * 1024 };

/* Whether an event is opened per CPU and chosen in BPF, or per task. */
enum session_scope {
	SCOPE_AUTO, /* per task for PIDs, threads and breakpoints, per CPU for the rest */
	SCOPE_PER_CPU,
	SCOPE_PER_TASK,
};

struct session_tick {
	uint64_t elapsed_ns;
	uint64_t samples;
	uint64_t lost;
};

struct session_opts {
	struct event_list *events;     /* with rates; borrowed */
	const struct signals *signals; /* caught; borrowed */
	/* What hypervisor and heat take: begun with the first session, looked at; borrowed; NULL:
	 * nobody asks. */
	struct processor_watch *processor;
	struct opener *opener; /* who opens what targets have; borrowed */
	struct target whom;

	enum session_scope scope;
	bool want_user, want_kernel;
	bool by_table;           /* user stacks by unwind tables; else by frame pointers */
	size_t table_bytes;      /* for rows of unwind tables */
	unsigned max_frames;     /* of one side */
	bool interpreter_frames; /* keep an interpreter's own between those of what it runs */
	bool lines;              /* of what it runs: where in their functions frames stand */
	uint64_t addr_mask;      /* applied to data addresses; 0: they are not wanted */
	unsigned labels;         /* enum assembly_label, added up */
	uint64_t grid_ns;        /* a step of LABEL_TIME */
	const struct gates
		*gates; /* what opens and closes windows; borrowed; NULL: none are wanted */
	struct window_opts windows;
	uint64_t branch_filter; /* perf_event_attr's: which branches are recorded; 0: none */
	bool allocs;            /* who allocated memory: probes of allocators in the targets */
	uint64_t cpu_ns;        /* of this process, that earlier recordings have accounted for */
	double budget;          /* percent of the CPUs' time that it may take; 0: any */
	/* part of the budget that looks at what programs do may take, at once, so that files are
	 * opened while they are there; beyond it that waits for the next round. 0: any */
	unsigned looks_part;
	/* rounds come at their time, however many stacks have to be copied until tables are there:
	 * at a low rate a round, and being woken for it, costs more than the copies it saves */
	bool patient;
	size_t ring_bytes; /* of each CPU; 0: by their number */
	struct kernel_names
		*kernel;   /* borrowed; read beside the recording, if its samples need them */
	size_t max_memory; /* for stacks and what is counted by them; 0: any */

	/* For one of several recordings that add to one profile. */
	struct profile *profile;         /* NULL: the result's own */
	struct files *files;             /* NULL: the result's own */
	struct objects *objects;         /* the same */
	struct sites *sites;             /* the same */
	struct contexts *contexts;       /* the same */
	struct branch_records *branches; /* the same */
	struct cgroups *cgroups;         /* NULL: the result's own */
	const size_t *numbers; /* what events are called in the profile; NULL: as in events */
	const struct event_list *counted; /* counted for the command, not sampled; NULL: none */
	bool more_follow; /* of these recordings: privileges to start them are kept */

	bool may_download; /* the process that does it is started at the end, and takes privileges to be none */
	bool shows_code; /* so does the one that reads the kernel's code, to become the caller */

	/* Once all is open, with the command's process (0: none), before it executes, before
	 * anything is enabled, and while there are privileges to open more; NULL: not wanted. */
	int (*opened)(void *ctx, pid_t command, struct err *err);
	void *opened_ctx;
	void (*tick)(void *ctx, const struct session_tick *tick); /* NULL: not wanted */
	void *tick_ctx;
};

/* Why a recording ended. */
enum session_end { END_DURATION, END_TARGET, END_SIGNAL, END_READER, END_MEMORY };

struct session_result {
	struct profile *profile;
	struct files *files;
	struct objects *objects;         /* of interpreters */
	struct sites *sites;             /* who touched pages of data first */
	struct contexts *contexts;       /* what threads worked on; NULL: nobody asked */
	struct branch_records *branches; /* that were recorded; NULL: nobody asked */
	struct cgroups *cgroups;         /* those of samples; NULL: nobody wants them */
	struct ledger ledger;
	struct clock_rate *rates;       /* per event; hz 0 where cycles can't become time */
	enum session_scope *scopes;     /* per event: PER_CPU or PER_TASK */
	uint64_t start_ns, duration_ns; /* CLOCK_MONOTONIC */
	struct cost cost;               /* without what comes after the recording */
	uint64_t cpu_ns;                /* of this process, when the recording had ended */
	enum session_end end;
	struct buf notes; /* lines for the summary: what was odd */
	uint64_t *counts; /* per event of opts->counted; ours */
	bool lent;        /* profile, files and objects belong to whom gave them */
};

struct session;

/* Before its command or targets ended, which then say nothing of how it went. */
static inline bool session_cut_short(enum session_end end)
{
	return end == END_SIGNAL || end == END_READER || end == END_MEMORY;
}

/* Whether the samples' cgroups have to be looked up. */
static inline bool session_wants_cgroups(const struct session_opts *opts)
{
	return opts->whom.n_containers || (opts->labels & LABEL_CGROUP);
}

/* What threads said they work on, for a result; NULL: nobody asks. */
struct contexts *session_contexts(const struct session_opts *opts);

/* The same of branch records. */
struct branch_records *session_branches(const struct session_opts *opts);

/* Whether events must be read at a clock's overflows and no clock is among them:
 * event_list__add_clock has to add one. each_pass: the events will be split, and a clock of ours
 * goes with each part. */
bool session_needs_clock(const struct session_opts *opts, bool each_pass);

/*
 * Loads and opens everything, starts the command (if any) and enables the counters. opts and what
 * it borrows must live as long as the session, and so must the result, which is filled when it is
 * closed; it is void after an error.
 */
int session__open(struct session **ret, const struct session_opts *opts,
		  struct session_result *result, struct err *err);

enum { SESSION_FDS = 6 };
/* What there is to wait for before the next step; returns for how long at most, in ms. Whoever
 * waits for other descriptors, too, may step earlier, or a little later. */
int session__fds(struct session *s, uint64_t now, struct pollfd *fds);
/* The same of who has to do something at until_ns: no longer than that. */
int session__fds_until(struct session *s, uint64_t now, uint64_t until_ns, struct pollfd *fds);
/* Does what is due now (CLOCK_MONOTONIC, ns), without waiting; fds as poll() has left them, one
 * poll() a step: perf says only once that there is something to read. False: it has ended,
 * result->end says why. What comes until it is closed is drained all the same, if stepped on. */
bool session__step(struct session *s, uint64_t now, const struct pollfd *fds);
/*
 * What was recorded since the last cut, or since the beginning: a profile that nothing is added to
 * any more, and books that are closed. Numbers of files are those of the session, and mean the same
 * until the cut is given up.
 */
struct session_cut {
	struct profile *profile;
	struct ledger ledger;
	struct clock_rate *rates;  /* per event, as in the result */
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC */
	struct session_cut *next;  /* the session's */
};
/* Cuts, and goes on: no overflow is missed. What isn't settled yet is in the next. Not where the
 * profile is lent. */
struct session_cut *session__cut(struct session *s);
/* Windows that have ended since it was called before with the same `told`, which begins with 0, and
 * for how long their probes were in place. */
struct session_windows {
	uint64_t ended;
	struct probed probed;
};
struct session_windows session__windows(const struct session *s, struct session_windows *told);
/* What all of it has cost until now. */
struct cost session__cost(const struct session *s);
/* From now on, or no more: events that have a rate for it (struct event) have that. Nothing is
 * missed, and each sample stands for what it stands for. */
void session__set_detail(struct session *s, bool on);
/* Frees what is still in it. */
void session__give_up(struct session *s, struct session_cut *cut);

/*
 * Disables the counters and closes the books: the result becomes the last part, which is all of it
 * if there was no cut. It is the caller's; the command has been told to end but not waited for:
 * session__wait does that and returns its exit status (0 without a command). Free the session after
 * the result.
 */
void session__close(struct session *s);

/* All of it: opens, steps until it has ended, closes. */
int session__record(struct session **ret, const struct session_opts *opts,
		    struct session_result *result, struct err *err);
int session__wait(struct session *session);
struct session *session__free(struct session *session);
void session_result__done(struct session_result *result);

#endif
