// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Instructions in the order of their addresses, with the source line above them where it changes.
 * What is far from anything that counts is one line, so that the hot places of a long function are
 * seen.
 */
#include "render/code_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/text.h"
#include "render/escape.h"
#include "render/report_head.h"

enum {
	NEAR_ROWS = 8, /* shown on either side of one that counts */
	SOURCE_BYTES = 400,
	TAB = 8,
};

struct table {
	const struct code_rows *rows;
	struct buf *out;
	bool *shown;
	struct jumps jumps;
};

static void put_cells(const struct table *t, const struct code_row *row)
{
	t->rows->put_cells(t->rows->ctx, row, t->out);
}

struct code_row code_row__of(const struct listing *l, const struct listing_row *insn)
{
	const struct listing_frame *frames = &l->frames[insn->first_frame];
	const struct listing_frame *last = &frames[insn->n_frames - 1];

	return (struct code_row){
		.address = l->vaddr + insn->at,
		.insn = insn,
		.file = last->file,
		.line = last->line,
		.frames = frames,
		.n_frames = insn->n_frames,
	};
}

/* Tabs are blanks; what is long is cut. */
static void put_source(const char *text, struct buf *out)
{
	_cleanup_(buf__done) struct buf plain = {0}, safe = {0};

	for (const char *at = text; *at && plain.len < SOURCE_BYTES; at++) {
		if (*at == '\t')
			buf__printf(&plain, "%*s", (int)(TAB - plain.len % TAB), "");
		else
			buf__putc(&plain, *at);
	}
	if (!plain.len)
		return;
	escape_line(&safe, plain.data);
	buf__printf(out, "  %s", safe.data);
}

void code_place__text(struct sources *sources, const char *file, uint32_t line, struct buf *out)
{
	_cleanup_free_ char *text = sources__line(sources, file, line);

	if (!file || !line) {
		buf__puts(out, "(line not known)");
		return;
	}
	escape_name(out, base_name(file));
	buf__printf(out, ":%" PRIu32, line);
	if (text)
		put_source(text, out);
}

bool *code_rows__shown(const struct code_rows *v)
{
	bool *shown = xcalloc(v->n, sizeof(*shown));

	for (size_t i = 0; i < v->n; i++) {
		size_t from = i > NEAR_ROWS ? i - NEAR_ROWS : 0;

		for (size_t k = from; k < v->n && k <= i + NEAR_ROWS && v->list[i].values; k++)
			shown[k] = true;
		shown[i] |= v->all;
	}
	return shown;
}

static bool find_row(const struct code_rows *v, uint64_t address, size_t *ret)
{
	size_t low = FIRST_INDEX(i, v->n, v->list[i].address >= address);

	while (low < v->n && v->list[low].address == address && !v->list[low].insn)
		low++;
	*ret = low;
	return low < v->n && v->list[low].address == address;
}

void code_rows__jumps(const struct code_rows *v, const bool *shown, struct jumps *ret)
{
	*ret = (struct jumps){0};
	for (size_t i = 0; i < v->n; i++) {
		const struct listing_row *insn = v->list[i].insn;
		size_t to;

		if (insn && insn->flow == LISTING_JUMP && insn->target &&
		    find_row(v, insn->target, &to) && to != i && (shown[i] || shown[to]))
			jumps__add(ret, i, to);
	}
	jumps__settle(ret);
}

static bool same_place(const struct code_row *a, const struct code_row *b)
{
	return a->line == b->line && a->n_frames == b->n_frames &&
	       (a->frames == b->frames || (a->n_frames < 2 && a->file == b->file));
}

/* The line that follows, and the calls that were inlined there, innermost first. */
static void put_heading(const struct table *t, const struct code_row *row)
{
	put_cells(t, NULL);
	code_place__text(t->rows->sources, row->file, row->line, t->out);
	for (size_t i = row->n_frames; i > 1; i--) {
		const char *name = row->frames[i - 1].function;

		buf__puts(t->out, i == row->n_frames ? "  (inlined: " : " in ");
		escape_name(t->out, name ? name : "?");
	}
	buf__puts(t->out, row->n_frames > 1 ? ")\n" : "\n");
}

static void put_row(const struct table *t, size_t i)
{
	const struct code_row *row = &t->rows->list[i];

	put_cells(t, row);
	buf__printf(t->out, "%8" PRIx64 " ", row->address - t->rows->base);
	jumps__draw(&t->jumps, i, t->out);
	buf__putc(t->out, ' ');
	if (row->insn && row->insn->text)
		escape_line(t->out, row->insn->text);
	else if (!row->insn && t->rows->path)
		buf__puts(t->out, "(no instruction begins here)");
	while (t->out->data[t->out->len - 1] == ' ')
		t->out->data[--t->out->len] = '\0';
	buf__putc(t->out, '\n');
}

static size_t put_gap(const struct table *t, size_t i)
{
	size_t end = i;

	while (end < t->rows->n && !t->shown[end])
		end++;
	put_cells(t, NULL);
	buf__printf(t->out, "%8s ", "…");
	if (i)
		jumps__draw_between(&t->jumps, i - 1, t->out);
	else
		buf__printf(t->out, "%*s", JUMPS_WIDTH, "");
	buf__printf(t->out, " %zu instructions without %s nearby (--all)\n", end - i, t->rows->far);
	return end;
}

static void put_rows(struct table *t)
{
	const struct code_row *before = NULL;

	for (size_t i = 0; i < t->rows->n;) {
		const struct code_row *row = &t->rows->list[i];

		if (!t->shown[i]) {
			i = put_gap(t, i);
			before = NULL;
			continue;
		}
		if (!before || !same_place(before, row))
			put_heading(t, row);
		put_row(t, i++);
		before = row;
	}
}

/* As it is: a name isn't a part of a folded line here. */
void code_head__line(const char *key, const char *text, struct buf *out)
{
	report__put_key(key, out);
	escape_line(out, text);
	buf__putc(out, '\n');
}

/* Each line of the notes on its own. */
void code_head__notes(const struct buf *notes, struct buf *out)
{
	for (const char *at = notes->data; at && *at;) {
		_cleanup_free_ char *line = xstrndup(at, strcspn(at, "\n"));

		code_head__line("note", line, out);
		at += strlen(line);
		at += *at == '\n';
	}
}

void code_rows__text(const struct code_rows *rows, struct buf *out)
{
	struct table t = {.rows = rows, .out = out, .shown = code_rows__shown(rows)};

	code_rows__jumps(rows, t.shown, &t.jumps);
	put_rows(&t);
	jumps__done(&t.jumps);
	free(t.shown);
}
