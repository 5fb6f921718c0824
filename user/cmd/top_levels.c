// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/top_levels.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define CALLS_SHARE 0.5

static void level__done(struct level *l)
{
	free(l->by);
	free(l->about);
	free(l->label);
	free(l->title);
	free(l->filter);
	free(l->view.selection.labels);
	*l = (struct level){0};
}

void levels__init(struct levels *levels, const struct top_view *first)
{
	*levels = (struct levels){.n = 1};
	levels->list[0].view = *first;
	levels->list[0].by = xstrdup(first->by);
	levels->list[0].view.by = levels->list[0].by;
	levels->list[0].title = xstrdup("");
	levels->list[0].filter = xstrdup("");
}

void levels__done(struct levels *levels)
{
	while (levels->n)
		level__done(&levels->list[--levels->n]);
}

struct level *levels__now(struct levels *levels)
{
	return &levels->list[levels->n - 1];
}

/* The same samples by something else; NULL: there is no room. */
static struct level *push(struct levels *levels, const char *by)
{
	const struct level *before = levels__now(levels);
	const struct selection *s = &before->view.selection;
	struct level *l = &levels->list[levels->n];

	if (levels->n == ARRAY_SIZE(levels->list))
		return NULL;
	levels->n++;
	*l = (struct level){.view = before->view, .by = xstrdup(by), .filter = xstrdup("")};
	l->view.by = l->by;
	l->view.shape = GROUP_KEYS;
	l->view.min_share = 0;
	l->view.selection.labels = xcalloc(s->n_labels + 1, sizeof(*s->labels));
	l->view.selection.cap_labels = s->n_labels + 1;
	for (size_t i = 0; i < s->n_labels; i++)
		l->view.selection.labels[i] = s->labels[i];
	return l;
}

static enum prof_key_kind kind_of(const struct top_rows *rows, uint32_t row)
{
	return rows->report.shape == GROUP_KEYS ?
		       rows->keys[rows->group->rows[row].level - 1].kind :
		       KEY_FUNCTION;
}

static const char *text_of(const struct top_rows *rows, uint32_t row)
{
	return group__text(rows->group, rows->group->rows[row].text);
}

/* "worker 1234" is the process, or thread, 1234. */
static const char *value_of(const char *text, enum prof_key_kind kind)
{
	const char *blank = strrchr(text, ' ');

	return kind == KEY_CONTAINER || kind == KEY_CPU ? text : blank ? blank + 1 : text;
}

static const char *key_of(enum prof_key_kind kind)
{
	return kind == KEY_PROCESS   ? "pid" :
	       kind == KEY_THREAD    ? "tid" :
	       kind == KEY_CONTAINER ? "container" :
	       kind == KEY_CPU       ? "cpu" :
				       NULL;
}

/* The row, and those that it is within, as labels. */
static size_t add_labels(struct level *l, const struct top_rows *rows, uint32_t row)
{
	struct selection *s = &l->view.selection;
	size_t before = s->n_labels;

	if (rows->report.shape != GROUP_KEYS)
		return 0;
	for (; row; row = rows->group->rows[row].parent) {
		enum prof_key_kind kind = kind_of(rows, row);
		const char *value = text_of(rows, row);

		if (!key_of(kind) || l->label || *value == '[')
			continue;
		l->label = xstrdup(value_of(value, kind));
		s->labels[s->n_labels++] = (struct label_filter){key_of(kind), l->label};
	}
	return s->n_labels - before;
}

static char *title_of(const struct levels *levels, const char *what, const char *name)
{
	const char *before = levels->list[levels->n - 2].title;

	return xasprintf("%s%s%s%s", before, *before ? " > " : "", what, name);
}

static bool calls(struct levels *levels, const struct top_rows *rows, uint32_t row, bool callers)
{
	enum prof_key_kind kind = kind_of(rows, row);
	struct level *l;

	if (kind != KEY_FUNCTION && kind != KEY_LINE)
		return false;
	l = push(levels, "function");
	if (!l)
		return false;
	add_labels(l, rows, row);
	l->about = xstrdup(text_of(rows, row));
	if (kind == KEY_LINE && strrchr(l->about, ' ')) /* "work file.c:12" */
		*strrchr(l->about, ' ') = '\0';
	l->view.shape = callers ? GROUP_CALLERS : GROUP_CALLS;
	l->view.min_share = CALLS_SHARE;
	l->view.selection.callers = callers ? l->about : NULL;
	l->view.selection.callees = callers ? NULL : l->about;
	l->title = title_of(levels, callers ? "callers of " : "called by ", l->about);
	return true;
}

bool levels__callers(struct levels *levels, const struct top_rows *rows, uint32_t row)
{
	return calls(levels, rows, row, true);
}

bool levels__callees(struct levels *levels, const struct top_rows *rows, uint32_t row)
{
	return calls(levels, rows, row, false);
}

bool levels__into(struct levels *levels, const struct top_rows *rows, uint32_t row)
{
	enum prof_key_kind kind = kind_of(rows, row);
	struct level *l;

	if (kind == KEY_FUNCTION || kind == KEY_LINE)
		return levels__callers(levels, rows, row);
	l = key_of(kind) ? push(levels, "function") : NULL;
	if (!l)
		return false;
	l->title = title_of(levels, "", text_of(rows, row));
	if (add_labels(l, rows, row))
		return true;
	levels__back(levels);
	return false;
}

void levels__by(struct levels *levels, const char *by)
{
	struct level *l;

	while (levels__now(levels)->view.shape != GROUP_KEYS && levels__back(levels))
		;
	l = levels__now(levels);
	free(l->by);
	l->by = xstrdup(by);
	l->view.by = l->by;
	l->filter[0] = '\0';
	l->cursor = l->first = 0;
}

bool levels__back(struct levels *levels)
{
	if (levels->n == 1)
		return false;
	level__done(&levels->list[--levels->n]);
	return true;
}
