// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Formulas stand there with one letter for each event, and are kept with the events' names.
 *
 * From Ice Lake on they take PERF_METRICS.…, fields of a register that only counts, in a group of
 * its own, and can't be sampled. The core has events of the same slots beside it, and these stand
 * in.
 */
#include "pmu/topdown_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/formula.h"
#include "base/mem.h"
#include "base/num.h"
#include "pmu/event_db.h"
#include "sys/jansson.h"

enum { METRICS_MAX = 64, FORMULA_MAX = 16384 };

/* By formulas; of several with the same name the first one whose events the tables have. */
static const struct stand_in {
	const char *name, *by;
} stand_ins[] = {
	{"TOPDOWN.SLOTS:perf_metrics", "TOPDOWN.SLOTS_P"},
	{"PERF_METRICS.RETIRING", "UOPS_RETIRED.SLOTS"},
	{"PERF_METRICS.BACKEND_BOUND", "TOPDOWN.BACKEND_BOUND_SLOTS"},
	{"PERF_METRICS.FRONTEND_BOUND", "IDQ_BUBBLES.CORE"},
	{"PERF_METRICS.FRONTEND_BOUND", "IDQ_UOPS_NOT_DELIVERED.CORE"},
	{"PERF_METRICS.BAD_SPECULATION", "TOPDOWN.BAD_SPEC_SLOTS"},
	{"PERF_METRICS.BAD_SPECULATION",
	 "max(TOPDOWN.SLOTS_P - UOPS_RETIRED.SLOTS - TOPDOWN.BACKEND_BOUND_SLOTS - "
	 "IDQ_UOPS_NOT_DELIVERED.CORE, 0)"},
	{"PERF_METRICS.MEMORY_BOUND", "TOPDOWN.MEMORY_BOUND_SLOTS"},
	{"PERF_METRICS.BRANCH_MISPREDICTS", "TOPDOWN.BR_MISPREDICT_SLOTS"},
	{"PERF_METRICS.FETCH_LATENCY", "6 * IDQ_BUBBLES.CYCLES_0_UOPS_DELIV.CORE"},
};

struct reading {
	const struct event_db *db;
	const struct jansson *lib;
	int threads;
	const json_t *metric;
	bool unknown; /* a name stands for nothing that is counted */
};

static void cleanup_formula(struct formula **f)
{
	formula__free(*f);
}

/* ---- names */

static void look_for(void *ctx, const char *name)
{
	struct reading *r = ctx;

	r->unknown |= !event_db__find(r->db, name, NULL);
}

static bool is_counted(const struct event_db *db, const char *text)
{
	_cleanup_(cleanup_formula) struct formula *f = NULL;
	struct reading r = {.db = db};

	if (formula__parse(&f, text) < 0)
		return false;
	formula__each_name(f, look_for, &r);
	return !r.unknown;
}

static void put_event(struct reading *r, const char *name, struct buf *out)
{
	if (event_db__find(r->db, name, NULL)) {
		buf__puts(out, name);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(stand_ins); i++) {
		if (strcmp(stand_ins[i].name, name) == 0 && is_counted(r->db, stand_ins[i].by)) {
			buf__printf(out, "(%s)", stand_ins[i].by);
			return;
		}
	}
	r->unknown = true;
}

static void put_constant(struct reading *r, const char *name, struct buf *out)
{
	double number;

	if (strcmp(name, "HYPERTHREADING_ON") == 0)
		buf__puts(out, r->threads > 1 ? "1" : "0");
	else if (strcmp(name, "THREADS_PER_CORE") == 0)
		buf__printf(out, "%d", r->threads);
	else if (num__parse_f64(name, &number) == 0)
		buf__puts(out, name);
	else
		r->unknown = true;
}

static const char *text_of(const struct reading *r, const json_t *object, const char *key)
{
	const char *text = r->lib->string_value(r->lib->object_get(object, key));

	return text ? text : "";
}

/* What the letter stands for in that list; NULL if it isn't in it. */
static const char *meaning(const struct reading *r, const char *list, const char *alias)
{
	const json_t *all = r->lib->object_get(r->metric, list);

	for (size_t i = 0; i < r->lib->array_size(all); i++) {
		const json_t *one = r->lib->array_get(all, i);

		if (strcmp(text_of(r, one, "Alias"), alias) == 0)
			return text_of(r, one, "Name");
	}
	return NULL;
}

static void put_if_constant(void *ctx, const char *alias, struct buf *out)
{
	struct reading *r = ctx;
	const char *constant = meaning(r, "Constants", alias);

	if (constant)
		put_constant(r, constant, out);
	else
		buf__puts(out, alias);
}

static void put_if_event(void *ctx, const char *alias, struct buf *out)
{
	struct reading *r = ctx;
	const char *event = meaning(r, "Events", alias);

	r->unknown |= !event || out->len > FORMULA_MAX;
	if (!r->unknown)
		put_event(r, event, out);
}

/* ---- metrics */

/* NULL: it is none, or can't be had. */
static char *rewrite(struct reading *r, const char *text,
		     void (*put)(void *ctx, const char *name, struct buf *out))
{
	_cleanup_(cleanup_formula) struct formula *f = NULL;
	_cleanup_(buf__done) struct buf out = {0};

	if (strlen(text) > FORMULA_MAX || formula__parse(&f, text) < 0)
		return NULL;
	formula__put(f, put, r, &out);
	return r->unknown ? NULL : buf__take(&out);
}

/* Constants first: they decide which events are needed. */
static char *read_formula(struct reading *r)
{
	_cleanup_free_ char *text = NULL;

	r->unknown = false;
	text = rewrite(r, text_of(r, r->metric, "Formula"), put_if_constant);
	return text ? rewrite(r, text, put_if_event) : NULL;
}

/* "FRONTEND_RETIRED.LATENCY_GE_4;…", "#NA": the first one. */
static char *read_located(const struct reading *r)
{
	const char *text = text_of(r, r->metric, "LocateWith");
	_cleanup_free_ char *first = NULL;

	text += strspn(text, " ");
	first = xstrndup(text, strcspn(text, "; "));
	return event_db__find(r->db, first, NULL) ? TAKE_PTR(first) : NULL;
}

static int level_of(const struct reading *r)
{
	const char *groups = text_of(r, r->metric, "MetricGroup");

	return strstr(groups, "TmaL1") ? 1 : strstr(groups, "TmaL2") ? 2 : 0;
}

static bool is_name(const char *name)
{
	size_t len =
		strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return len && !name[len] && len < 64;
}

static void read_metric(struct topdown_table *ret, struct reading *r)
{
	struct topdown_metric metric = {.name = (char *)text_of(r, r->metric, "MetricName"),
					.level = level_of(r)};

	if (!metric.level || strcmp(text_of(r, r->metric, "UnitOfMeasure"), "percent") != 0 ||
	    !is_name(metric.name) || ret->n == METRICS_MAX)
		return;
	metric.formula = read_formula(r);
	if (!metric.formula)
		return;
	metric.name = xstrdup(metric.name);
	metric.located = read_located(r);
	GROW(ret->list, ret->n, ret->cap);
	ret->list[ret->n++] = metric;
}

int topdown_table__read(struct topdown_table *ret, const struct event_db *db, int threads,
			struct err *err)
{
	struct reading r = {.db = db, .lib = jansson_load(), .threads = threads};
	json_error_t where;
	json_t *document;
	const json_t *all;

	*ret = (struct topdown_table){0};
	if (!db->metrics || !r.lib)
		return -ENOENT;
	document = r.lib->load_file(db->metrics, 0, &where);
	if (!document)
		return err__set(err, -EINVAL, "table of metrics: %.300s, line %d: %.200s",
				db->metrics, where.line, where.text);
	all = r.lib->object_get(document, "Metrics");
	for (size_t i = 0; i < r.lib->array_size(all); i++) {
		r.metric = r.lib->array_get(all, i);
		read_metric(ret, &r);
	}
	r.lib->delete (document);
	return 0;
}

void topdown_table__done(struct topdown_table *table)
{
	for (size_t i = 0; i < table->n; i++) {
		free(table->list[i].name);
		free(table->list[i].formula);
		free(table->list[i].located);
	}
	free(table->list);
}
