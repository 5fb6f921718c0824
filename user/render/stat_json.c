// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "render/json.h"
#include "render/loss.h"
#include "render/stat.h"

static void put_figures(struct json *j, const struct stat_report *r, size_t event,
			const struct derived *figures, size_t n)
{
	json__arr(j, "figures");
	for (size_t i = 0; i < n; i++) {
		const struct derived *f = &figures[i];

		if (f->event != event)
			continue;
		json__obj(j, NULL);
		json__str(j, "figure", derived_keys[f->kind]);
		json__f64(j, "value", f->value, 6);
		json__str(j, "unit", derived_texts[f->kind]);
		json__str(j, "with",
			  f->other == DERIVE_ELAPSED ? "elapsed time" :
						       r->events->events[f->other].name);
		json__bool(j, "apart", f->apart);
		json__end_obj(j);
	}
	json__end_arr(j);
}

static void put_cell(struct json *j, const struct stat_report *r, size_t event,
		     const struct stat_cell *cell)
{
	static const char *const statuses[] = {"counted", "not counted", "not supported"};
	const struct probe_result *tried = &r->tried[event];

	json__str(j, "status", statuses[cell->status]);
	json__str(j, "why", tried->ok ? cell->why : tried->reason);
	if (cell->status != STAT_COUNTED) {
		json__null(j, "value");
		json__null(j, "scaled");
	} else {
		/* a mean is no whole number */
		json__f64(j, "value", (double)cell->count->value / r->runs, r->runs > 1 ? 3 : 0);
		json__f64(j, "scaled", cell->mean, r->runs > 1 ? 3 : 0);
	}
	json__bool(j, "user_only", tried->ok && tried->user_only);
	json__u64(j, "enabled_ns", cell->count->enabled_ns / r->runs);
	json__u64(j, "running_ns", cell->count->running_ns / r->runs);
	if (r->spreads)
		json__f64(j, "spread_percent", cell->spread_percent, 3);
	else
		json__null(j, "spread_percent");
	json__bool(j, "false_zero", cell->false_zero);
}

static void put_event(struct json *j, const struct stat_report *r, size_t row, size_t event,
		      const struct derived *figures, size_t n)
{
	const struct event *e = &r->events->events[event];
	struct stat_cell cell = stat__cell(r, row, event);

	if (!cell.here)
		return;
	json__obj(j, NULL);
	json__str(j, "name", e->name);
	json__str(j, "title", e->title);
	json__str(j, "pmu", e->pmu);
	json__str(j, "maps_to", e->maps_to);
	json__str(j, "counts", e->counts);
	put_cell(j, r, event, &cell);
	put_figures(j, r, event, figures, n);
	json__end_obj(j);
}

static void put_row(struct json *j, const struct stat_report *r, size_t index)
{
	_cleanup_free_ struct derived *figures = NULL;
	const struct counts_row *row = &r->counts->rows[index];
	size_t n = stat__figures(r, index, &figures);

	json__obj(j, NULL);
	json__str(j, "cgroup", row->cgroup);
	if (row->cpu >= 0)
		json__u64(j, "cpu", (uint64_t)row->cpu);
	else
		json__null(j, "cpu");
	if (row->tid >= 0)
		json__u64(j, "tid", (uint64_t)row->tid);
	else
		json__null(j, "tid");
	json__str(j, "comm", row->tid >= 0 ? row->comm : NULL);
	json__arr(j, "events");
	for (size_t i = 0; i < r->events->n; i++)
		put_event(j, r, index, i, figures, n);
	json__end_arr(j);
	json__end_obj(j);
}

static void put_head(struct json *j, const struct stat_report *r)
{
	json__head(j, "stat", r->command_line);
	json__str(j, "whom", r->whom);
	json__u64(j, "runs", r->runs);
}

static void put_alarms(struct json *j, const struct stat_report *r)
{
	json__arr(j, "alarms");
	for (size_t i = 0; i < r->n_alarms; i++) {
		const struct stat_alarm_news *news = &r->alarms[i];

		json__obj(j, NULL);
		json__str(j, "relation", news->relation);
		json__f64(j, "y", news->counted ? news->y : NAN, 0);
		json__f64(j, "x", news->counted ? news->x : NAN, 0);
		json__bool(j, "watches", news->watches);
		json__bool(j, "raised", news->raised);
		if (news->raised) {
			json__f64(j, "since_s", news->since_s, 3);
			json__f64(j, "percent", news->percent, 1);
		} else {
			json__null(j, "since_s");
			json__null(j, "percent");
		}
		json__end_obj(j);
	}
	json__end_arr(j);
}

void stat__json(const struct stat_report *r, struct buf *out)
{
	struct json j = {.out = out, .one_line = r->interval};
	const struct counts *c = r->counts;

	json__obj(&j, NULL);
	if (r->first)
		put_head(&j, r);
	json__f64(&j, "from_s", (double)c->from_ns / 1e9, 9);
	json__f64(&j, "to_s", (double)c->to_ns / 1e9 / r->runs, 9);
	if (r->has_usage) {
		json__f64(&j, "user_s", (double)r->user_ns / 1e9 / r->runs, 6);
		json__f64(&j, "system_s", (double)r->system_ns / 1e9 / r->runs, 6);
	} else {
		json__null(&j, "user_s");
		json__null(&j, "system_s");
	}
	json__arr(&j, "rows");
	for (size_t i = 0; i < c->n_rows; i++)
		put_row(&j, r, i);
	json__end_arr(&j);
	if (r->work && !r->inside)
		stat__work_json(r, &j);
	else
		json__null(&j, "per");
	if (r->work && r->inside)
		stat__inside_json(r, &j);
	else
		json__null(&j, "window");
	if (r->owners)
		stat__owners_json(r, &j);
	else
		json__null(&j, "by");
	loss__json(&r->loss, &j);
	if (r->n_alarms)
		put_alarms(&j, r);
	if (r->first)
		json__lines(&j, "notes", r->notes);
	json__end_obj(&j);
}
