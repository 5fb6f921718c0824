// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What is shown is made anew of the part each time that something changes. A row is found again in
 * the next part by its place, not by its name: the eye follows the list.
 */
#include "cmd/top_screen.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/top_batch.h"
#include "render/escape.h"
#include "screen/terminal.h"

enum {
	HEAD_LINES = 2,  /* the part; the view */
	TITLE_LINES = 2, /* of the table */
	FOOT_LINES = 1,  /* keys, what is typed, what was said */
	MOST_ROWS = 250, /* within each row: who filters gets all */
};

static const char keys_line[] =
	"q quit  enter in  bksp back  c callers  e callees  f/p/t func/proc/cont  ? more";
static const char *const help_lines[] = {
	"up down pgup pgdn home end   move (also j k g G)",
	"enter right   into a process, thread or container; of a function: its callers",
	"c e           callers, callees of a function, as a tree",
	"bksp left     back; esc: all rows again, then back",
	"f p t         functions, processes, containers; b: by anything (as --by)",
	"s             sort by the next column: self, total, and so on of each event",
	"/             only rows whose name has that text",
	"space         freeze, and go on",
	"w             write what is shown: FILE.pb.gz, FILE.html, …",
	"q             quit (any key leaves this help)",
};

/* ---- rows */

static bool row_matches(const struct group *g, uint32_t row, const char *filter)
{
	return strcasestr(group__text(g, g->rows[row].text), filter) ||
	       (g->rows[row].module && strcasestr(group__text(g, g->rows[row].module), filter));
}

/* Those that match, and what they are within. */
static void filter_rows(struct top_screen *s, const char *filter)
{
	struct group *g = s->rows.group;
	_cleanup_free_ bool *keep = xcalloc(g->n_rows, sizeof(*keep));
	size_t n = 0;

	if (!*filter)
		return;
	for (size_t i = 0; i < g->n_order; i++) {
		if (!row_matches(g, g->order[i], filter))
			continue;
		for (uint32_t row = g->order[i]; row && !keep[row]; row = g->rows[row].parent)
			keep[row] = true;
	}
	for (size_t i = 0; i < g->n_order; i++) {
		if (keep[g->order[i]])
			g->order[n++] = g->order[i];
	}
	g->n_order = n;
	g->n_hidden = 0;
}

void top_screen__say_error(struct top_screen *s, const struct err *err)
{
	buf__clear(&s->message);
	escape_line(&s->message, err->text);
}

void top_screen__make_rows(struct top_screen *s)
{
	struct level *l = levels__now(&s->levels);
	struct err err = {0};
	unsigned lines, columns;

	top_rows__done(&s->rows);
	buf__clear(&s->text);
	s->n_rows = 0;
	if (!s->part.number)
		return;
	terminal_size(&lines, &columns);
	l->view.width = columns > 2 ? columns - 2 : columns;
	l->view.limit = *l->filter ? 0 : MOST_ROWS;
	if (top_rows__make(&s->rows, &l->view, s->part.prof, &err) < 0) {
		top_screen__say_error(s, &err);
		return;
	}
	filter_rows(s, l->filter);
	report__table(&s->rows.report, &s->text);
	if (s->rows.report.prof->n_samples)
		s->n_rows = s->rows.group->n_order;
	if (l->cursor >= s->n_rows)
		l->cursor = s->n_rows ? s->n_rows - 1 : 0;
}

/* ---- what is put */

static void put_view(const struct top_screen *s, struct buf *out)
{
	const struct level *l = &s->levels.list[s->levels.n - 1];

	buf__puts(out, s->ended ? "ENDED  by " : s->frozen ? "FROZEN  by " : "by ");
	escape_line(out, l->view.by);
	buf__puts(out, "  sorted by ");
	escape_line(out, l->view.sort ? l->view.sort : "self");
	if (*l->filter) {
		buf__puts(out, "  /");
		escape_line(out, l->filter);
	}
	if (*l->title) {
		buf__puts(out, "  in ");
		escape_line(out, l->title);
	}
}

static void put_foot(const struct top_screen *s, struct buf *out)
{
	static const char *const questions[] = {
		[ASK_FILTER] = "rows with: ",
		[ASK_BY] = "by: ",
		[ASK_FILE] = "write to (.pb.gz, .html, …): ",
	};

	if (s->question) {
		buf__puts(out, questions[s->question]);
		escape_line(out, s->input);
		buf__putc(out, '_');
	} else if (s->message.len) {
		buf__add(out, s->message.data, s->message.len);
	} else {
		buf__puts(out,
			  s->ended ? "the target has ended; q quits, ? tells the keys" : keys_line);
	}
}

static void put_head(const struct top_screen *s)
{
	_cleanup_(buf__done) struct buf line = {0};

	if (s->part.number)
		top__put_head(&s->part, &line);
	else
		buf__puts(&line, "the first part is being recorded");
	terminal_line(0, line.data, TERMINAL_BOLD);
	buf__clear(&line);
	put_view(s, &line);
	terminal_line(1, line.data, TERMINAL_PLAIN);
}

unsigned top_screen_room(void)
{
	unsigned lines, columns, used = HEAD_LINES + TITLE_LINES + FOOT_LINES;

	terminal_size(&lines, &columns);
	return lines > used ? lines - used : 1;
}

/* The cursor stays in sight. */
static void scroll(struct top_screen *s)
{
	struct level *l = levels__now(&s->levels);
	size_t room = top_screen_room();

	if (l->cursor < l->first)
		l->first = l->cursor;
	if (l->cursor >= l->first + room)
		l->first = l->cursor - room + 1;
}

/* From the table's lines: its titles, and of its rows those in sight. The row that it is on has a
 * mark, too, for terminals that can't show it otherwise. Returns the line after them. */
static unsigned put_table(const struct top_screen *s)
{
	const struct level *l = &s->levels.list[s->levels.n - 1];
	size_t room = top_screen_room(), number = 0;
	unsigned line = HEAD_LINES;
	char *at = s->text.data;

	for (; at && *at; number++) {
		size_t len = strcspn(at, "\n"), row = number - TITLE_LINES;
		bool title = number < TITLE_LINES, here = !title && row == l->cursor && s->n_rows;
		_cleanup_free_ char *text = xasprintf("%s%.*s", here ? "> " : "  ", (int)len, at);

		at += len + (at[len] == '\n');
		if (!title && (row < l->first || row >= l->first + room))
			continue;
		terminal_line(line++, text,
			      title ? TERMINAL_BOLD :
			      here  ? TERMINAL_REVERSE :
				      TERMINAL_PLAIN);
	}
	if (s->text.len && !s->n_rows && s->rows.report.prof->n_samples)
		terminal_line(line++,
			      *l->filter ? "  no row has that text" :
					   "  no sample of it in this part",
			      TERMINAL_PLAIN);
	return line;
}

static unsigned put_help(void)
{
	unsigned line = HEAD_LINES;

	for (size_t i = 0; i < ARRAY_SIZE(help_lines); i++)
		terminal_line(line++, help_lines[i], TERMINAL_PLAIN);
	return line;
}

void top_screen__draw(struct top_screen *s)
{
	_cleanup_(buf__done) struct buf foot = {0};
	unsigned lines, columns, line;

	terminal_size(&lines, &columns);
	scroll(s);
	put_head(s);
	line = s->help ? put_help() : put_table(s);
	for (; line + FOOT_LINES < lines; line++)
		terminal_line(line, "", TERMINAL_PLAIN);
	put_foot(s, &foot);
	terminal_line(lines - FOOT_LINES, foot.data, TERMINAL_PLAIN);
	terminal_show(lines);
}

void top_screen__say(struct top_screen *s, const char *text)
{
	buf__clear(&s->message);
	buf__puts(&s->message, text);
}

void top_screen__init(struct top_screen *s, const struct top_view *view)
{
	*s = (struct top_screen){0};
	levels__init(&s->levels, view);
}

void top_screen__take_part(struct top_screen *s, struct part *part)
{
	top_rows__done(&s->rows); /* they are of the part before */
	part__done(&s->part);
	s->part = *part;
	*part = (struct part){0};
	top_screen__make_rows(s);
}

void top_screen__done(struct top_screen *s)
{
	top_rows__done(&s->rows);
	part__done(&s->part);
	levels__done(&s->levels);
	buf__done(&s->text);
	buf__done(&s->message);
}
