// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "render/json.h"
#include "render/report.h"
#include "render/report_head.h"

void report_event__json(const struct prof_event *e, const char *key, const int64_t *values,
			struct json *j)
{
	json__obj(j, key);
	if (e->samples != PROF_NO_TYPE)
		json__i64(j, "samples", values[e->samples]);
	if (e->events != PROF_NO_TYPE)
		json__i64(j, "count", values[e->events]);
	if (e->time != PROF_NO_TYPE)
		json__i64(j, "time_ns", values[e->time]);
	json__end_obj(j);
}

static void put_percent(const struct report *r, const struct prof_event *e, const char *key,
			const int64_t *values, struct json *j)
{
	size_t type = report_event__type(e);
	double whole = fabs((double)group__total(r->group, 0)[type]);

	if (whole != 0)
		json__f64(j, key, 100 * (double)values[type] / whole, 4);
	else
		json__null(j, key);
}

void report_ratio__json(const struct report *r, const struct report_ratio *ratio,
			const int64_t *values, struct json *j)
{
	struct ratio_value v = report_ratio__of(r, ratio, values);

	if (!v.valid)
		return;
	json__obj(j, NULL);
	json__str(j, "kind", derived_keys[ratio->kind]);
	json__str(j, "event", r->events[ratio->event].name);
	json__str(j, "other", r->events[ratio->other].name);
	json__f64(j, "value", v.value, 6);
	if (r->confidence && v.high > 0) {
		json__f64(j, "low", v.low, 6);
		json__f64(j, "high", v.high, 6);
	}
	json__bool(j, "few_samples", v.few);
	json__bool(j, "under_delivered", ratio->doubtful);
	json__end_obj(j);
}

static void put_row(const struct report *r, uint32_t row, int64_t parent, struct json *j)
{
	const struct group_row *g = &r->group->rows[row];
	const int64_t *self = group__self(r->group, row), *total = group__total(r->group, row);

	json__obj(j, NULL);
	if (parent < 0)
		json__null(j, "parent");
	else
		json__i64(j, "parent", parent);
	json__str(j, "key", r->keys[r->shape == GROUP_KEYS ? g->level - 1 : 0].word);
	json__str(j, "name", group__text(r->group, g->text));
	json__str(j, "module", g->module ? group__text(r->group, g->module) : NULL);
	json__bool(j, "inlined", g->inlined && !g->own);
	json__arr(j, "events");
	for (size_t i = 0; i < r->n_events; i++) {
		json__obj(j, NULL);
		json__str(j, "event", r->events[i].name);
		report_event__json(&r->events[i], "self", self, j);
		report_event__json(&r->events[i], "total", total, j);
		put_percent(r, &r->events[i], "self_percent", self, j);
		put_percent(r, &r->events[i], "total_percent", total, j);
		json__end_obj(j);
	}
	json__end_arr(j);
	json__arr(j, "ratios");
	for (size_t i = 0; i < r->n_ratios; i++)
		report_ratio__json(r, &r->ratios[i], report__ratio_values(r, row), j);
	json__end_arr(j);
	json__end_obj(j);
}

static void put_rows(const struct report *r, struct json *j)
{
	const struct group *g = r->group;
	_cleanup_free_ int64_t *shown = xcalloc(g->n_rows, sizeof(*shown)); /* where, + 1 */
	size_t n_cut = 0;

	json__arr(j, "rows");
	for (size_t i = 0; i < g->n_order; i++) {
		struct json before = *j;
		size_t len = j->out->len;

		put_row(r, g->order[i], shown[g->rows[g->order[i]].parent] - 1, j);
		shown[g->order[i]] = (int64_t)i + 1;
		if (!report__is_full(r, i, len, j->out))
			continue;
		*j = before;
		n_cut = g->n_order - i;
		break;
	}
	json__end_arr(j);
	json__u64(j, "hidden_rows", g->n_hidden + n_cut);
}

static void put_events(const struct report *r, struct json *j)
{
	json__arr(j, "events");
	for (size_t i = 0; i < r->n_events; i++) {
		const struct prof_event *e = &r->events[i];
		size_t type = report_event__type(e);

		json__obj(j, NULL);
		json__str(j, "event", e->name);
		json__str(j, "unit", prof__text(r->prof, r->prof->types[type].unit));
		report_event__json(e, "total", group__total(r->group, 0), j);
		json__end_obj(j);
	}
	json__end_arr(j);
}

void report__put_json(const struct report *r, struct json *j)
{
	put_events(r, j);
	put_rows(r, j);
}

void report__json(const struct report *r, struct buf *out)
{
	struct json j = {.out = out};

	report__begin_json(r, "report", &j);
	json__i64(&j, "time_ns", r->whole->time_ns);
	json__i64(&j, "duration_ns", r->whole->duration_ns);
	report__trouble_json(r, r->events, r->n_events, &j);
	json__arr(&j, "comments");
	for (size_t i = 0; i < r->whole->n_comments; i++)
		json__str(&j, NULL, prof__text(r->whole, r->whole->comments[i]));
	json__end_arr(&j);
	report__put_json(r, &j);
	json__end_obj(&j);
}
