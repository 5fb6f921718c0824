// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sums of ledgers: of several recordings, and of the parts of one. */
#include "model/ledger.h"

static uint64_t more(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* It consists of numbers of one size that are all sums. */
static void stats__add(struct pmb_stats *to, const struct pmb_stats *from)
{
	const __u64 *add = (const __u64 *)from;
	__u64 *sum = (__u64 *)to;

	_Static_assert(sizeof(*to) % sizeof(*sum) == 0, "numbers of one size");
	for (size_t i = 0; i < sizeof(*to) / sizeof(*sum); i++)
		sum[i] += add[i];
}

static void carried__add(struct ledger_carried *to, const struct ledger_carried *from)
{
	to->rings += from->rings;
	to->weight_rings += from->weight_rings;
	to->held += from->held;
	to->weight_held += from->weight_held;
}

void ledger_carried__hold(struct ledger_carried *carried, uint64_t weight)
{
	carried->held++;
	carried->weight_held += weight;
}

void ledger_event__add(struct ledger_event *to, const struct ledger_event *from)
{
	stats__add(&to->kernel, &from->kernel);
	to->decoded += from->decoded;
	to->weight_decoded += from->weight_decoded;
	carried__add(&to->in, &from->in);
	carried__add(&to->out, &from->out);
	to->foreign += from->foreign;
	to->weight_foreign += from->weight_foreign;
	to->aggregated += from->aggregated;
	to->weight += from->weight;
	to->in_rows += from->in_rows;
	to->weight_in_rows += from->weight_in_rows;
	to->other.samples += from->other.samples;
	to->other.weight += from->other.weight;
	to->other.rows += from->other.rows;
	to->throttled += from->throttled;
	to->calm_interval = more(to->calm_interval, from->calm_interval);
	to->value += from->value;
	to->enabled_ns += from->enabled_ns;
	to->running_ns += from->running_ns;
	to->scaled += from->scaled;
	to->instances += from->instances;
	to->idle_ns += from->idle_ns;
	to->cut += from->cut;
	to->interval = more(to->interval, from->interval);
	to->cpus_away += from->cpus_away;
	to->away_ns += from->away_ns;
}

static void add_shared(struct ledger *to, struct ledger *from)
{
	for (int i = 0; i < N_REJECTS; i++)
		to->rejected[i] += from->rejected[i];
	for (int i = 0; i < PMB_N_ENDINGS; i++) {
		to->user_endings[i] += from->user_endings[i];
		to->kernel_endings[i] += from->kernel_endings[i];
	}
	to->stacks_received += from->stacks_received;
	ledger_unwind__merge(&to->unwind, &from->unwind);
	for (size_t i = 0; i < from->spoilers.n; i++)
		spoilers__add(&to->spoilers, from->spoilers.list[i].file,
			      from->spoilers.list[i].ending, from->spoilers.list[i].samples);
	spoilers__sort(&to->spoilers);
	set_aside__merge(&to->aside, &from->aside);
	to->memory.limit = from->memory.limit;
	to->memory.bytes = more(to->memory.bytes, from->memory.bytes); /* one at a time */
	to->memory.stacks_dropped += from->memory.stacks_dropped;
	to->sideband_records += from->sideband_records;
	to->sideband_lost += from->sideband_lost;
	to->sideband_rejected += from->sideband_rejected;
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
		e->cpus_away = before.cpus_away > next->cpus_away ? before.cpus_away :
								    next->cpus_away;
	}
	add_shared(to, from);
	to->memory.trims += from->memory.trims;
	to->memory.rows += from->memory.rows;
}
