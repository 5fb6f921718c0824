/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The books. Every overflow that the kernel side saw is in exactly one column, every column is
 * added up, and what doesn't add up is said in words. Pure: session/ fills the numbers in.
 */
#ifndef PMUBPF_MODEL_LEDGER_H
#define PMUBPF_MODEL_LEDGER_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "model/data_class.h"
#include "model/profile.h"
#include "model/set_aside.h"
#include "model/slices.h"
#include "model/truncating.h"
#include "model/unknown_runtimes.h"
#include "pmubpf/record.h"
#include "pmubpf/off_cpu.h"
#include "pmubpf/thread_context.h"

/* Why a record from a ring was not understood. X(id, key, text) */
#define REJECTS(X)                                                  \
	X(SHORT, "short", "shorter than its fixed part")            \
	X(SIZE, "size", "its size field disagrees with its length") \
	X(TYPE, "type", "unknown record type")                      \
	X(EVENT, "event", "unknown event number")                   \
	X(UNWIND_STATUS, "unwind_status", "unknown unwind status")  \
	X(PART, "part", "an optional part overruns the record")     \
	X(FRAMES, "frames", "more frames than the record holds")

enum reject {
#define X(id, key, text) REJECT_##id,
	REJECTS(X) N_REJECTS
#undef X
};

extern const char *const reject_keys[N_REJECTS];

extern const char *const drop_keys[PMB_N_DROPS];
extern const char *const drop_texts[PMB_N_DROPS];
extern const char *const status_keys[PMB_N_UNWIND_STATUSES];
extern const char *const status_texts[PMB_N_UNWIND_STATUSES];
extern const char *const context_keys[PMB_N_CONTEXT_STATES];
extern const char *const context_texts[PMB_N_CONTEXT_STATES];

/* What a part of a recording has to do with the part beside it: samples that the kernel side has
 * emitted, and that are not aggregated yet. */
struct ledger_carried {
	uint64_t rings, weight_rings; /* not decoded yet */
	uint64_t held, weight_held;   /* waiting for their time, or for a table */
};

struct ledger_event {
	const char *name; /* borrowed */
	/* Up to idle_ns: what is added up when the row of another recording comes to it. */
	struct pmb_stats kernel; /* what the overflow program counted */
	uint64_t decoded, weight_decoded;
	/* from the part before, into the part after; 0: there is none */
	struct ledger_carried in, out;
	uint64_t foreign, weight_foreign; /* of containers that turned out not to be asked for */
	uint64_t quick, weight_quick;     /* of windows that were not as slow as was asked for */
	uint64_t unheld, weight_unheld;   /* no room to wait for their window's end */
	uint64_t no_memory, weight_no_memory; /* left out as they came: memory was refused */
	uint64_t forgotten, weight_forgotten; /* of parts that were given up */
	uint64_t aggregated;
	uint64_t weight;                  /* Σ of the aggregated samples */
	uint64_t in_rows, weight_in_rows; /* samples and weights in the rows of the profile */
	struct profile_other other;       /* of them in rows [other]: there was no room for more */
	uint64_t throttled;    /* records of the kernel having throttled it; per-CPU events only */
	uint64_t throttled_ns; /* and so long its counters stood still, all together */
	/* the counter itself, over all instances */
	uint64_t value;
	uint64_t enabled_ns, running_ns;
	uint64_t scaled;    /* value, scaled by enabled/running: an estimate if they differ */
	uint64_t instances; /* counters that may each hold an unfinished period */
	uint64_t cpus_away; /* that went offline: the kernel takes their counters for good… */
	uint64_t away_ns;   /* …and so long they were not watched, all together */
	uint64_t cpus_came; /* that came, or came back, and were sampled from then on */
	/* with --data, of those aggregated: with the address of the data, and without */
	uint64_t data_with, data_without;
	uint64_t cut;     /* weight that periods may have lost when they were changed */
	uint64_t idle_ns; /* clocks: idle time of their CPUs in which no overflow came */
	/* The largest of all recordings. */
	uint64_t period;      /* the longest period, or the mean weight in frequency mode */
	uint64_t calm_period; /* if throttled: a period that the kernel would not throttle */
	/* The first of all parts: since the recording began, when it was seen; 0: it wasn't. */
	uint64_t throttled_since;
	/* with --data, of those in the rows; filled in after naming */
	__u64 data_classes[N_DATA_CLASSES];
	__u64 data_typings[N_DATA_TYPINGS]; /* none where types weren't asked for */
	/* The same in all. */
	bool read;       /* it doesn't overflow: its readings are in the columns of overflows */
	bool by_count;   /* weights were read from the counter: the remainder is known exactly */
	bool must_count; /* cycles, instructions, clocks: code that runs is counted */
	const char *only_cpus;   /* the CPUs that have its PMU; NULL: all */
	const char *no_ratio;    /* why weights and counter can't be compared; NULL: they can */
	const char *loss_causes; /* what makes overflows of this kind of event go missing */
};

/* The tables of the profile, and of the stacks before they become rows of it. */
struct ledger_memory {
	uint64_t limit; /* 0: none */
	uint64_t bytes; /* in use at the end */
	uint64_t rows;
	uint64_t trims;          /* how often the profile was full and gave up its rarest rows */
	uint64_t stacks_dropped; /* raw ones; a dropped stack is sent again when it is met again */
};

/* Unwinding by tables; all 0 without. */
struct ledger_unwind {
	uint64_t built;          /* tables */
	uint64_t frames;         /* files without unwind information, walked by frame pointers */
	uint64_t failed;         /* files whose table could not be built */
	uint64_t no_room;        /* files whose table found no room */
	uint64_t over_budget;    /* of these, those whose table takes more than a file may have */
	uint64_t evicted;        /* tables that made room for others */
	uint64_t evicted_mapped; /* of these, those of files that some process had mapped */
	uint64_t readmitted;     /* tables that came after that, or came again */
	uint64_t bytes;          /* of tables and lists in the kernel, at the end */
	uint64_t build_ns;
	uint64_t stack_dumps;         /* stacks that were copied, because a table wasn't here yet */
	uint64_t stack_dumps_lost;    /* that should have been, and found no room */
	uint64_t stack_dumps_refused; /* of these, those that were beyond --max-memory */
};

/* Windows; all 0 where none were asked for. */
struct ledger_windows {
	struct pmb_window_stats kernel;
	uint64_t sampled;     /* that had samples, when their end was known */
	uint64_t open;        /* of these, those that were open at the end */
	uint64_t kept;        /* and those that were asked for */
	struct probed probed; /* of probes in programs */
	bool of_go;           /* they are goroutines' */
};

/* How far probes of allocators got: what targets fork, execute and load. */
struct alloc_reach {
	uint64_t processes;    /* children that were probed */
	uint64_t waited_ns;    /* from their forks until then, of all of them together */
	uint64_t worked_ns;    /* on looking and on putting in */
	uint64_t gone;         /* children that ended before */
	uint64_t failed;       /* probes of a file in a process that could not be had, or in time */
	uint64_t no_room;      /* processes, files and jobs beyond bounds */
	uint64_t files_served; /* by processes (FUSE): they are not probed */
	uint64_t files_unread; /* whose symbols were not had in time, or beyond bounds */
};

/* Blocks of allocators (--alloc); all 0 without. */
struct ledger_allocs {
	bool asked;
	struct pmb_alloc_stats kernel;
	uint64_t samples;   /* about heaps and mapped memory */
	uint64_t known;     /* of these, in a block whose site is known */
	uint64_t inherited; /* of these, one that its parent had allocated before the fork */
	uint64_t no_room;   /* blocks that there was no room for */
	uint64_t forgotten; /* processes' blocks: no room to keep a child's apart */
	struct alloc_reach reach;
	struct probed probed; /* probes come and go for the budget */
};

/* Whose memory samples with --data are about, without --alloc; all 0 where nobody asked. */
struct ledger_sites {
	struct pmb_mapped_stats kernel;
	uint64_t samples; /* about heaps and mapped memory */
	uint64_t touched; /* of these, on a page whose first touch was seen */
	uint64_t mapped;  /* of these, in memory that was asked for while we looked */
	uint64_t unknown; /* of these, neither */
	uint64_t no_room; /* pieces of memory that there was no room for */
};

/* Branch records, which come with samples, and the code between two of a sample; all 0 where nobody
 * asked. What came is in the events' kernel.branches_seen and branches_lost. */
struct ledger_branches {
	uint64_t stored;   /* among the pairs of the profile */
	uint64_t other;    /* the same, and there was no room for another pair */
	uint64_t kernel;   /* from or to the kernel, which wasn't asked for */
	uint64_t invalid;  /* from or to what is no address */
	uint64_t unmapped; /* from or to where nothing is known to be mapped */
	uint64_t cut;      /* more than one sample has room for */
	uint64_t left_out; /* of samples that were left out */
	/* code between two: as above; or its ends aren't of one file, or not in this order */
	uint64_t ranges, ranges_stored, ranges_other, ranges_torn;
};

/* Frames of the samples in the rows of the profile. */
struct ledger_frames {
	uint64_t in_rows;
	uint64_t named, unnamed; /* unnamed: for a reason; both are filled in after naming */
};

struct ledger {
	struct ledger_event *events;
	size_t n_events;
	uint64_t rejected[N_REJECTS];
	uint64_t stacks_received, stack_dumps_received, objects_received;
	uint64_t user_statuses[PMB_N_UNWIND_STATUSES];
	uint64_t kernel_statuses[PMB_N_UNWIND_STATUSES];
	uint64_t contexts[PMB_N_CONTEXT_STATES]; /* all 0 where nobody asked */
	struct ledger_memory memory;
	struct ledger_unwind unwind;
	struct ledger_windows windows;
	struct ledger_allocs allocs;
	struct ledger_sites sites;
	struct pmb_off_stats off_cpu; /* all 0 where nobody asked for time without a CPU */
	struct ledger_frames frames;
	struct ledger_branches branches;
	struct truncating truncating;     /* ours */
	struct set_aside aside;           /* ours */
	struct unknown_runtimes runtimes; /* ours */
	uint64_t sideband_records, sideband_lost, sideband_rejected, sideband_refused;
	uint64_t sideband_refused_of_cgroup; /* of these */
};

/* Each overflow has its column: no run of the program was amid them. Those that passed unseen
 * are added later. */
bool ledger_stats__settled(const struct pmb_stats *stats);
/* Takes off what was counted before. */
void ledger_stats__take(struct pmb_stats *from, const struct pmb_stats *before);
void ledger_carried__hold(struct ledger_carried *carried, uint64_t weight);

/* `from` is the part of the same recording that follows on `to`: `to` becomes both. Moves
 * from->aside. */
void ledger__follow(struct ledger *to, struct ledger *from);
/* The same of all parts in a row, the first of which begins it. Takes `next`. */
void ledger__take(struct ledger *all, struct ledger *next);
/* Takes back what the other one has filled in of its rows, to be counted with those of others. */
void ledger__uncount_rows(struct ledger *ledger);
/* The rows of a part are given up: what was aggregated is forgotten, and nothing of them is left in
 * other columns. */
void ledger__forget(struct ledger *part);
/* Adds another recording, whose events have these numbers here. Moves from->aside. */
void ledger__add(struct ledger *to, struct ledger *from, const size_t *numbers);
void ledger_event__add(struct ledger_event *to, const struct ledger_event *from);
/* Of the same event on another CPU, or in another recording. */
void ledger_stats__add(struct pmb_stats *to, const struct pmb_stats *from);

void window_stats__add(struct pmb_window_stats *to, const struct pmb_window_stats *from);
void window_stats__take(struct pmb_window_stats *from, const struct pmb_window_stats *before);

void mapped_stats__add(struct pmb_mapped_stats *to, const struct pmb_mapped_stats *from);
void mapped_stats__take(struct pmb_mapped_stats *from, const struct pmb_mapped_stats *before);
void alloc_stats__add(struct pmb_alloc_stats *to, const struct pmb_alloc_stats *from);
void alloc_stats__take(struct pmb_alloc_stats *from, const struct pmb_alloc_stats *before);
void alloc_reach__take(struct alloc_reach *from, const struct alloc_reach *before);
void off_stats__add(struct pmb_off_stats *to, const struct pmb_off_stats *from);
void off_stats__take(struct pmb_off_stats *from, const struct pmb_off_stats *before);

/* Frees what is its own; not the struct. */
void ledger__done(struct ledger *ledger);

/* Fills in what the rows of the profile hold, and adds its tables to `memory`; once, at the end. */
void ledger__count_rows(struct ledger *ledger, const struct profile *profile);

/* Of several recordings: sums; bytes: the most at a time. */
void ledger_unwind__merge(struct ledger_unwind *to, const struct ledger_unwind *from);

/* Σ weights of all overflows seen / the counter without idle_ns, both while it ran; NAN if
 * nothing is to compare. */
double ledger_event__ratio(const struct ledger_event *event);
/* How much the counter may hold beyond the last overflows: up to one period for each instance, or
 * exactly what it does when weights were read from it. */
uint64_t ledger_event__remainder(const struct ledger_event *event);
uint64_t ledger_event__dropped(const struct ledger_event *event);

/*
 * Of an event whose overflows lie on its counter's own grid, when the books are closed: a CPU's
 * counter ended at `value` and overflowed last at `at` (0: never). What passed in between was not
 * seen.
 */
void ledger_event__unseen_tail(struct ledger_event *event, uint64_t value, uint64_t at);
/* Adds those that passed unseen to the overflows seen, among which they are dropped; once, after
 * the tails. */
void ledger_event__count_unseen(struct ledger_event *event);

/*
 * For the n events of a task that one text stands for, one for each core PMU: each is enabled all
 * the time and can only run on its PMU's CPUs, which is no lack of counters. Each was due for its
 * share of the time in which all of them ran; enabled_ns and scaled become what that makes of them.
 */
void ledger_events__share_time(struct ledger_event *events, size_t n);

/* It shared its counter with other events: what its weights must be multiplied by to stand for the
 * whole time, else 1. Such numbers are estimates. */
double ledger_event__scale(const struct ledger_event *event);
bool ledger_event__estimated(const struct ledger_event *event);
/* Whether one of them is. */
bool ledger__any_estimated(const struct ledger *ledger);

/* Why an event that could be opened has no samples; NULL if it has. X(id, key, text) */
#define SILENCES(X)                                                                             \
	X(NO_COUNTER, "no_counter",                                                             \
	  "never got a counter: others hold them all (another profiler, the NMI watchdog)")     \
	X(OTHER_CPUS, "other_cpus", "never ran: nothing that was asked for ran on its CPUs")    \
	X(ZERO, "zero",                                                                         \
	  "ran and counted nothing, which can't be: a hypervisor that accepts the event and "   \
	  "delivers no counts")                                                                 \
	X(NO_INTERRUPT, "no_interrupt",                                                         \
	  "counted, but no overflow arrived: its interrupt does not reach this kernel (try -e " \
	  "cpu-clock, and pmubpf stat for the counts)")

enum silence {
	SILENCE_NONE,
#define X(id, key, text) SILENCE_##id,
	SILENCES(X) N_SILENCES
#undef X
};
extern const char *const silence_keys[N_SILENCES]; /* [SILENCE_NONE] is NULL */
extern const char *const silence_texts[N_SILENCES];
enum silence ledger_event__silence(const struct ledger_event *event);

/* True if over a twentieth of the counter is such a remainder: too few overflows to speak for
 * it. No column is wrong then, but the summary's first line has to say so. */
bool ledger_event__unfinished(const struct ledger_event *event);

/* True if every column of the event adds up; else a line of words for each that doesn't is added
 * to `remarks`. */
bool ledger_event__columns(const struct ledger_event *event, struct buf *remarks);
/* Branch records that came with overflows of any event; and those that were lost with them. */
uint64_t ledger__branches_seen(const struct ledger *ledger, uint64_t *ret_lost);

/* True if every column adds up and every ratio holds; else a line of words for each that doesn't is
 * added to `remarks`. */
bool ledger__balance(const struct ledger *ledger, struct buf *remarks);

/* What a reader of the first line must know, though every column is right: "overflows cover only
 * 22.5 % of page-faults". True if there is something. */
bool ledger__doubts(const struct ledger *ledger, struct buf *out);

#endif
