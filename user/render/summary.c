// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/summary.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "render/cost.h"
#include "render/escape.h"
#include "render/loss.h"
#include "render/off_cpu.h"
#include "render/ratios.h"
#include "render/runtimes.h"
#include "render/summary_allocs.h"
#include "render/summary_sites.h"
#include "render/summary_branch_records.h"
#include "render/summary_windows.h"

/* With fewer of them there was little to sample. */
enum { ENOUGH_PERIODS = 10 };

static void text_drops(const struct ledger_event *e, struct buf *out)
{
	for (int i = 0; i < PMB_N_DROPS; i++) {
		if (e->kernel.dropped[i])
			buf__printf(out, "    dropped %llu (weight %llu): %s%s\n",
				    e->kernel.dropped[i], e->kernel.weight_dropped[i],
				    drop_texts[i],
				    i == PMB_DROP_RING_FULL ? "; a larger ring (-m 4M) helps" : "");
	}
}

static void text_data(const struct ledger_event *e, struct buf *out)
{
	if (!e->data_with && !e->data_without)
		return;
	buf__printf(out, "    data: %" PRIu64 " samples have an address, %" PRIu64 " have none\n",
		    e->data_with, e->data_without);
	for (int i = 0; i < N_DATA_CLASSES; i++) {
		if (e->data_classes[i])
			buf__printf(out, "      %llu %s: %s\n", e->data_classes[i],
				    data_class_keys[i], data_class_texts[i]);
	}
	for (int i = 0, any = 0; i < N_DATA_TYPINGS; i++) {
		if (!e->data_typings[i])
			continue;
		if (!any++)
			buf__printf(out, "      of those that have an instruction:\n");
		buf__printf(out, "        %llu %s: %s\n", e->data_typings[i], data_typing_keys[i],
			    data_typing_texts[i]);
	}
}

static void text_other(const struct ledger_event *e, struct buf *out)
{
	if (e->other.samples)
		buf__printf(out,
			    "    in [other] %" PRIu64 " (weight %" PRIu64
			    ", %.1f %%): the rarest of "
			    "more stacks than there was memory for, %" PRIu64 " rows given up\n",
			    e->other.samples, e->other.weight,
			    100.0 * (double)e->other.weight / (double)e->weight, e->other.rows);
}

static void text_ratio(const struct ledger_event *e, double ratio, struct buf *out)
{
	if (e->idle_ns)
		buf__printf(out, ", %" PRIu64 " of it idle without overflows", e->idle_ns);
	buf__printf(out, "; ratio %.2f %% (%s%" PRIu64 " %s)\n", 100 * ratio,
		    e->by_count ? "" : "up to ", ledger_event__remainder(e),
		    e->read ? "after the last readings" : "in unfinished periods");
}

static void text_counter(const struct ledger_event *e, const struct event *event, struct buf *out)
{
	double ratio = ledger_event__ratio(e);

	buf__printf(out, "    weight %llu %s seen", e->kernel.weight_seen, event->counts);
	if (e->kernel.weight_filtered)
		buf__printf(out, " (%llu of it filtered)", e->kernel.weight_filtered);
	buf__printf(out, "; counter %" PRIu64, e->value);
	if (e->no_ratio)
		buf__printf(out, "; no ratio: %s\n", e->no_ratio);
	else if (isnan(ratio))
		buf__puts(out, "; no ratio: the counter is 0\n");
	else
		text_ratio(e, ratio, out);
	if (ledger_event__estimated(e))
		buf__printf(
			out,
			"    multiplexed: it had a counter %.1f %% of the time; printed numbers "
			"are scaled by %.3f, an estimate (about %" PRIu64 " in all)\n",
			100.0 * (double)e->running_ns / (double)e->enabled_ns,
			ledger_event__scale(e), e->scaled);
	if (e->cpus_away)
		buf__printf(out,
			    "    %" PRIu64 " CPU%s went offline meanwhile; not watched: %.1f s\n",
			    e->cpus_away, e->cpus_away > 1 ? "s" : "", (double)e->away_ns / 1e9);
	if (e->cpus_came)
		buf__printf(out,
			    "    CPUs came online meanwhile, %" PRIu64
			    " time%s; sampled from then on\n",
			    e->cpus_came, e->cpus_came > 1 ? "s" : "");
	if (ledger_event__silence(e))
		buf__printf(out, "    it %s%s%s\n", silence_texts[ledger_event__silence(e)],
			    e->only_cpus ? ": CPUs " : "", e->only_cpus ? e->only_cpus : "");
	if (ledger_event__unfinished(e))
		buf__puts(out,
			  "    too few overflows to represent the counter: record longer, or use "
			  "-c\n");
}

/* Counts in the unit that the driver names: energy, bytes. */
static double total(const struct ledger_event *e, const struct event *event)
{
	return (double)e->scaled * event->scale;
}

static void text_total(const struct ledger_event *e, const struct event *event, struct buf *out)
{
	if (event->scale_unit)
		buf__printf(out, "    in all %.6g %s (%.6g each)\n", total(e, event),
			    event->scale_unit, event->scale);
}

/* When it was counted: "per CPU, every 1013009 ns" */
static void text_when(const struct summary *s, size_t i, struct buf *out)
{
	const struct event *event = &s->events->events[i];

	if (event->mode == EVENT_SYSTEM)
		buf__printf(out, "read each second on CPU %s", event->cpus);
	else if (event->mode == EVENT_READ)
		buf__puts(out, "per CPU, read at the overflows of cpu-clock");
	else if (event->attr.freq)
		buf__printf(out, "%s, every 1/%" PRIu64 " s",
			    s->per_task[i] ? "per task" : "per CPU",
			    (uint64_t)event->attr.sample_freq);
	else
		buf__printf(out, "%s, every %" PRIu64 " %s",
			    s->per_task[i] ? "per task" : "per CPU",
			    (uint64_t)event->attr.sample_period,
			    event->off_cpu ? "switch" : event->counts);
	if (event->added)
		buf__puts(out,
			  "; added because others are read at its overflows, its lines are not "
			  "printed");
}

static void text_rate(const struct clock_rate *rate, struct buf *out)
{
	if (rate->n)
		buf__printf(out,
			    "    time: %.4f GHz, %s, harmonic mean of %zu (%.4f to %.4f GHz)\n",
			    rate->hz / 1e9,
			    rate->measured ? "measured (cycles over time running)" : "nominal",
			    rate->n, rate->min_hz / 1e9, rate->max_hz / 1e9);
}

/* Whatever name was used: what it counts, and what the kernel was asked for. */
static void text_meaning(const struct event *event, struct buf *out)
{
	buf__puts(out, "    ");
	escape_name(out, event->title); /* it may come from a file */
	buf__printf(out, ": PMU %s, type %u, config 0x%" PRIx64, event->pmu, event->attr.type,
		    event__config(event, 0));
	for (unsigned i = 1; i < N_CONFIGS; i++) {
		if (event__config(event, i))
			buf__printf(out, ", config%u 0x%" PRIx64, i, event__config(event, i));
	}
	if (event->cpus)
		buf__printf(out, "; CPUs %s", event->cpus);
	buf__putc(out, '\n');
}

/* The number that an event's lines add up to, but for rounding. */
static uint64_t printed_number(const struct summary *s, size_t i)
{
	const struct ledger_event *e = &s->ledger->events[i];

	return measure__number(&s->numbers[i], s->numbers[i].unit, e->aggregated, e->weight);
}

/* After the last event of one text: what its shared lines stand for, if that can be added up. */
static void text_sum(const struct summary *s, size_t last, struct buf *out)
{
	const struct event_list *list = s->events;
	const struct event *event = &list->events[last];
	size_t lead = event->lead;
	uint64_t sum = 0;

	if (lead >= last || (last + 1 < list->n && list->events[last + 1].lead == lead))
		return;
	buf__puts(out, "  ");
	escape_name(out, event->name);
	buf__printf(out, ", on all %s: ", event->mode == EVENT_SYSTEM ? "its PMUs" : "cores");
	if (event->unit == UNIT_CYCLES && s->numbers[last].unit == NUMBER_EVENTS) {
		buf__printf(out, "its lines add up cycles of unlike cores, which differ in speed "
				 "(--unit time compares them)\n");
		return;
	}
	for (size_t i = lead; i <= last; i++) {
		sum += printed_number(s, i);
		buf__printf(out, "%s%s %" PRIu64, i > lead ? " + " : "", list->events[i].pmu,
			    printed_number(s, i));
	}
	buf__printf(out, " = %" PRIu64 " %s\n", sum,
		    s->numbers[last].unit == NUMBER_TIME    ? "ns" :
		    s->numbers[last].unit == NUMBER_SAMPLES ? "samples" :
							      event->counts);
}

static void text_columns(const struct summary *s, const struct ledger_event *e, struct buf *out)
{
	buf__printf(out, "    %s %" PRIu64 " = emitted %" PRIu64 " + filtered %" PRIu64,
		    e->read ? "readings" : "overflows seen", (uint64_t)e->kernel.seen,
		    (uint64_t)e->kernel.emitted, (uint64_t)e->kernel.filtered);
	if (s->window)
		buf__printf(out, " + closed %llu", e->kernel.closed);
	buf__printf(out, " + dropped %" PRIu64 "; decoded %" PRIu64 ", aggregated %" PRIu64 "\n",
		    ledger_event__dropped(e), e->decoded, e->aggregated);
	if (e->quick)
		buf__printf(out,
			    "    left out %" PRIu64 " (weight %" PRIu64
			    "): of windows that were not slow enough\n",
			    e->quick, e->weight_quick);
	if (e->unheld)
		buf__printf(out,
			    "    left out %" PRIu64 " (weight %" PRIu64
			    "): no room to wait for the end of their window (--max-memory)\n",
			    e->unheld, e->weight_unheld);
	if (e->no_memory)
		buf__printf(out,
			    "    left out %" PRIu64 " (weight %" PRIu64
			    "): the system refused memory (ulimit -d, -v?)\n",
			    e->no_memory, e->weight_no_memory);
	if (e->forgotten)
		buf__printf(out,
			    "    forgotten %" PRIu64 " (weight %" PRIu64
			    "): of seconds before those that --when keeps\n",
			    e->forgotten, e->weight_forgotten);
}

static void text_event(const struct summary *s, size_t i, struct buf *out)
{
	const struct ledger_event *e = &s->ledger->events[i];
	const struct event *event = &s->events->events[i];

	buf__puts(out, "  ");
	escape_name(out, event__label(event)); /* name='…' may have anything in it */
	buf__printf(out, " (%s; ", event->maps_to);
	if (event->attr.precise_ip || event->precise_max)
		buf__printf(out, "precise level %u%s; ", (unsigned)event->attr.precise_ip,
			    event->precise_max ? ", the highest here" : "");
	text_when(s, i, out);
	buf__puts(out, ")\n");
	text_meaning(event, out);
	text_columns(s, e, out);
	if (e->foreign)
		buf__printf(
			out,
			"    discarded %" PRIu64 " (weight %" PRIu64
			"): of containers that were not asked for, taken before that was known\n",
			e->foreign, e->weight_foreign);
	text_data(e, out);
	text_drops(e, out);
	text_other(e, out);
	text_counter(e, event, out);
	text_total(e, event, out);
	if (e->kernel.late || e->kernel.skipped)
		buf__printf(out,
			    "    %llu periods passed without an overflow: %llu count for the task "
			    "that ran on, %llu for no task\n",
			    e->kernel.late + e->kernel.skipped, e->kernel.late, e->kernel.skipped);
	if (e->kernel.late > e->kernel.seen)
		buf__puts(out,
			  "    the period is shorter than this machine can overflow, and much of "
			  "the time went into overflows: ask for fewer (-F, -c)\n");
	if (e->throttled)
		buf__printf(
			out,
			"    the kernel throttled it %" PRIu64
			" times, from %.1f s after the beginning on, for %.3f s of CPUs' time: use "
			"-c %" PRIu64 " or longer, or raise kernel.perf_event_max_sample_rate\n",
			e->throttled, (double)e->throttled_since / 1e9,
			(double)e->throttled_ns / 1e9, e->calm_period);
	text_rate(&s->rates[i], out);
	text_sum(s, i, out);
}

static void text_memory(const struct ledger_memory *m, struct buf *out)
{
	if (m->trims)
		buf__printf(
			out,
			"  tables: full %" PRIu64
			" times at --max-memory %.0fM; a larger limit keeps more stacks apart\n",
			m->trims, (double)m->limit / (1024 * 1024));
}

/* "{cycles, insts}, {dcache-miss}" */
static void text_sets(const struct summary *s, struct buf *out)
{
	for (size_t set = 0; set < s->plan->n_sets; set++) {
		const char *between = "{";

		buf__puts(out, set ? ", " : "");
		for (size_t i = 0; i < s->plan->n_events; i++) {
			if (s->plan->set[i] != set)
				continue;
			buf__printf(out, "%s%s", between, event__label(&s->events->events[i]));
			between = ", ";
		}
		buf__putc(out, '}');
	}
}

static void text_passes(const struct passes *passes, struct buf *out)
{
	bool alike = true;

	for (size_t c = 0; c < passes->n_counts; c++) {
		buf__printf(out, "    counted in every pass: %s", passes->names[c]);
		for (size_t i = 0; i < passes->n; i++)
			buf__printf(out, "%s%" PRIu64, i ? ", " : " ", passes->list[i].counts[c]);
		buf__printf(out, " (spread %.1f %%)\n", 100 * passes__spread(passes, c));
		alike &= passes__spread(passes, c) <= PASSES_MAX_SPREAD;
	}
	if (!alike)
		buf__puts(out, "    the passes differ: ratios of events of different passes are "
			       "unsure by as much\n");
}

static void text_plan(const struct summary *s, struct buf *out)
{
	const struct plan *plan = s->plan;

	if (!plan || !plan->n_contending || plan->n_events < 2)
		return;
	if (plan->n_sets == 1) {
		buf__printf(out, "  counters: all %zu events fit at once%s\n", plan->n_events,
			    ledger__any_estimated(s->ledger) ?
				    ", but something else had counters part of the time" :
				    ": nothing was multiplexed");
		return;
	}
	buf__printf(out, "  counters: %zu events don't fit at once, so ", plan->n_events);
	if (s->passes)
		buf__printf(out, "the command ran %zu times: ", s->passes->n);
	else
		buf__puts(out,
			  "they took turns (with --passes a COMMAND runs once for each set): ");
	text_sets(s, out);
	buf__putc(out, '\n');
	if (s->passes)
		text_passes(s->passes, out);
}

static void text_room(const struct summary *s, struct buf *out)
{
	if (s->names.refused)
		buf__printf(out,
			    "  names: --max-memory allows no more than %.0f MB of them; %" PRIu64
			    " addresses have no name because of that\n",
			    (double)s->names.bytes / 1e6, s->names.refused);
	if (s->cut && s->cut->lines)
		buf__printf(out,
			    "  output: --max-memory allows no more than %.0f MB; the "
			    "%" PRIu64 " lightest lines are in [other]\n",
			    (double)s->max_output / 1e6, s->cut->lines);
}

static void text_opener(const struct opener_work *work, struct buf *out)
{
	if (work->ended)
		buf__puts(out, "  the process that opens programs' files was ended or stopped by "
			       "somebody: from then on programs have no names\n");
	else if (work->late || work->refused)
		buf__printf(
			out,
			"  %" PRIu64
			" times the files of a program could not be opened in time, %" PRIu64
			" times they were not tried again after that: some names may be missing\n",
			work->late, work->refused);
}

/* Each thread has periods of its own then, and what ran in them without finishing one is in no
 * sample. */
static void text_too_brief(const struct summary *s, struct buf *out)
{
	for (size_t i = 0; i < s->ledger->n_events; i++) {
		const struct ledger_event *e = &s->ledger->events[i];

		if (s->per_task[i] && !e->read && !ledger_event__unfinished(e) &&
		    e->value > ENOUGH_PERIODS * e->period &&
		    e->kernel.weight_seen < e->value / 5 * 4)
			buf__printf(out,
				    "; %.0f %% of %s is in no sample, for threads' last periods "
				    "weren't finished: try --per-cpu",
				    100 - 100 * (double)e->kernel.weight_seen / (double)e->value,
				    e->name);
	}
}

static void text_sideband(const struct ledger *l, struct buf *out)
{
	if (l->sideband_lost)
		buf__printf(out,
			    "  %" PRIu64
			    " records of programs starting and mapping files were lost: some "
			    "names may be missing\n",
			    l->sideband_lost);
	if (l->sideband_refused)
		buf__printf(out,
			    "  %" PRIu64
			    " such records were not taken, of programs or cgroups that do little "
			    "else: they are looked up in /proc again when they are sampled\n",
			    l->sideband_refused);
}

void summary__text(const struct summary *s, struct buf *out)
{
	_cleanup_(buf__done) struct buf remarks = {0};
	_cleanup_(buf__done) struct buf doubt = {0};
	_cleanup_(buf__done) struct buf off = {0};
	bool ok = ledger__balance(s->ledger, &remarks);
	uint64_t samples = 0, readings = 0, lost = 0;

	for (size_t i = 0; i < s->ledger->n_events; i++) {
		const struct ledger_event *e = &s->ledger->events[i];

		*(e->read ? &readings : &samples) += e->aggregated;
		lost += ledger_event__dropped(e);
	}
	buf__printf(out, "pmubpf: %" PRIu64 " samples", samples);
	if (readings)
		buf__printf(out, " and %" PRIu64 " readings", readings);
	buf__printf(out, " in %.2f s, %" PRIu64 " lost; %s", (double)s->duration_ns / 1e9, lost,
		    ok ? "the books balance" : "THE BOOKS DO NOT BALANCE");
	if (ok && ledger__doubts(s->ledger, &doubt))
		buf__printf(out, ", but %s", doubt.data);
	text_too_brief(s, out);
	if (off_cpu__doubt(&s->ledger->off_cpu, s->events, &off))
		buf__printf(out, "; %s", off.data);
	buf__puts(out, ok ? "\n" : ":\n");
	escape_lines(out, "  ", remarks.data);
	text_plan(s, out);
	for (size_t i = 0; i < s->ledger->n_events; i++)
		text_event(s, i, out);
	summary_windows__text(s, out);
	summary_sites__text(&s->ledger->sites, out);
	summary_allocs__text(&s->ledger->allocs, out);
	off_cpu__text(&s->ledger->off_cpu, out);
	summary_branches__text(s->ledger, out);
	ratios__text(s, out);
	summary_stacks__text(s->ledger, &s->frames, out);
	runtimes__text(&s->ledger->runtimes, out);
	loss__text(&s->loss, out);
	text_room(s, out);
	text_memory(&s->ledger->memory, out);
	text_sideband(s->ledger, out);
	text_opener(&s->opener, out);
	escape_lines(out, "  ", s->notes);
	cost__text(s, out);
}
