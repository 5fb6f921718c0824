// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "base/cleanup.h"
#include "render/code.h"
#include "render/json.h"
#include "render/report_head.h"

static const char *kind_key(enum prof_kind kind)
{
	switch (kind) {
	case PROF_USER:
		return "native";
	case PROF_KERNEL:
		return "kernel";
	case PROF_JIT:
		return "jit";
	case PROF_PYTHON:
		return "python";
	case PROF_SCRIPT:
		return "javascript";
	default:
		return NULL;
	}
}

/* What has no samples has empty lists. */
static void put_values(struct json *j, const struct code_view *v, const int64_t *values)
{
	const struct report *r = v->report;

	json__arr(j, "events");
	for (size_t i = 0; i < r->n_events && values; i++) {
		size_t type = report_event__type(&r->events[i]);

		json__obj(j, NULL);
		json__str(j, "event", r->events[i].name);
		report_event__json(&r->events[i], "self", values, j);
		if (v->points->sums[type])
			json__f64(j, "self_percent",
				  100 * (double)values[type] / (double)v->points->sums[type], 4);
		else
			json__null(j, "self_percent");
		json__end_obj(j);
	}
	json__end_arr(j);
	json__arr(j, "ratios");
	for (size_t i = 0; i < r->n_ratios && values; i++)
		report_ratio__json(r, &r->ratios[i], values, j);
	json__end_arr(j);
}

static void put_place(struct json *j, const struct code_view *v, const char *file, uint32_t line)
{
	_cleanup_free_ char *text = sources__line(v->sources, file, line);

	json__str(j, "file", file);
	if (line)
		json__u64(j, "line", line);
	else
		json__null(j, "line");
	json__str(j, "source", text);
}

static void put_lines(struct json *j, const struct code_view *v)
{
	json__arr(j, "lines");
	for (size_t i = 0; i < v->n_lines; i++) {
		json__obj(j, NULL);
		put_place(j, v, v->lines[i].file, v->lines[i].line);
		put_values(j, v, v->lines[i].values);
		json__end_obj(j);
	}
	json__end_arr(j);
}

static void put_inlined(struct json *j, const struct code_row *row)
{
	json__arr(j, "inlined");
	for (size_t i = 1; i < row->n_frames; i++)
		json__str(j, NULL, row->frames[i].function ? row->frames[i].function : "?");
	json__end_arr(j);
}

/* Where it leads is a distance, too; behind the function it is none, and its text has the name. */
static bool is_shown(const struct code_view *v, uint64_t target)
{
	return !v->base || (v->n && target >= v->base && target <= v->rows[v->n - 1].address);
}

static void put_row(struct json *j, const struct code_view *v, const struct code_row *row)
{
	json__obj(j, NULL);
	json__u64(j, "address", row->address - v->base);
	json__bool(j, "is_instruction", row->insn != NULL);
	json__str(j, "text", row->insn ? row->insn->text : NULL);
	if (row->insn && row->insn->target && is_shown(v, row->insn->target))
		json__u64(j, "target", row->insn->target - v->base);
	else
		json__null(j, "target");
	put_place(j, v, row->file, row->line);
	put_inlined(j, row);
	put_values(j, v, row->values);
	json__end_obj(j);
}

static void put_function(struct json *j, const struct code_view *v)
{
	const struct prof *p = v->report->prof;
	const struct code_function *f = v->function;

	json__obj(j, "function");
	json__str(j, "name", code_function__text(f, p));
	json__str(j, "module", prof__text(p, f->file));
	json__str(j, "build_id", f->build_id ? prof__text(p, f->build_id) : NULL);
	json__str(j, "kind", kind_key(f->kind));
	json__str(j, "read", v->path);
	put_values(j, v, v->points->sums);
	json__end_obj(j);
}

static void put_events(struct json *j, const struct code_view *v)
{
	const struct report *r = v->report;

	json__arr(j, "events");
	for (size_t i = 0; i < r->n_events; i++) {
		const struct prof_event *e = &r->events[i];

		json__obj(j, NULL);
		json__str(j, "event", e->name);
		json__str(j, "unit",
			  prof__text(r->prof, r->prof->types[report_event__type(e)].unit));
		json__str(j, "nearness", code_view__nearness(v, e));
		json__end_obj(j);
	}
	json__end_arr(j);
}

void code_view__json(const struct code_view *v, struct buf *out)
{
	_cleanup_(buf__done) struct buf notes = {0};
	const struct report *r = v->report;
	struct json j = {.out = out};

	report__begin_json(r, "annotate", &j);
	report__trouble_json(r, r->events, r->n_events, &j);
	put_events(&j, v);
	put_function(&j, v);
	put_lines(&j, v);
	json__arr(&j, "instructions");
	for (size_t i = 0; i < v->n && code_function__has_instructions(v->function); i++)
		put_row(&j, v, &v->rows[i]);
	json__end_arr(&j);
	buf__add(&notes, v->notes.data, v->notes.len);
	sources__notes(v->sources, &notes);
	json__lines(&j, "notes", notes.data);
	json__end_obj(&j);
}
