// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/top_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/top_save.h"
#include "render/escape.h"
#include "screen/terminal.h"

static void move(struct top_screen *s, int key)
{
	struct level *l = levels__now(&s->levels);
	size_t page = top_screen_room(), last = s->n_rows ? s->n_rows - 1 : 0;

	switch (key) {
	case TERMINAL_UP:
	case 'k':
		l->cursor -= l->cursor > 0;
		break;
	case TERMINAL_DOWN:
	case 'j':
		l->cursor += l->cursor < last;
		break;
	case TERMINAL_PAGE_UP:
		l->cursor -= l->cursor < page ? l->cursor : page;
		break;
	case TERMINAL_PAGE_DOWN:
		l->cursor = l->cursor + page > last ? last : l->cursor + page;
		break;
	case TERMINAL_HOME:
	case 'g':
		l->cursor = 0;
		break;
	default:
		l->cursor = last;
	}
}

typedef bool (*go_fn)(struct levels *levels, const struct top_rows *rows, uint32_t row);

static void go(struct top_screen *s, go_fn where)
{
	size_t at = levels__now(&s->levels)->cursor;

	if (at >= s->n_rows)
		return;
	if (where(&s->levels, &s->rows, s->rows.group->order[at]))
		top_screen__make_rows(s);
	else
		top_screen__say(s, "there is nothing in this row to go into");
}

static void back(struct top_screen *s)
{
	if (levels__back(&s->levels))
		top_screen__make_rows(s);
}

/* self, total, and both of each further event. */
static void sort_by_next(struct top_screen *s)
{
	const struct report *r = &s->rows.report;

	if (!r->n_events)
		return;
	s->order = (s->order + 1) % (2 * r->n_events);
	snprintf(s->sort, sizeof(s->sort), "%s%s", r->events[s->order / 2].name,
		 s->order % 2 ? ":total" : "");
	for (size_t i = 0; i < s->levels.n; i++)
		s->levels.list[i].view.sort = s->sort;
	top_screen__make_rows(s);
}

static void by(struct top_screen *s, const char *words)
{
	struct err err = {0};
	struct prof_key *keys;
	size_t n;

	if (!s->part.number)
		return;
	if (prof_keys__parse(&keys, &n, words, s->part.prof, &err) < 0) {
		top_screen__say_error(s, &err);
		return;
	}
	prof_keys__free(keys, n);
	levels__by(&s->levels, words);
	top_screen__make_rows(s);
}

static void save(struct top_screen *s, const char *path)
{
	struct err err = {0};
	struct prof *shown = s->rows.selected ? s->rows.selected : s->part.prof;

	if (!s->part.number || !*path)
		return;
	if (top__save(path, shown, s->words, &err) < 0) {
		top_screen__say_error(s, &err);
		return;
	}
	top_screen__say(s, "written: ");
	escape_line(&s->message, path);
}

static void answer(struct top_screen *s)
{
	enum question question = s->question;

	s->question = ASK_NOTHING;
	if (question == ASK_BY && *s->input)
		by(s, s->input);
	else if (question == ASK_FILE)
		save(s, s->input);
	else if (question == ASK_FILTER)
		top_screen__make_rows(s);
}

static void filter(struct top_screen *s, const char *text)
{
	struct level *l = levels__now(&s->levels);

	free(l->filter);
	l->filter = xstrdup(text);
	top_screen__make_rows(s);
}

static void set_filter(struct top_screen *s)
{
	if (s->question == ASK_FILTER)
		filter(s, s->input);
}

static void type(struct top_screen *s, int key)
{
	size_t len = strlen(s->input);

	if (key == TERMINAL_ENTER) {
		answer(s);
		return;
	}
	if (key == TERMINAL_ESCAPE) {
		s->input[0] = '\0';
		set_filter(s);
		s->question = ASK_NOTHING;
		return;
	}
	if (key == TERMINAL_BACKSPACE && len)
		s->input[len - 1] = '\0';
	else if (key >= ' ' && key < TERMINAL_BACKSPACE && len + 1 < sizeof(s->input))
		memcpy(s->input + len, (char[]){(char)key, '\0'}, 2);
	set_filter(s);
}

static void ask(struct top_screen *s, enum question question)
{
	s->question = question;
	s->input[0] = '\0';
}

static void command(struct top_screen *s, int key)
{
	switch (key) {
	case 'q':
		s->quit = true;
		break;
	case TERMINAL_ENTER:
	case TERMINAL_RIGHT:
		go(s, levels__into);
		break;
	case 'c':
		go(s, levels__callers);
		break;
	case 'e':
		go(s, levels__callees);
		break;
	case TERMINAL_ESCAPE:
		if (*levels__now(&s->levels)->filter) {
			filter(s, "");
			break;
		}
		/* fall through */
	case TERMINAL_BACKSPACE:
	case TERMINAL_LEFT:
		back(s);
		break;
	case 'f':
		by(s, "function");
		break;
	case 'p':
		by(s, "process");
		break;
	case 't':
		by(s, "container");
		break;
	case 'b':
		ask(s, ASK_BY);
		break;
	case 's':
		sort_by_next(s);
		break;
	case '/':
		ask(s, ASK_FILTER);
		break;
	case ' ':
		s->frozen = !s->frozen;
		break;
	case 'w':
		ask(s, ASK_FILE);
		break;
	default:
		move(s, key);
	}
}

static bool moves(int key)
{
	return (key >= TERMINAL_UP && key <= TERMINAL_DOWN) ||
	       (key >= TERMINAL_PAGE_UP && key <= TERMINAL_END) ||
	       (key < TERMINAL_BACKSPACE && strchr("jkgG", key));
}

static void press(struct top_screen *s, int key)
{
	buf__clear(&s->message);
	if (key == TERMINAL_GONE) {
		s->quit = true;
	} else if (key == TERMINAL_RESIZED) {
		top_screen__make_rows(s);
	} else if (s->question) {
		type(s, key);
	} else if (s->help || key == '?') {
		s->help = !s->help;
	} else if (moves(key) || key < TERMINAL_UP || key == TERMINAL_LEFT ||
		   key == TERMINAL_RIGHT) {
		command(s, key);
	}
}

void top_keys__take(struct top_screen *s)
{
	int key;

	while (!s->quit && (key = terminal_key()))
		press(s, key);
}
