/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whether this machine has an event: tried by opening it, not guessed. And the sentence that
 * explains why perf_event_open refused: each errno in each circumstance is its own explanation.
 */
#ifndef PMUBPF_PMU_PROBE_H
#define PMUBPF_PMU_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "pmu/event.h"
#include "pmu/event_names.h"

struct probe_result {
	bool ok;
	enum collection_mode mode;
	bool user_only;   /* ok, but only with the kernel excluded (unprivileged) */
	char brief[48];   /* if not ok: the reason in a few words, for a table: "no PMU here" */
	char reason[256]; /* if not ok or without interrupt: the reason as a sentence */
	char next[256];   /* if not ok: what to do about it, may be empty */
};

/* Opens the event for sampling on the calling thread, or if it has no interrupt, for counting;
 * closes it, and says how it went. */
void event__probe(const struct event *event, struct probe_result *ret);
/* How many events a name of our own choice has, if the first of them overflows here; 0: it doesn't,
 * and why. */
size_t event__overflowing(const struct event_names *names, const char *name, char *reason,
			  size_t size);
/* How it can be had, for a table, if it is ok: "yes", "read at clock overflows". */
const char *probe__words(const struct probe_result *probe);

/* What to open to count it and nothing more: disabled, and without the rate. */
struct perf_event_attr event__count_attr(const struct event *event);

/* The same for counting it only, which PMUs without overflow interrupts can. */
void event__probe_count(const struct event *event, struct probe_result *ret);

/* Why it could not be opened as it is (errno as a positive number), for those who go on without it;
 * ret->ok is false. */
void event__refusal(const struct event *event, pid_t tid, int cpu, int errnum,
		    struct probe_result *ret);
/* False for what happens inside the kernel only: with the kernel excluded it opens and never
 * counts. */
bool event__has_user_side(const struct event *event);

/*
 * Of the events of one text for several core PMUs, takes away those that can't be had while another
 * one can: half of the cores is better than none. Adds a line to notes for each.
 */
void event_list__drop_missing(struct event_list *list, struct buf *notes);

/*
 * Turns a failed perf_event_open of `event` (errno as a positive number) into a sentence with the
 * right exit status (3: this machine or user can't; 1: else) and returns -errnum. tid is the task
 * asked for (-1: a CPU, cpu >= 0).
 */
int event__explain_open(const struct event *event, pid_t tid, int cpu, int errnum, struct err *err);

/*
 * Whether precise_ip can mean anything to the event. Where not, the kernel takes every level all
 * the
 * same: software events and breakpoints, and the counters of arm64 and riscv64, whose drivers don't
 * look.
 */
bool event__heeds_precise(const struct event *event);
/* The highest precise_ip that the kernel takes for the event, one step at a time; 0 if none. */
unsigned event__detect_precise(const struct event *event);
bool event__takes_precise(const struct event *event, unsigned precise);
/* Puts it into the attr of every event that was asked for with :P. */
void event_list__settle_precise(struct event_list *list);

/* The search apart from the kernel: `try` returns 0 for a level that is taken. */
typedef int (*precise_try_fn)(void *ctx, unsigned precise);
unsigned precise__highest(precise_try_fn try, void *ctx);

/* /proc/sys/kernel/perf_event_paranoid, or INT_MIN if it can't be read. */
int perf_paranoid(void);

#endif
