// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is size: a function may have 60,000 instructions, and each of them a path. So rows
 * far from samples are numbers, paths are listed once, and a line of a source is there once.
 */
#include "render/html_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "model/intern.h"
#include "prof/frames.h"

enum { SOURCE_LINE_MAX = 400 };

struct place {
	uint32_t file, line; /* a number of files; 0: not known */
};

struct writer {
	const struct code_view *v;
	struct json *j;
	bool *shown;
	struct intern files, places;
	struct jumps jumps;
};

static uint32_t file_number(struct writer *w, const char *file)
{
	return file ? intern__add(&w->files, file, strlen(file) + 1) : 0;
}

static void put_values(struct json *j, const char *key, const int64_t *values, size_t n)
{
	json__arr(j, key);
	for (size_t i = 0; i < n; i++)
		json__i64(j, NULL, values[i]);
	json__end_arr(j);
}

/* "inner in outer", innermost first. */
static void put_inlined(struct json *j, const struct code_row *row)
{
	_cleanup_(buf__done) struct buf text = {0};

	for (size_t i = row->n_frames; i > 1; i--) {
		const char *name = row->frames[i - 1].function;

		buf__puts(&text, text.len ? " in " : "");
		buf__puts(&text, name ? name : "?");
	}
	json__str(j, NULL, text.len ? text.data : "");
}

static void put_row(struct writer *w, size_t i)
{
	const struct code_row *row = &w->v->rows[i];
	_cleanup_(buf__done) struct buf jumps = {0};
	const struct place place = {file_number(w, row->file), row->line};

	if (w->jumps.n)
		jumps__draw(&w->jumps, i, &jumps);
	if (place.file && place.line)
		intern__add(&w->places, &place, sizeof(place));
	json__arr(w->j, NULL);
	json__u64(w->j, NULL, row->address - w->v->base);
	json__str(w->j, NULL, !row->insn ? NULL : row->insn->text ? row->insn->text : "");
	json__str(w->j, NULL, jumps.len ? jumps.data : "");
	json__u64(w->j, NULL, place.file);
	json__u64(w->j, NULL, place.line);
	put_inlined(w->j, row);
	if (row->values)
		put_values(w->j, NULL, row->values, w->v->report->prof->n_types);
	else
		json__u64(w->j, NULL, 0);
	json__end_arr(w->j);
}

static void put_rows(struct writer *w)
{
	json__arr(w->j, "rows");
	for (size_t i = 0; i < w->v->n;) {
		size_t left_out = 0;

		if (w->shown[i]) {
			put_row(w, i++);
			continue;
		}
		for (; i < w->v->n && !w->shown[i]; i++)
			left_out++;
		json__u64(w->j, NULL, left_out);
	}
	json__end_arr(w->j);
}

/* What of it there is in the folder that was named. */
static void put_source(struct writer *w)
{
	json__arr(w->j, "source");
	for (uint32_t i = 1; w->v->sources->dir && i < intern__count(&w->places); i++) {
		size_t size;
		const struct place *place = intern__get(&w->places, i, &size);
		const char *file = intern__get(&w->files, place->file, &size);
		_cleanup_free_ char *text = sources__line(w->v->sources, file, place->line);

		if (!text || !*text)
			continue;
		if (strlen(text) > SOURCE_LINE_MAX)
			text[SOURCE_LINE_MAX] = '\0';
		json__arr(w->j, NULL);
		json__u64(w->j, NULL, place->file);
		json__u64(w->j, NULL, place->line);
		json__str(w->j, NULL, text);
		json__end_arr(w->j);
	}
	json__end_arr(w->j);
}

static void put_files(struct writer *w)
{
	json__arr(w->j, "files");
	json__str(w->j, NULL, "");
	for (uint32_t i = 1; i < intern__count(&w->files); i++) {
		size_t size;

		json__str(w->j, NULL, intern__get(&w->files, i, &size));
	}
	json__end_arr(w->j);
}

static void put_events(struct writer *w)
{
	const struct report *r = w->v->report;

	json__arr(w->j, "events");
	for (size_t i = 0; i < r->n_events; i++) {
		json__obj(w->j, NULL);
		json__str(w->j, "event", r->events[i].name);
		json__str(w->j, "nearness", code_view__nearness(w->v, &r->events[i]));
		json__end_obj(w->j);
	}
	json__end_arr(w->j);
}

/* As render/tree.c names it. */
static void put_function(struct writer *w)
{
	const struct prof *p = w->v->report->prof;
	const struct code_function *f = w->v->function;
	const struct prof_frame frame = {
		.location = w->v->points->list[0].location,
		.kind = f->kind,
	};
	_cleanup_(buf__done) struct buf module = {0};

	prof_frame__put_module_name(&frame, p, &module);
	json__str(w->j, "name", prof__text(p, f->name));
	json__str(w->j, "module", module.len ? module.data : "");
	json__str(w->j, "file", prof__text(p, f->source));
	json__u64(w->j, "kind", f->kind);
	json__str(w->j, "read", w->v->path);
	json__str(w->j, "build_id", f->build_id ? prof__text(p, f->build_id) : NULL);
	json__bool(w->j, "base", w->v->base != 0);
}

static void put_notes(struct writer *w)
{
	_cleanup_(buf__done) struct buf notes = {0};

	buf__add(&notes, w->v->notes.data, w->v->notes.len);
	sources__notes(w->v->sources, &notes);
	json__lines(w->j, "notes", notes.len ? notes.data : NULL);
}

void html_code__put(const struct code_view *v, struct json *j)
{
	struct writer w = {.v = v, .j = j};
	const struct code_rows rows = {.list = v->rows, .n = v->n};

	w.shown = code_rows__shown(&rows);
	code_rows__jumps(&rows, w.shown, &w.jumps);
	json__obj(j, NULL);
	put_function(&w);
	put_events(&w);
	put_values(j, "sums", v->points->sums, v->report->prof->n_types);
	put_rows(&w);
	put_source(&w); /* whose notes are known then */
	put_files(&w);
	put_notes(&w);
	json__end_obj(j);
	jumps__done(&w.jumps);
	intern__done(&w.files);
	intern__done(&w.places);
	free(w.shown);
}
