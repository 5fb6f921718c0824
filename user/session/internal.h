/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files of session/ share, and nobody else sees. */
#ifndef PMUBPF_SESSION_INTERNAL_H
#define PMUBPF_SESSION_INTERNAL_H

#include "assemble/assembly.h"
#include "collect/counters.h"
#include "collect/programs.h"
#include "collect/rings.h"
#include "collect/sideband.h"
#include "model/pace.h"
#include "session/command.h"
#include "session/session.h"
#include "session/signals.h"
#include "session/tasks.h"
#include "session/thread_contexts.h"
#include "sys/memory_nodes.h"
#include "unwind/hotspots.h"
#include "unwind/lists.h"
#include "unwind/runtimes.h"
#include "unwind/store.h"
#include "unwind/tables.h"

struct allocs;
struct mapped_calls;
struct window_probes;
struct sliced;
struct family;

/* Unwinding by tables (unwind.c); NULL: by frame pointers. */
struct session_unwind {
	struct store *store;
	struct tables *tables;
	struct runtimes *runtimes;
	struct lists *lists;
	struct hotspots *hotspots;
	bool tables_changed; /* since samples were tried again */
};

/* What is done at its time (step.c, rounds.c, end.c), CLOCK_MONOTONIC. */
struct session_when {
	uint64_t rest_ns; /* until then the rings are not looked at… */
	uint64_t due_ns;  /* …and then the next round begins, if nothing is there before */
	uint64_t news_ns; /* to look at what processes do again */
	struct pace news_pace;
	uint64_t wait_cpu_ns;  /* of this thread, when it began to wait; while that has a share */
	uint64_t looks_cpu_ns; /* all of those looks */
	/* to look at the rings again, if accounting takes that long */
	uint64_t look_ns;
	uint64_t looks;              /* times that it was asked whether it's time for that */
	uint64_t attend_ns;          /* to look whether it has ended, inside a round */
	uint64_t let_go_ns;          /* files were looked at that nobody has mapped any more */
	uint64_t system_counters_ns; /* these were read */
};

struct session {
	const struct session_opts *opts;
	struct session_result *result;
	struct cpus online;      /* every CPU that is online: side-band, per-CPU events */
	const struct cpus *cpus; /* those to sample */
	struct programs *programs;
	struct counters counters;
	struct counters counted; /* of opts->counted, in their order */
	struct counters gates;   /* events that open and close windows */
	struct sideband *sideband;
	struct rings *rings;
	size_t ring_bytes;        /* of each CPU */
	struct assembly assembly; /* what came, becoming a profile */
	struct session_unwind unwind;
	uint64_t user_mask; /* bits of a user-space code address */
	struct command command;
	struct family *family; /* tasks that inherited events live in */
	struct arrivals *arrivals;
	struct memory_nodes memory_nodes;        /* of what is recorded with data */
	struct allocs *allocs;                   /* probes of allocators; NULL: none are wanted */
	struct mapped_calls *mapped;             /* who asks the kernel for memory; NULL: nobody
						    wants to know, or it can't be had */
	struct thread_contexts *thread_contexts; /* NULL: nobody asks what threads work on */
	struct window_probes *window_probes;     /* NULL: no windows are wanted */
	struct sliced *sliced;                   /* NULL: no event is to be */
	struct spending *spending; /* what it costs, and the periods that follow from it */
	struct tasks tasks;
	bool any_process; /* every process may be sampled */
	uint64_t start_ns;
	uint64_t round_ns; /* when the previous round began */
	struct session_when when;
	uint64_t *idle_before;        /* per CPU; as the counters were started */
	uint64_t *idle_after;         /* as they were stopped */
	int n_cpus;                   /* possible */
	uint64_t stopped_ns;          /* when it ended, the result says why; 0: the counters run */
	int more_fd;                  /* readable: another signal has come since; -1: unheard */
	uint64_t part_ns;             /* when the last cut was made, or all began */
	struct pmb_off_stats off_cpu; /* of all of it, once it has ended */
	uint64_t settled_ns;          /* the horizon of the last round */
	struct session_cut *cuts;     /* that are not given up yet */
	struct told {                 /* at the last cut, what goes on counting */
		struct pmb_stats *stats; /* per event */
		struct tables_totals tables;
		struct sideband_totals sideband;
		struct pmb_window_stats windows;
		struct pmb_alloc_stats allocs;
		struct pmb_off_stats off_cpu;
		uint64_t stack_dumps_refused, stacks_dropped;
		unsigned times_short;
	} told;
};

/* weight.c: how the overflow program knows what an overflow of the event stands for */
enum pmb_weight event_weight(const struct session *s, size_t event);

/* whom.c: from targets to open, attached, disabled counters */
int session__load(struct session *s, struct err *err);
int session__open_counters(struct session *s, struct err *err);
/* Opens the per-CPU events there; opened[] counts, by the first event of each text. late:
 * privileges have gone. */
int session__open_on(struct session *s, const struct cpus *cpus, bool late, int *opened,
		     struct err *err);
void session__family_forked(struct session *s, const struct life *life);
void session__family_exited(struct session *s, const struct life *life); /* the leader has */
uint64_t session__family_forks(const struct session *s);
void session__family_free(struct session *s);

/* mapped.c: who asks the kernel for memory; …_open: once targets are marked, -errno with the
 * sentence */
bool session__mapped_wanted(const struct session *s);
int session__mapped_open(struct session *s, struct err *err);
void session__mapped_round(struct session *s);
struct pmb_mapped_stats session__mapped_stats(const struct session *s); /* so far */
void session__mapped_close(struct session *s, struct ledger *ledger);   /* of a part, its books */
void session__mapped_free(struct session *s);

/* allocs.c: probes of allocators, once targets are marked and before all is let go */
int session__allocs_open(struct session *s, struct err *err);
void session__allocs_begin(struct session *s); /* as the counters are enabled */
void session__allocs_lived(struct session *s, const struct life *life); /* as it arrives… */
bool session__allocs_hear(const struct session *s); /* …something has since the last time… */
void session__allocs_settle(struct session *s);     /* …all of before has… */
void session__allocs_ended(struct session *s, const struct life *life); /* …and in its turn */
bool session__allocs_due(const struct session *s);                      /* work could be done now */
void session__allocs_work(struct session *s);                           /* a step's worth */
void session__allocs_round(struct session *s);
void session__allocs_close(struct session *s, struct ledger *ledger); /* of a part, its books */
void session__allocs_free(struct session *s);

/* window_probes.c: probes that open and close windows. Whose, and where in programs; before the
 * programs are loaded. */
int session__window_probes_find(struct session *s, const struct pmb_config *whose, struct err *err);
const struct gates *session__gates(const struct session *s); /* with whose; NULL: no windows */
bool session__slices_windows(const struct session *s);       /* their probes come and go */
bool session__slices_kernel(const struct session *s);        /* some of them the kernel's */
/* Puts them in, right before the counters are enabled. */
int session__window_probes_begin(struct session *s, struct err *err);
uint64_t session__window_probes_due(const struct session *s); /* as of probing__due() */
void session__window_probes_look(struct session *s);
void session__window_probes_stop(struct session *s);
void session__window_probes_close(struct session *s, struct ledger *ledger); /* of a part */
void session__window_probes_free(struct session *s);

/* sliced.c: breakpoints that go for a while when their hits cost more than the budget */
void session__sliced_begin(struct session *s);         /* once they are enabled */
uint64_t session__sliced_due(const struct session *s); /* as of probing__due() */
void session__sliced_look(struct session *s);
void session__sliced_end(struct session *s); /* before they are disabled for good */
void session__sliced_free(struct session *s);

/* end.c: what ends the recording, and the end of its counters. */
bool session__time_is_up(struct session *s, uint64_t now);
/* A signal, the death of the command or of the targets, or our reader's. */
bool session__ended(struct session *s, bool reader_gone);
/* Stops the counters once the recording is to end, however long the round takes. For whoever may
 * wait for targets in between. */
void session__attend(struct session *s);
void session__stop(struct session *s); /* once, however often it is called */
/* Another signal has come, so nothing is waited for any more. */
bool session__hurries(const struct session *s);

/* step.c: a round has ended, or all begins: when is the next */
void session__pace(struct session *s, uint64_t now, bool woken);

/* rounds.c: records are drained and assembled */
void session__assemble(struct session *s); /* begins it */
void session__ring_record(void *session, const void *data, size_t size);
/* Takes what the kernel tells of processes, so that files are opened while they are there. */
void session__news(struct session *s);
/* Drains every ring; processes what happened before the previous round (everything if final). */
void session__round(struct session *s, bool final);

/* containers.c: of the cgroups asked for, in what programs are told: an event's, windows', and
 * what is beside them. */
int session__choose_cgroup(const struct session *s, struct pmb_config *cfg, struct err *err);
/* False: it is of another container than those asked for. */
bool session__wants_cgroup(void *session, const struct pmb_sample *sample);
void session__note_containers(struct session *s);
/* As a record arrives: notes the cgroup of a sample… */
void session__meet_cgroup(struct session *s, const void *record, size_t size);
/* …and looks those up that were noted, before their samples are accounted. */
void session__look_cgroups_up(struct session *s, void (*between)(void *session));
/* Between rounds: forgets cgroups that nothing refers to, once there are many. */
void session__tidy_cgroups(struct session *s);

/* quiet.c: of processes that did nothing, whose children may have */
void session__note_quiet(struct session *s);

/* unwind.c: tables, for the kernel side and for samples that wait for one */
void session__tables_work(struct session *s); /* takes an answer, and asks for the next */
void session__describe(struct session *s);    /* the same, if files were met, or an answer is due */
void session__late_round(struct session *s);  /* takes what tables there are */
void session__late_end(struct session *s);    /* waits a while for those that are missing */
void session__unwind_open(struct session *s);
void session__unwind_free(struct session *s);

/* spending.c: measures what the recording costs, and lengthens periods when that is too much */
void session__spend_begin(struct session *s); /* as the counters are enabled */
void session__spend_round(struct session *s);
void session__spend_stop(struct session *s); /* as they are disabled */
void session__spend_end(
	struct session *s); /* all records are in; maps and helpers are still there */
void session__spend_free(struct session *s);
/* Around the account of each sample. */
void session__time_sample(struct session *s, const struct decoded *rec);
void session__timed_sample(struct session *s);
/* rings__drain(); what that takes is samples', too. */
void session__drain_rings(struct session *s, uint64_t until_ns);

/* The present period of an event; 0: it is none of those that change. */
uint64_t session__period(const struct session *s, size_t event);

void session__spend_on_another(
	struct session *s); /* CPU, whose time the budget is a share of, too */

/* arrivals.c: CPUs that come while it goes on, or come back */
void session__arrivals_begin(struct session *s);
void session__arrivals_round(struct session *s);
void session__arrivals_free(struct session *s);
bool session__any_came(const struct session *s);
/* The CPU came back: another counter of the event goes on where this one ended. */
bool session__has_successor(const struct session *s, size_t at);
/* Those that ended so, once a part has what they counted: a CPU may come any number of times. */
void session__forget_succeeded(struct session *s);

/* books.c: the ledger of what was recorded since the last cut; idle_after is of now. final:
 * counters are disabled, and all records are in. */
struct session_cut session__part(struct session *s, uint64_t boundary, bool final);
void session__close_books(struct session *s);

/* off_cpu.c: time without a CPU; at the end, as the rings are emptied for the last time: those that
 * still have none. */
bool session__wants_off_cpu(const struct session *s);
void session__end_off_cpu(struct session *s,
			  void (*record)(void *session, const void *data, size_t size));
struct pmb_off_stats session__off_stats(const struct session *s); /* until now */
void session__close_off_cpu(struct session *s, struct ledger *ledger, bool final);

/* system_counters.c: counters that belong to no program, charged to [not-program-related] */
void session__charge_system_counters(struct session *s);
void session__note_modes(struct session *s);

/* What the rest of the recording does not need (session/privileges.c). After the command was
 * started. */
void session__drop_privileges(const struct session *s);

#endif
