// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sums of ledgers: of several recordings, and of the parts of one. */
#include "model/ledger.h"

#include <string.h>

#include "base/mem.h"

static uint64_t more(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Of struct pmb_stats, all but the two arrays. */
#define STATS(X)            \
	X(seen)             \
	X(emitted)          \
	X(filtered)         \
	X(weight_seen)      \
	X(weight_emitted)   \
	X(weight_filtered)  \
	X(stacks_sent)      \
	X(stacks_known)     \
	X(stacks_lost)      \
	X(ring_bytes)       \
	X(late)             \
	X(skipped)          \
	X(weight_idle)      \
	X(stack_dumps_sent) \
	X(objects_sent)     \
	X(stack_dumps_lost) \
	X(weight_skipped)   \
	X(timed)            \
	X(timed_ns)         \
	X(closed)           \
	X(weight_closed)    \
	X(branches_seen)    \
	X(branches_lost)

/* Of struct ledger_event, from decoded to idle_ns. */
#define SUMS(X)             \
	X(decoded)          \
	X(weight_decoded)   \
	X(in.rings)         \
	X(in.weight_rings)  \
	X(in.held)          \
	X(in.weight_held)   \
	X(out.rings)        \
	X(out.weight_rings) \
	X(out.held)         \
	X(out.weight_held)  \
	X(foreign)          \
	X(weight_foreign)   \
	X(quick)            \
	X(weight_quick)     \
	X(unheld)           \
	X(weight_unheld)    \
	X(no_memory)        \
	X(weight_no_memory) \
	X(forgotten)        \
	X(weight_forgotten) \
	X(aggregated)       \
	X(weight)           \
	X(in_rows)          \
	X(weight_in_rows)   \
	X(other.samples)    \
	X(other.weight)     \
	X(other.rows)       \
	X(throttled)        \
	X(throttled_ns)     \
	X(value)            \
	X(enabled_ns)       \
	X(running_ns)       \
	X(scaled)           \
	X(instances)        \
	X(cpus_away)        \
	X(away_ns)          \
	X(cpus_came)        \
	X(data_with)        \
	X(data_without)     \
	X(cut)              \
	X(idle_ns)

/* Of struct pmb_window_stats, all but the array. */
#define WINDOWS(X)      \
	X(began)        \
	X(ended)        \
	X(ends_lost)    \
	X(no_room)      \
	X(began_before) \
	X(nested)       \
	X(abandoned)    \
	X(caught)       \
	X(hits)         \
	X(timed)        \
	X(timed_ns)     \
	X(emulated)     \
	X(stepped)      \
	X(unwatched)    \
	X(missed)       \
	X(ended_ns)

/* Of struct pmb_alloc_stats. */
#define ALLOCS(X)      \
	X(blocks)      \
	X(freed)       \
	X(blocks_lost) \
	X(frees_lost)  \
	X(no_room)     \
	X(entries)     \
	X(exits)       \
	X(timed)       \
	X(timed_ns)

/* Of struct pmb_mapped_stats. */
#define MAPPED(X)   \
	X(mapped)   \
	X(unmapped) \
	X(lost)     \
	X(unpaid)   \
	X(ns)       \
	X(hits)     \
	X(others_ns)
/* Of struct alloc_reach. */
#define REACH(X)        \
	X(processes)    \
	X(waited_ns)    \
	X(worked_ns)    \
	X(gone)         \
	X(failed)       \
	X(no_room)      \
	X(files_served) \
	X(files_unread)

/* Of struct pmb_off_stats. */
#define OFF(X)            \
	X(departures)     \
	X(recorded)       \
	X(timed)          \
	X(timed_ns)       \
	X(hooks)          \
	X(hooks_timed)    \
	X(hooks_timed_ns) \
	X(on_ns)          \
	X(off_ns)         \
	X(unseen_ns)      \
	X(outside_ns)     \
	X(wall_ns)        \
	X(unseen)         \
	X(brief)          \
	X(brief_ns)

/* Of struct ledger_branches. */
#define BRANCHES(X)      \
	X(stored)        \
	X(other)         \
	X(kernel)        \
	X(invalid)       \
	X(unmapped)      \
	X(cut)           \
	X(left_out)      \
	X(ranges)        \
	X(ranges_stored) \
	X(ranges_other)  \
	X(ranges_torn)

#define ONE(name) +sizeof(uint64_t)
_Static_assert(sizeof(struct pmb_alloc_stats) == 0 ALLOCS(ONE),
	       "ALLOCS lacks a member of struct pmb_alloc_stats");
_Static_assert(sizeof(struct pmb_mapped_stats) == 0 MAPPED(ONE),
	       "MAPPED lacks a member of struct pmb_mapped_stats");
_Static_assert(sizeof(struct ledger_branches) == 0 BRANCHES(ONE),
	       "BRANCHES lacks a member of struct ledger_branches");
_Static_assert(sizeof(struct alloc_reach) == 0 REACH(ONE),
	       "REACH lacks a member of struct alloc_reach");
_Static_assert(2 * PMB_N_DROPS * sizeof(uint64_t) STATS(ONE) == sizeof(struct pmb_stats),
	       "STATS lacks a member of struct pmb_stats");
_Static_assert(offsetof(struct ledger_event, decoded)
			       SUMS(ONE) == offsetof(struct ledger_event, period),
	       "SUMS lacks a member of struct ledger_event");
_Static_assert(offsetof(struct pmb_window_stats, by_duration) == 0 WINDOWS(ONE),
	       "WINDOWS lacks a member of struct pmb_window_stats");
_Static_assert(sizeof(struct pmb_off_stats) == 0 OFF(ONE),
	       "OFF lacks a member of struct pmb_off_stats");
#undef ONE

#define ADD(name) to->name += from->name;
void ledger_stats__add(struct pmb_stats *to, const struct pmb_stats *from)
{
	STATS(ADD)
	for (int i = 0; i < PMB_N_DROPS; i++) {
		to->dropped[i] += from->dropped[i];
		to->weight_dropped[i] += from->weight_dropped[i];
	}
}

void window_stats__add(struct pmb_window_stats *to, const struct pmb_window_stats *from)
{
	WINDOWS(ADD)
	for (size_t i = 0; i < ARRAY_SIZE(to->by_duration); i++)
		to->by_duration[i] += from->by_duration[i];
}

void alloc_stats__add(struct pmb_alloc_stats *to, const struct pmb_alloc_stats *from)
{
	ALLOCS(ADD)
}

void mapped_stats__add(struct pmb_mapped_stats *to, const struct pmb_mapped_stats *from)
{
	MAPPED(ADD)
}

static void alloc_reach__add(struct alloc_reach *to, const struct alloc_reach *from)
{
	REACH(ADD)
}

static void ledger_branches__add(struct ledger_branches *to, const struct ledger_branches *from)
{
	BRANCHES(ADD)
}

void off_stats__add(struct pmb_off_stats *to, const struct pmb_off_stats *from)
{
	OFF(ADD)
}

bool ledger_stats__settled(const struct pmb_stats *stats)
{
	uint64_t n = stats->emitted + stats->filtered + stats->closed;
	uint64_t weight = stats->weight_emitted + stats->weight_filtered + stats->weight_closed;

	for (int i = 0; i < PMB_N_DROPS; i++) {
		n += i == PMB_DROP_UNSEEN ? 0 : stats->dropped[i];
		weight += i == PMB_DROP_UNSEEN ? 0 : stats->weight_dropped[i];
	}
	return n == stats->seen && weight == stats->weight_seen;
}

#define TAKE(name) from->name -= before->name;
void ledger_stats__take(struct pmb_stats *from, const struct pmb_stats *before)
{
	STATS(TAKE)
	for (int i = 0; i < PMB_N_DROPS; i++) {
		from->dropped[i] -= before->dropped[i];
		from->weight_dropped[i] -= before->weight_dropped[i];
	}
}

void window_stats__take(struct pmb_window_stats *from, const struct pmb_window_stats *before)
{
	WINDOWS(TAKE)
	for (size_t i = 0; i < ARRAY_SIZE(from->by_duration); i++)
		from->by_duration[i] -= before->by_duration[i];
}

void alloc_stats__take(struct pmb_alloc_stats *from, const struct pmb_alloc_stats *before)
{
	ALLOCS(TAKE)
}

void mapped_stats__take(struct pmb_mapped_stats *from, const struct pmb_mapped_stats *before)
{
	MAPPED(TAKE)
}

void alloc_reach__take(struct alloc_reach *from, const struct alloc_reach *before)
{
	REACH(TAKE)
}

void off_stats__take(struct pmb_off_stats *from, const struct pmb_off_stats *before)
{
	OFF(TAKE)
}
#undef TAKE

void ledger_event__add(struct ledger_event *to, const struct ledger_event *from)
{
	ledger_stats__add(&to->kernel, &from->kernel);
	SUMS(ADD)
	for (int i = 0; i < N_DATA_CLASSES; i++)
		to->data_classes[i] += from->data_classes[i];
	for (int i = 0; i < N_DATA_TYPINGS; i++)
		to->data_typings[i] += from->data_typings[i];
	to->period = more(to->period, from->period);
	to->calm_period = more(to->calm_period, from->calm_period);
	if (!to->throttled_since ||
	    (from->throttled_since && from->throttled_since < to->throttled_since))
		to->throttled_since = from->throttled_since;
}
#undef ADD

void ledger_carried__hold(struct ledger_carried *carried, uint64_t weight)
{
	carried->held++;
	carried->weight_held += weight;
}

static void add_shared(struct ledger *to, struct ledger *from)
{
	for (int i = 0; i < N_REJECTS; i++)
		to->rejected[i] += from->rejected[i];
	for (int i = 0; i < PMB_N_UNWIND_STATUSES; i++) {
		to->user_statuses[i] += from->user_statuses[i];
		to->kernel_statuses[i] += from->kernel_statuses[i];
	}
	for (int i = 0; i < PMB_N_CONTEXT_STATES; i++)
		to->contexts[i] += from->contexts[i];
	to->stacks_received += from->stacks_received;
	to->stack_dumps_received += from->stack_dumps_received;
	to->objects_received += from->objects_received;
	to->frames.in_rows += from->frames.in_rows;
	to->frames.named += from->frames.named;
	to->frames.unnamed += from->frames.unnamed;
	ledger_unwind__merge(&to->unwind, &from->unwind);
	window_stats__add(&to->windows.kernel, &from->windows.kernel);
	off_stats__add(&to->off_cpu, &from->off_cpu);
	ledger_branches__add(&to->branches, &from->branches);
	to->windows.sampled += from->windows.sampled;
	to->windows.open += from->windows.open;
	to->windows.kept += from->windows.kept;
	to->windows.of_go |= from->windows.of_go;
	probed__add(&to->windows.probed, &from->windows.probed);
	to->allocs.asked |= from->allocs.asked;
	alloc_stats__add(&to->allocs.kernel, &from->allocs.kernel);
	to->allocs.samples += from->allocs.samples;
	to->allocs.known += from->allocs.known;
	to->allocs.inherited += from->allocs.inherited;
	to->allocs.no_room += from->allocs.no_room;
	to->allocs.forgotten += from->allocs.forgotten;
	alloc_reach__add(&to->allocs.reach, &from->allocs.reach);
	probed__add(&to->allocs.probed, &from->allocs.probed);
	mapped_stats__add(&to->sites.kernel, &from->sites.kernel);
	to->sites.samples += from->sites.samples;
	to->sites.touched += from->sites.touched;
	to->sites.mapped += from->sites.mapped;
	to->sites.unknown += from->sites.unknown;
	to->sites.no_room += from->sites.no_room;
	for (size_t i = 0; i < from->truncating.n; i++)
		truncating__add(&to->truncating, from->truncating.list[i].file,
				from->truncating.list[i].status, from->truncating.list[i].samples);
	truncating__sort(&to->truncating);
	set_aside__merge(&to->aside, &from->aside);
	unknown_runtimes__merge(&to->runtimes, &from->runtimes);
	to->memory.limit = from->memory.limit;
	to->memory.bytes = more(to->memory.bytes, from->memory.bytes); /* one at a time */
	to->memory.stacks_dropped += from->memory.stacks_dropped;
	to->sideband_records += from->sideband_records;
	to->sideband_lost += from->sideband_lost;
	to->sideband_rejected += from->sideband_rejected;
	to->sideband_refused += from->sideband_refused;
	to->sideband_refused_of_cgroup += from->sideband_refused_of_cgroup;
}

void ledger__add(struct ledger *to, struct ledger *from, const size_t *numbers)
{
	for (size_t i = 0; i < from->n_events; i++) {
		struct ledger_event *row = &to->events[numbers[i]];

		if (row->instances) /* only a clock that reads others is in several recordings */
			ledger_event__add(row, &from->events[i]);
		else
			*row = from->events[i];
	}
	add_shared(to, from);
}

void ledger__uncount_rows(struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->n_events; i++) {
		struct ledger_event *e = &ledger->events[i];

		e->in_rows = e->weight_in_rows = 0;
		e->other = (struct profile_other){0};
	}
	ledger->frames = (struct ledger_frames){0};
	ledger->memory.rows = 0;
}

void ledger__forget(struct ledger *part)
{
	for (size_t i = 0; i < part->n_events; i++) {
		struct ledger_event *e = &part->events[i];

		e->forgotten += e->aggregated;
		e->weight_forgotten += e->weight;
		e->aggregated = e->weight = 0;
		e->data_with = e->data_without = 0;
		memset(e->data_classes, 0, sizeof(e->data_classes));
		memset(e->data_typings, 0, sizeof(e->data_typings));
	}
	memset(part->user_statuses, 0, sizeof(part->user_statuses));
	memset(part->kernel_statuses, 0, sizeof(part->kernel_statuses));
	memset(part->contexts, 0, sizeof(part->contexts));
	ledger__uncount_rows(part);
	truncating__done(&part->truncating);
	part->truncating = (struct truncating){0};
}

void ledger__follow(struct ledger *to, struct ledger *from)
{
	for (size_t i = 0; i < from->n_events; i++) {
		struct ledger_event *e = &to->events[i];
		const struct ledger_event *next = &from->events[i];
		const struct ledger_event before = *e;

		ledger_event__add(e, next);
		e->in = before.in;
		e->out = next->out;
		/* the same counters, of the same CPUs */
		e->instances = more(before.instances, next->instances);
		e->cpus_away = more(before.cpus_away, next->cpus_away);
	}
	add_shared(to, from);
	to->memory.trims += from->memory.trims;
	to->memory.rows += from->memory.rows;
}

void ledger__take(struct ledger *all, struct ledger *next)
{
	if (!all->events) {
		*all = *next;
	} else {
		ledger__follow(all, next);
		ledger__done(next);
	}
	*next = (struct ledger){0};
}
