// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/ledger.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const double MIN_RATIO = 0.95, MAX_RATIO = 1.05;

#define KEY(id, key, text) key,
#define TEXT(id, key, text) text,
const char *const reject_keys[N_REJECTS] = {REJECTS(KEY)};
static const char *const reject_texts[N_REJECTS] = {REJECTS(TEXT)};
const char *const drop_keys[PMB_N_DROPS] = {PMB_DROPS(KEY)};
const char *const drop_texts[PMB_N_DROPS] = {PMB_DROPS(TEXT)};
const char *const status_keys[PMB_N_UNWIND_STATUSES] = {PMB_UNWIND_STATUSES(KEY)};
const char *const status_texts[PMB_N_UNWIND_STATUSES] = {PMB_UNWIND_STATUSES(TEXT)};
const char *const context_keys[PMB_N_CONTEXT_STATES] = {PMB_CONTEXT_STATES(KEY)};
const char *const context_texts[PMB_N_CONTEXT_STATES] = {PMB_CONTEXT_STATES(TEXT)};
const char *const silence_keys[N_SILENCES] = {NULL, SILENCES(KEY)};
const char *const silence_texts[N_SILENCES] = {NULL, SILENCES(TEXT)};
#undef KEY
#undef TEXT

/* What of the counter overflows could come for: what it counted itself, for it overflows only while
 * it runs. */
static uint64_t ledger_event__due(const struct ledger_event *e)
{
	return e->value > e->idle_ns ? e->value - e->idle_ns : 0;
}

bool ledger_event__estimated(const struct ledger_event *e)
{
	return e->running_ns && e->running_ns < e->enabled_ns;
}

double ledger_event__scale(const struct ledger_event *e)
{
	if (!ledger_event__estimated(e) || !e->value)
		return 1;
	return (double)e->scaled / (double)e->value;
}

void ledger_events__share_time(struct ledger_event *events, size_t n)
{
	uint64_t enabled = 0, running = 0;

	for (size_t i = 0; i < n; i++) {
		running += events[i].running_ns;
		if (events[i].enabled_ns > enabled)
			enabled = events[i].enabled_ns;
	}
	for (size_t i = 0; i < n; i++) {
		struct ledger_event *e = &events[i];
		double share = running ? (double)e->running_ns / (double)running : 0;

		if (!e->running_ns || e->running_ns == e->enabled_ns)
			continue;
		e->enabled_ns = (uint64_t)((double)enabled * share + 0.5);
		if (e->enabled_ns < e->running_ns)
			e->enabled_ns = e->running_ns;
		e->scaled = e->enabled_ns == e->running_ns ?
				    e->value :
				    (uint64_t)((double)e->value * (double)e->enabled_ns /
					       (double)e->running_ns);
	}
}

/* In frequency mode the kernel begins with short periods. */
enum { FIRST_PERIODS = 1000 };

enum silence ledger_event__silence(const struct ledger_event *e)
{
	if (e->enabled_ns && !e->running_ns)
		return e->only_cpus ? SILENCE_OTHER_CPUS : SILENCE_NO_COUNTER;
	if (!e->value)
		return e->must_count && e->running_ns ? SILENCE_ZERO : SILENCE_NONE;
	if (e->read || e->kernel.seen > e->kernel.dropped[PMB_DROP_UNSEEN] ||
	    e->value / 4 <= e->instances * (e->period ? e->period : FIRST_PERIODS))
		return SILENCE_NONE;
	return SILENCE_NO_INTERRUPT;
}

void ledger__done(struct ledger *ledger)
{
	free(ledger->events);
	truncating__done(&ledger->truncating);
	set_aside__done(&ledger->aside);
	unknown_runtimes__done(&ledger->runtimes);
	*ledger = (struct ledger){0};
}

static uint64_t depth(const struct profile *profile, uint32_t stack)
{
	const uint32_t *frames;

	return profile__stack_frames(profile, stack, &frames);
}

void ledger__count_rows(struct ledger *ledger, const struct profile *profile)
{
	const struct profile_row *rows;
	size_t n = profile__rows(profile, &rows);

	for (size_t i = 0; i < n; i++) {
		ledger->events[rows[i].key.event].in_rows += rows[i].samples;
		ledger->events[rows[i].key.event].weight_in_rows += rows[i].weight;
		ledger->frames.in_rows +=
			rows[i].samples * (depth(profile, rows[i].key.kernel_stack) +
					   depth(profile, rows[i].key.user_stack));
	}
	for (size_t i = 0; i < ledger->n_events; i++)
		ledger->events[i].other = profile__other(profile, (uint32_t)i);
	ledger->memory.rows = n;
	ledger->memory.trims = profile__trims(profile);
	ledger->memory.bytes += profile__bytes(profile);
}

void ledger_unwind__merge(struct ledger_unwind *to, const struct ledger_unwind *from)
{
	to->built += from->built;
	to->frames += from->frames;
	to->failed += from->failed;
	to->no_room += from->no_room;
	to->over_budget += from->over_budget;
	to->evicted += from->evicted;
	to->evicted_mapped += from->evicted_mapped;
	to->readmitted += from->readmitted;
	to->bytes = to->bytes > from->bytes ? to->bytes : from->bytes;
	to->build_ns += from->build_ns;
	to->stack_dumps += from->stack_dumps;
	to->stack_dumps_lost += from->stack_dumps_lost;
	to->stack_dumps_refused += from->stack_dumps_refused;
}

double ledger_event__ratio(const struct ledger_event *e)
{
	uint64_t due = ledger_event__due(e);

	if (e->no_ratio || !due)
		return NAN;
	return (double)e->kernel.weight_seen / (double)due;
}

uint64_t ledger_event__remainder(const struct ledger_event *e)
{
	if (e->by_count)
		return e->value > e->kernel.weight_seen ? e->value - e->kernel.weight_seen : 0;
	return e->instances * e->period + e->cut;
}

bool ledger_event__unfinished(const struct ledger_event *e)
{
	double ratio = ledger_event__ratio(e);

	/* the clock at whose overflows it was read speaks for it */
	return e->by_count && !e->read && ratio < MIN_RATIO;
}

uint64_t ledger_event__dropped(const struct ledger_event *e)
{
	uint64_t sum = 0;

	for (int i = 0; i < PMB_N_DROPS; i++)
		sum += e->kernel.dropped[i];
	return sum;
}

void ledger_event__unseen_tail(struct ledger_event *e, uint64_t value, uint64_t at)
{
	uint64_t n = value > at && e->period ? (value - at) / e->period : 0;

	e->kernel.dropped[PMB_DROP_UNSEEN] += n;
	e->kernel.weight_dropped[PMB_DROP_UNSEEN] += n * e->period;
}

void ledger_event__count_unseen(struct ledger_event *e)
{
	e->kernel.seen += e->kernel.dropped[PMB_DROP_UNSEEN];
	e->kernel.weight_seen += e->kernel.weight_dropped[PMB_DROP_UNSEEN];
}

/* A thread's time is known from switch to switch, or it is said that it isn't. */
static bool ledger__off_cpu(const struct ledger *l, struct buf *remarks)
{
	const struct pmb_off_stats *off = &l->off_cpu;
	int64_t left = (int64_t)(off->wall_ns - off->on_ns - off->off_ns - off->outside_ns -
				 off->unseen_ns);

	if (!left)
		return true;
	buf__printf(
		remarks,
		"threads: time with a CPU + without + outside + unseen differs from all of it by "
		"%" PRId64 " ns\n",
		left);
	return false;
}

static bool equal(const char *whose, const char *what, uint64_t left, uint64_t right,
		  struct buf *remarks)
{
	if (left == right)
		return true;
	buf__printf(remarks, "%s: %s: %" PRIu64 " is not %" PRIu64 "\n", whose, what, left, right);
	return false;
}

static bool same(const struct ledger_event *e, const char *what, uint64_t left, uint64_t right,
		 struct buf *remarks)
{
	return equal(e->name, what, left, right, remarks);
}

bool ledger_event__columns(const struct ledger_event *e, struct buf *remarks)
{
	uint64_t weight =
		e->kernel.weight_emitted + e->kernel.weight_filtered + e->kernel.weight_closed;
	bool ok;

	for (int i = 0; i < PMB_N_DROPS; i++)
		weight += e->kernel.weight_dropped[i];
	ok = same(e, "overflows seen = emitted + filtered + closed + dropped", e->kernel.seen,
		  e->kernel.emitted + e->kernel.filtered + e->kernel.closed +
			  ledger_event__dropped(e),
		  remarks);
	ok &= same(e, "weight seen = emitted + filtered + closed + dropped", e->kernel.weight_seen,
		   weight, remarks);
	if (e->in.rings + e->kernel.emitted < e->out.rings) {
		buf__printf(remarks, "%s: more was decoded than emitted\n", e->name);
		return false;
	}
	ok &= same(e, "emitted = decoded", e->kernel.emitted + e->in.rings,
		   e->decoded + e->out.rings, remarks);
	ok &= same(e, "weight emitted = weight decoded",
		   e->kernel.weight_emitted + e->in.weight_rings,
		   e->weight_decoded + e->out.weight_rings, remarks);
	ok &= same(e, "decoded = aggregated", e->decoded + e->in.held,
		   e->aggregated + e->foreign + e->quick + e->unheld + e->no_memory + e->forgotten +
			   e->out.held,
		   remarks);
	ok &= same(e, "weight decoded = weight aggregated", e->weight_decoded + e->in.weight_held,
		   e->weight + e->weight_foreign + e->weight_quick + e->weight_unheld +
			   e->weight_no_memory + e->weight_forgotten + e->out.weight_held,
		   remarks);
	ok &= same(e, "aggregated = in the rows of the profile", e->aggregated, e->in_rows,
		   remarks);
	ok &= same(e, "weight aggregated = weight in the rows of the profile", e->weight,
		   e->weight_in_rows, remarks);
	return ok;
}

/* More weight than the counter counted: in frequency mode the kernel reports periods that were
 * never completed (bpf/lib/weight.h), and per-task events leave us nothing better. */
static bool ledger_event__overstated(const struct ledger_event *e, double ratio,
				     struct buf *remarks)
{
	if ((double)e->kernel.weight_seen <=
	    (double)e->value * MAX_RATIO + (double)ledger_event__remainder(e))
		return false;
	buf__printf(
		remarks,
		"%s: the overflows seen stand for %.1f %% of the counter: the kernel overstates "
		"periods in frequency mode; use -c, or --per-cpu\n",
		e->name, 100 * ratio);
	return true;
}

static bool ledger_event__ratio_holds(const struct ledger_event *e, struct buf *remarks)
{
	double ratio = ledger_event__ratio(e), reach;

	if (isnan(ratio))
		return true;
	reach = ((double)e->kernel.weight_seen + (double)ledger_event__remainder(e)) /
		(double)ledger_event__due(e);
	if (reach >= MIN_RATIO)
		return !ledger_event__overstated(e, ratio, remarks);
	buf__printf(remarks,
		    "%s: the overflows seen account for %.1f %% of the counter (%.1f %% with the "
		    "unfinished periods): the rest was lost before this program saw it: ",
		    e->name, 100 * ratio, 100 * reach);
	buf__printf(remarks, "%s\n", e->loss_causes ? e->loss_causes : "cause unknown");
	return false;
}

static uint64_t total(const uint64_t *counts, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += counts[i];
	return sum;
}

/* What all events have together. */
static bool ledger__stacks(const struct ledger *l, struct buf *remarks)
{
	const uint64_t contexts = total(l->contexts, PMB_N_CONTEXT_STATES);
	uint64_t samples = 0, sent = 0, rejected = 0;
	bool ok;

	for (size_t i = 0; i < l->n_events; i++) {
		samples += l->events[i].aggregated;
		sent += l->events[i].kernel.stacks_sent + l->events[i].kernel.stack_dumps_sent +
			l->events[i].kernel.objects_sent;
	}
	for (int i = 0; i < N_REJECTS; i++)
		rejected += l->rejected[i];
	ok = equal("user stacks", "aggregated = statuses", samples,
		   total(l->user_statuses, PMB_N_UNWIND_STATUSES), remarks);
	ok &= equal("kernel stacks", "aggregated = statuses", samples,
		    total(l->kernel_statuses, PMB_N_UNWIND_STATUSES), remarks);
	if (contexts)
		ok &= equal("contexts", "aggregated = states", samples, contexts, remarks);
	if (!rejected) /* a stack may be among them, which is said already */
		ok &= equal("stacks", "sent = received", sent,
			    l->stacks_received + l->stack_dumps_received + l->objects_received,
			    remarks);
	ok &= equal("frames", "in the rows of the profile = named + unnamed for a reason",
		    l->frames.in_rows, l->frames.named + l->frames.unnamed, remarks);
	return ok;
}

/* Where data was asked for, every sample has an address or none, and one class; not those that
 * there was no room for. */
static bool ledger_event__data(const struct ledger_event *e, struct buf *remarks)
{
	uint64_t classed = 0, typed = 0;
	bool ok;

	if (!e->data_with && !e->data_without)
		return true;
	for (int i = 0; i < N_DATA_CLASSES; i++)
		classed += e->data_classes[i];
	for (int i = 0; i < N_DATA_TYPINGS; i++)
		typed += e->data_typings[i];
	ok = !typed || same(e, "validated + candidate = typed + padding + reasons",
			    e->data_classes[DATA_VALIDATED] + e->data_classes[DATA_CANDIDATE],
			    typed, remarks);
	ok &= same(e, "aggregated = with the address of data + without", e->aggregated,
		   e->data_with + e->data_without, remarks);
	return same(e, "with data = validated + candidate + reasons + [other]",
		    e->data_with + e->data_without, classed + e->other.samples, remarks) &&
	       ok;
}

uint64_t ledger__branches_seen(const struct ledger *l, uint64_t *ret_lost)
{
	uint64_t seen = 0;

	*ret_lost = 0;
	for (size_t i = 0; i < l->n_events; i++) {
		seen += l->events[i].kernel.branches_seen;
		*ret_lost += l->events[i].kernel.branches_lost;
	}
	return seen;
}

static bool ledger__branches(const struct ledger *l, struct buf *remarks)
{
	const struct ledger_branches *b = &l->branches;
	uint64_t rejected = 0, lost, seen = ledger__branches_seen(l, &lost);
	bool ok;

	for (int i = 0; i < N_REJECTS; i++)
		rejected += l->rejected[i];
	if (rejected) /* a sample may be among them, which is said already */
		return true;
	ok = equal("branch records",
		   "seen = stored + [other] + kernel + invalid + unmapped + cut + left out + lost",
		   seen,
		   b->stored + b->other + b->kernel + b->invalid + b->unmapped + b->cut +
			   b->left_out + lost,
		   remarks);
	return equal("ranges between branches", "seen = stored + [other] + torn", b->ranges,
		     b->ranges_stored + b->ranges_other + b->ranges_torn, remarks) &&
	       ok;
}

bool ledger__balance(const struct ledger *ledger, struct buf *remarks)
{
	bool ok = ledger__stacks(ledger, remarks) & ledger__off_cpu(ledger, remarks) &
		  ledger__branches(ledger, remarks);

	for (size_t i = 0; i < ledger->n_events; i++) {
		ok &= ledger_event__columns(&ledger->events[i], remarks);
		ok &= ledger_event__data(&ledger->events[i], remarks);
		ok &= ledger_event__ratio_holds(&ledger->events[i], remarks);
	}
	for (int i = 0; i < N_REJECTS; i++) {
		if (!ledger->rejected[i])
			continue;
		buf__printf(remarks, "%" PRIu64 " records were rejected: %s\n", ledger->rejected[i],
			    reject_texts[i]);
		ok = false;
	}
	return ok;
}

bool ledger__doubts(const struct ledger *ledger, struct buf *out)
{
	for (size_t i = 0; i < ledger->n_events; i++) {
		const struct ledger_event *e = &ledger->events[i];
		enum silence silence = ledger_event__silence(e);

		if (silence && silence != SILENCE_OTHER_CPUS)
			buf__printf(out, "%s%s has no samples although it could be opened",
				    out->len ? ", " : "", e->name);
		else if (ledger_event__unfinished(e))
			buf__printf(out, "%soverflows cover only %.1f %% of %s",
				    out->len ? ", " : "", 100 * ledger_event__ratio(e), e->name);
		else if (ledger_event__estimated(e))
			buf__printf(out, "%s%s is an estimate (multiplexed)", out->len ? ", " : "",
				    e->name);
	}
	return out->len;
}

bool ledger__any_estimated(const struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->n_events; i++) {
		if (ledger_event__estimated(&ledger->events[i]))
			return true;
	}
	return false;
}
