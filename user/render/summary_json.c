// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "pmu/collection_mode.h"
#include "render/cost.h"
#include "render/json.h"
#include "render/loss.h"
#include "render/summary_allocs.h"
#include "render/summary_sites.h"
#include "render/summary_branch_records.h"
#include "render/summary_windows.h"
#include "render/off_cpu.h"
#include "render/ratios.h"
#include "render/runtimes.h"

/* values: of __u64, as the kernel side has them, or of uint64_t. */
#define JSON_COUNTS(j, key, keys, values, n)                        \
	do {                                                        \
		json__obj((j), (key));                              \
		for (int at_ = 0; at_ < (n); at_++)                 \
			json__u64((j), (keys)[at_], (values)[at_]); \
		json__end_obj((j));                                 \
	} while (0)

static void json_kernel(struct json *j, const struct pmb_stats *k)
{
	json__obj(j, "kernel");
	json__u64(j, "seen", k->seen);
	json__u64(j, "emitted", k->emitted);
	json__u64(j, "filtered", k->filtered);
	json__u64(j, "closed", k->closed);
	JSON_COUNTS(j, "dropped", drop_keys, k->dropped, PMB_N_DROPS);
	json__u64(j, "weight_seen", k->weight_seen);
	json__u64(j, "weight_emitted", k->weight_emitted);
	json__u64(j, "weight_filtered", k->weight_filtered);
	json__u64(j, "weight_closed", k->weight_closed);
	JSON_COUNTS(j, "weight_dropped", drop_keys, k->weight_dropped, PMB_N_DROPS);
	json__u64(j, "ring_bytes", k->ring_bytes);
	json__u64(j, "late", k->late);
	json__u64(j, "skipped", k->skipped);
	json__u64(j, "weight_idle", k->weight_idle);
	json__u64(j, "stacks_sent", k->stacks_sent);
	json__u64(j, "stacks_known", k->stacks_known);
	json__u64(j, "stacks_lost", k->stacks_lost);
	json__end_obj(j);
}

static void json_counter(struct json *j, const struct ledger_event *e)
{
	json__obj(j, "counter");
	json__u64(j, "value", e->value);
	json__u64(j, "enabled_ns", e->enabled_ns);
	json__u64(j, "running_ns", e->running_ns);
	json__u64(j, "scaled", e->scaled);
	json__u64(j, "instances", e->instances);
	json__end_obj(j);
	json__f64(j, "ratio", ledger_event__ratio(e), 6);
	json__str(j, "ratio_why", e->no_ratio ? e->no_ratio : e->value ? NULL : "the counter is 0");
	json__f64(j, "scale", ledger_event__scale(e), 6);
	json__bool(j, "estimated", ledger_event__estimated(e));
	json__str(j, "silence", silence_keys[ledger_event__silence(e)]);
	json__u64(j, "period", e->period);
	json__u64(j, "interval", e->period); /* its name before; for a release */
	json__u64(j, "remainder", ledger_event__remainder(e));
	json__u64(j, "idle_ns", e->idle_ns);
	json__u64(j, "cpus_away", e->cpus_away);
	json__u64(j, "away_ns", e->away_ns);
	json__u64(j, "cpus_came", e->cpus_came);
	json__u64(j, "throttled", e->throttled);
	if (e->throttled) {
		json__f64(j, "throttled_from_s", (double)e->throttled_since / 1e9, 3);
		json__f64(j, "throttled_s", (double)e->throttled_ns / 1e9, 6);
		json__u64(j, "calm_period", e->calm_period);
		json__u64(j, "calm_interval", e->calm_period); /* as above */
	}
}

static void json_rate(struct json *j, const struct clock_rate *rate)
{
	if (!rate->n) {
		json__null(j, "clock");
		return;
	}
	json__obj(j, "clock");
	json__f64(j, "hz", rate->hz, 0);
	json__bool(j, "measured", rate->measured);
	json__u64(j, "rates", rate->n);
	json__f64(j, "min_hz", rate->min_hz, 0);
	json__f64(j, "max_hz", rate->max_hz, 0);
	json__end_obj(j);
}

/* Hexadecimal texts: numbers in JSON are exact up to 53 bits only. */
static void json_config(const struct event *event, struct json *j)
{
	static const char *const keys[N_CONFIGS] = {"config", "config1", "config2", "config3"};

	json__u64(j, "type", event->attr.type);
	for (unsigned i = 0; i < N_CONFIGS; i++) {
		char text[24];

		snprintf(text, sizeof(text), "0x%" PRIx64, event__config(event, i));
		json__str(j, keys[i], text);
	}
}

static void json_user(const struct ledger_event *e, struct json *j)
{
	json__obj(j, "user");
	json__u64(j, "decoded", e->decoded);
	json__u64(j, "aggregated", e->aggregated);
	json__obj(j, "data");
	json__u64(j, "with_address", e->data_with);
	json__u64(j, "without_address", e->data_without);
	JSON_COUNTS(j, "classes", data_class_keys, e->data_classes, N_DATA_CLASSES);
	JSON_COUNTS(j, "types", data_typing_keys, e->data_typings, N_DATA_TYPINGS);
	json__end_obj(j);
	json__obj(j, "discarded");
	json__u64(j, "other_containers", e->foreign);
	json__u64(j, "quick_windows", e->quick);
	json__u64(j, "unheld", e->unheld);
	json__u64(j, "no_memory", e->no_memory);
	json__u64(j, "forgotten", e->forgotten);
	json__end_obj(j);
	json__u64(j, "weight", e->weight);
	json__u64(j, "weight_forgotten", e->weight_forgotten);
	json__obj(j, "other");
	json__u64(j, "samples", e->other.samples);
	json__u64(j, "weight", e->other.weight);
	json__u64(j, "rows", e->other.rows);
	json__end_obj(j);
	json__end_obj(j);
}

static void json_event(const struct summary *s, size_t i, struct json *j)
{
	static const char *const units[] = {"samples", "events", "time"};
	const struct ledger_event *e = &s->ledger->events[i];
	const struct event *event = &s->events->events[i];

	json__obj(j, NULL);
	json__str(j, "name", event->name);
	json__str(j, "title", event->title);
	json__str(j, "pmu", event->pmu);
	json__u64(j, "lead", event->lead);
	json__str(j, "cpus", event->cpus);
	json__str(j, "maps_to", event->maps_to);
	json_config(event, j);
	json__str(j, "counts", event->counts);
	json__str(j, "unit", units[s->numbers[i].unit]);
	json__str(j, "collection_mode", collection_mode_keys[event->mode]);
	json__str(j, "way", collection_way_keys[event->mode]); /* as above */
	json__bool(j, "added", event->added);
	json__str(j, "scope", s->per_task[i] ? "per-task" : "per-cpu");
	json__u64(j, "precise", event->attr.precise_ip);
	if (s->plan)
		json__u64(j, "set", s->plan->set[i]);
	json__obj(j, "rate");
	json__u64(j, event->attr.freq ? "freq" : "period", event->attr.sample_period);
	json__bool(j, "adaptive", event->adaptive);
	json__end_obj(j);
	json_kernel(j, &e->kernel);
	json_user(e, j);
	json_counter(j, e);
	if (event->scale_unit) {
		json__obj(j, "total");
		json__f64(j, "value", (double)e->scaled * event->scale, 6);
		json__str(j, "unit", event->scale_unit);
		json__end_obj(j);
	} else {
		json__null(j, "total");
	}
	json_rate(j, &s->rates[i]);
	json__end_obj(j);
}

static void json_memory(struct json *j, const struct ledger_memory *m)
{
	json__obj(j, "memory");
	if (m->limit)
		json__u64(j, "limit", m->limit);
	else
		json__null(j, "limit");
	json__u64(j, "bytes", m->bytes);
	json__u64(j, "rows", m->rows);
	json__u64(j, "trims", m->trims);
	json__u64(j, "stacks_dropped", m->stacks_dropped);
	json__end_obj(j);
}

static void json_truncating(struct json *j, const struct truncating *all)
{
	json__arr(j, "ended_early");
	for (size_t i = 0; i < all->n; i++) {
		json__obj(j, NULL);
		json__str(j, "file", all->list[i].file);
		json__str(j, "unwind_status", status_keys[all->list[i].status]);
		json__str(j, "ending", status_keys[all->list[i].status]); /* for a release */
		json__u64(j, "samples", all->list[i].samples);
		json__end_obj(j);
	}
	json__end_arr(j);
}

static void json_unwind(struct json *j, const struct ledger_unwind *u)
{
	json__obj(j, "unwind");
	json__u64(j, "tables", u->built);
	json__u64(j, "by_frame_pointers", u->frames);
	json__u64(j, "failed", u->failed);
	json__u64(j, "no_room", u->no_room);
	json__u64(j, "over_budget", u->over_budget);
	json__u64(j, "evicted", u->evicted);
	json__u64(j, "evicted_mapped", u->evicted_mapped);
	json__u64(j, "readmitted", u->readmitted);
	json__u64(j, "bytes", u->bytes);
	json__f64(j, "build_s", (double)u->build_ns / 1e9, 6);
	json__u64(j, "stack_dumps", u->stack_dumps);
	json__u64(j, "slices", u->stack_dumps); /* names before; for a release */
	json__u64(j, "stack_dumps_lost", u->stack_dumps_lost);
	json__u64(j, "stack_dumps_refused", u->stack_dumps_refused);
	json__u64(j, "slices_lost", u->stack_dumps_lost);
	json__end_obj(j);
}

static void json_passes(struct json *j, const struct passes *passes)
{
	json__arr(j, "passes");
	for (size_t i = 0; i < passes->n; i++) {
		json__obj(j, NULL);
		json__f64(j, "duration_s", (double)passes->list[i].duration_ns / 1e9, 6);
		json__u64(j, "status", (uint64_t)passes->list[i].status);
		json__end_obj(j);
	}
	json__end_arr(j);
	json__arr(j, "counted_in_every_pass");
	for (size_t c = 0; c < passes->n_counts; c++) {
		json__obj(j, NULL);
		json__str(j, "name", passes->names[c]);
		json__arr(j, "values");
		for (size_t i = 0; i < passes->n; i++)
			json__u64(j, NULL, passes->list[i].counts[c]);
		json__end_arr(j);
		json__f64(j, "spread", passes__spread(passes, c), 6);
		json__end_obj(j);
	}
	json__end_arr(j);
}

static void json_frames(struct json *j, const struct frame_counts *frames)
{
	json__obj(j, "frames");
	json__u64(j, "named", frames->by_reason[SYM_NAMED]);
	json__obj(j, "unnamed");
	for (int i = 0; i < N_SYM_REASONS; i++) {
		if (i != SYM_NAMED)
			json__u64(j, sym_reason_keys[i], frames->by_reason[i]);
	}
	json__end_obj(j);
	json__end_obj(j);
}

static void json_names(struct json *j, const struct names_work *work)
{
	json__obj(j, "names");
	json__u64(j, "lookups", work->lookups);
	json__u64(j, "files", work->files);
	json__u64(j, "helper_failures", work->helper_failures);
	json__u64(j, "bytes", work->bytes);
	json__u64(j, "cut", work->cut);
	json__u64(j, "refused", work->refused);
	json__u64(j, "downloads_asked", work->downloads.asked);
	json__u64(j, "downloads_found", work->downloads.found);
	json__f64(j, "downloads_s", (double)work->downloads.ns / 1e9, 3);
	json__end_obj(j);
}

static void json_output(struct json *j, const struct summary *s)
{
	json__obj(j, "output");
	if (s->max_output)
		json__u64(j, "limit", s->max_output);
	else
		json__null(j, "limit");
	json__u64(j, "lines_in_other", s->cut ? s->cut->lines : 0);
	json__u64(j, "weight_in_other", s->cut ? (uint64_t)s->cut->weight : 0);
	json__end_obj(j);
}

static void json_aside_of(struct json *j, const struct set_aside *all)
{
	for (size_t i = 0; all && i < all->n; i++) {
		json__obj(j, NULL);
		json__str(j, "file", all->list[i].file);
		json__str(j, "lost", all->list[i].lost);
		json__str(j, "why", all->list[i].why);
		json__end_obj(j);
	}
}

static void json_aside(struct json *j, const struct summary *s)
{
	json__arr(j, "set_aside");
	json_aside_of(j, &s->ledger->aside);
	json_aside_of(j, s->aside);
	json__end_arr(j);
	json__u64(j, "set_aside_more", s->ledger->aside.more + (s->aside ? s->aside->more : 0));
}

static void json_rejected(struct json *j, const struct ledger *ledger)
{
	json__obj(j, "rejected");
	for (int i = 0; i < N_REJECTS; i++)
		json__u64(j, reject_keys[i], ledger->rejected[i]);
	json__u64(j, "ending", ledger->rejected[REJECT_UNWIND_STATUS]); /* for a release */
	json__end_obj(j);
}

static void json_kept(struct json *j, const struct kept *k)
{
	const struct kept none = {0};

	k = k ? k : &none;
	json__obj(j, "kept");
	json__bool(j, "asked", k->asked);
	json__bool(j, "raised", k->raised);
	json__str(j, "relation", k->relation);
	json__f64(j, "at_s", k->at_s, 3);
	json__f64(j, "since_s", k->since_s, 3);
	json__f64(j, "percent", k->percent, 1);
	json__f64(j, "from_s", k->raised ? k->from_s : k->to_s, 3);
	json__f64(j, "to_s", k->to_s, 3);
	json__u64(j, "given_up", k->given_up);
	json__u64(j, "no_room", k->no_room);
	json__end_obj(j);
}

/* Null, or all 0, where it wasn't. */
static void json_asked_for(struct json *j, const struct summary *s)
{
	JSON_COUNTS(j, "contexts", context_keys, s->ledger->contexts, PMB_N_CONTEXT_STATES);
	summary_windows__json(s, j);
	summary_sites__json(&s->ledger->sites, j);
	summary_allocs__json(&s->ledger->allocs, j);
	off_cpu__json(&s->ledger->off_cpu, j);
	summary_branches__json(s->ledger, j);
}

void summary__json(const struct summary *s, struct buf *out)
{
	_cleanup_(buf__done) struct buf remarks = {0};
	_cleanup_(buf__done) struct buf doubt = {0};
	struct json j = {.out = out};

	json__obj(&j, NULL);
	json__head(&j, "record", s->command_line);
	json__f64(&j, "duration_s", (double)s->duration_ns / 1e9, 6);
	json_kept(&j, s->kept);
	json__bool(&j, "balanced", ledger__balance(s->ledger, &remarks));
	if (ledger__doubts(s->ledger, &doubt))
		buf__printf(&remarks, "%s\n", doubt.data);
	json__lines(&j, "remarks", remarks.data);
	json__lines(&j, "notes", s->notes);
	if (s->plan)
		json__u64(&j, "counter_sets", s->plan->n_sets);
	if (s->passes)
		json_passes(&j, s->passes);
	json__arr(&j, "events");
	for (size_t i = 0; i < s->ledger->n_events; i++)
		json_event(s, i, &j);
	json__end_arr(&j);
	ratios__json(s, &j);
	json_rejected(&j, s->ledger);
	json__obj(&j, "stacks");
	JSON_COUNTS(&j, "user", status_keys, s->ledger->user_statuses, PMB_N_UNWIND_STATUSES);
	JSON_COUNTS(&j, "kernel", status_keys, s->ledger->kernel_statuses, PMB_N_UNWIND_STATUSES);
	json_truncating(&j, &s->ledger->truncating);
	json__end_obj(&j);
	json_asked_for(&j, s);
	json_unwind(&j, &s->ledger->unwind);
	json_frames(&j, &s->frames);
	json_names(&j, &s->names);
	json_aside(&j, s);
	runtimes__json(&j, &s->ledger->runtimes);
	json_output(&j, s);
	loss__json(&s->loss, &j);
	json__obj(&j, "opener");
	json__u64(&j, "asked", s->opener.asked);
	json__u64(&j, "late", s->opener.late);
	json__u64(&j, "refused", s->opener.refused);
	json__u64(&j, "stuck", s->opener.stuck);
	json__bool(&j, "ended", s->opener.ended);
	json__f64(&j, "longest_s", (double)s->opener.longest_ns / 1e9, 6);
	json__end_obj(&j);
	json_memory(&j, &s->ledger->memory);
	cost__json(s, &j);
	json__obj(&j, "sideband");
	json__u64(&j, "records", s->ledger->sideband_records);
	json__u64(&j, "lost", s->ledger->sideband_lost);
	json__u64(&j, "rejected", s->ledger->sideband_rejected);
	json__u64(&j, "refused", s->ledger->sideband_refused);
	json__u64(&j, "refused_of_cgroup", s->ledger->sideband_refused_of_cgroup);
	json__end_obj(&j);
	json__end_obj(&j);
}
