// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "base/cleanup.h"
#include "prof/sharing.h"
#include "render/json.h"
#include "render/layout.h"
#include "render/report_head.h"

static void put_use(struct json *j, const struct layout_view *v, const struct use *use)
{
	json__i64(j, "count", use->value);
	json__i64(j, "loads", use->loads);
	json__i64(j, "stores", use->stores);
	if (v->use.whole.value)
		json__f64(j, "percent", 100 * (double)use->value / (double)v->use.whole.value, 4);
	else
		json__null(j, "percent");
}

static void put_members(struct json *j, const struct layout_view *v)
{
	json__arr(j, "members");
	for (size_t i = 0; i < v->layout.n; i++) {
		const struct layout_member *m = &v->layout.members[i];
		size_t parent = type_layout__parent(&v->layout, i);

		json__obj(j, NULL);
		json__str(j, "name", m->name);
		json__str(j, "type", m->type);
		if (parent == SIZE_MAX)
			json__null(j, "parent");
		else
			json__u64(j, "parent", parent);
		json__u64(j, "offset", m->from);
		json__u64(j, "size", m->size);
		json__u64(j, "elements", m->count);
		put_use(j, v, &v->use.within[i]);
		json__bool(j, "hot", layout_use__is_hot(&v->use, i));
		json__end_obj(j);
	}
	json__end_arr(j);
	json__arr(j, "others");
	for (size_t i = 0; i < v->use.n_besides; i++) {
		json__obj(j, NULL);
		json__str(j, "name", v->use.besides[i].name);
		put_use(j, v, &v->use.besides[i].use);
		json__end_obj(j);
	}
	json__end_arr(j);
}

static void put_holes(struct json *j, const struct layout_view *v)
{
	struct layout_hole *holes;
	size_t n = layout_holes(&v->layout, &holes);

	json__arr(j, "holes");
	for (size_t i = 0; i < n; i++) {
		json__obj(j, NULL);
		if (holes[i].in == SIZE_MAX)
			json__null(j, "parent");
		else
			json__u64(j, "parent", holes[i].in);
		json__u64(j, "offset", holes[i].from);
		json__u64(j, "size", holes[i].size);
		json__end_obj(j);
	}
	json__end_arr(j);
	if (v->layout.more)
		json__null(j, "padding");
	else
		json__u64(j, "padding", layout_view__padding(&v->layout, holes, n));
	free(holes);
}

/* Figures of the sentence; null where they aren't known. */
static void put_hot(struct json *j, const struct layout_view *v)
{
	const struct hot_members *h = &v->use.hot;
	_cleanup_(buf__done) struct buf advice = {0};

	json__obj(j, "hot");
	json__arr(j, "members");
	for (size_t i = 0; i < h->n; i++)
		json__u64(j, NULL, h->list[i]);
	json__end_arr(j);
	json__i64(j, "count", h->value);
	if (h->n && h->placed) {
		json__u64(j, "bytes", h->bytes);
		json__u64(j, "lines", h->lines);
		json__u64(j, "lines_needed", h->needed);
	} else {
		json__null(j, "bytes");
		json__null(j, "lines");
		json__null(j, "lines_needed");
	}
	json__end_obj(j);
	layout_view__advice(v, &advice);
	json__lines(j, "advice", advice.data);
}

static void put_view(struct json *j, const struct layout_view *v)
{
	json__obj(j, NULL);
	json__str(j, "type", v->type);
	json__str(j, "layout", v->id);
	json__u64(j, "size", v->layout.size);
	json__bool(j, "more_members", v->layout.more);
	json__i64(j, "count", v->use.whole.value);
	json__i64(j, "loads", v->use.whole.loads);
	json__i64(j, "stores", v->use.whole.stores);
	put_members(j, v);
	put_holes(j, v);
	put_hot(j, v);
	json__end_obj(j);
}

void layout_report__json(const struct layout_report *r, struct buf *out)
{
	const struct report *p = r->report;
	struct json j = {.out = out};

	report__begin_json(p, "report", &j);
	report__trouble_json(p, r->event, 1, &j);
	json__str(&j, "event", r->event->name);
	json__u64(&j, "line_bytes", PROF_CACHE_LINE);
	json__arr(&j, "layouts");
	for (size_t i = 0; i < r->n; i++)
		put_view(&j, &r->views[i]);
	json__end_arr(&j);
	json__u64(&j, "hidden_layouts", r->n_more);
	json__end_obj(&j);
}
