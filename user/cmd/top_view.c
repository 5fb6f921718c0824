// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/top_view.h"

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/rows.h"

static bool selects(const struct selection *s)
{
	return s->focus || s->ignore || s->callers || s->callees || s->n_labels || s->n_events;
}

static int group_rows(struct top_rows *rows, const struct top_view *view, const struct prof *prof,
		      struct err *err)
{
	struct group_opts opts = {.shape = view->shape,
				  .limit = view->limit,
				  .min_share = view->min_share};
	int r = prof_keys__parse(&rows->keys, &rows->n_keys, view->by, prof, err);

	opts.keys = rows->keys;
	opts.n_keys = rows->n_keys;
	if (r == 0)
		r = rows__sort_by(&opts, view->sort, view->shape != GROUP_KEYS, prof, err);
	if (r < 0)
		return r;
	rows->group = group__new(prof, &opts);
	return 0;
}

static void describe(struct top_rows *rows, const struct top_view *view, const struct prof *whole)
{
	struct report *report = &rows->report;
	bool flat = view->shape == GROUP_KEYS;

	for (size_t i = 0; i < rows->n_keys; i++)
		flat &= !prof_key__is_of_frames(&rows->keys[i]);
	report->whole = whole;
	report->prof = rows->group->prof;
	report->group = rows->group;
	report->keys = rows->keys;
	report->n_keys = rows->n_keys;
	report->shape = view->shape;
	report->flat = flat || view->shape == GROUP_CALLERS; /* whose self says nothing */
	report->width = view->width;
	report->color = view->color;
	report__settle(report);
}

int top_rows__make(struct top_rows *rows, const struct top_view *view, const struct prof *prof,
		   struct err *err)
{
	int r = 0;

	*rows = (struct top_rows){0};
	if (selects(&view->selection))
		r = prof__select(&rows->selected, prof, &view->selection, err);
	if (r == 0)
		r = group_rows(rows, view, rows->selected ? rows->selected : prof, err);
	if (r == 0)
		describe(rows, view, prof);
	return r;
}

void top_rows__done(struct top_rows *rows)
{
	report__done(&rows->report);
	group__free(rows->group);
	prof_keys__free(rows->keys, rows->n_keys);
	prof__free(rows->selected);
	*rows = (struct top_rows){0};
}

int top_view__check(const struct top_view *view, const char *const *events, size_t n,
		    struct err *err)
{
	struct prof *empty = prof__new();
	struct top_rows rows;
	int r;

	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *name = xasprintf("%s_sample", events[i]);

		prof__type(empty, name, "count");
	}
	r = top_rows__make(&rows, view, empty, err);
	top_rows__done(&rows);
	prof__free(empty);
	return r;
}
