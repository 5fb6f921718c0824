// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/top_run.h"

#include "base/cleanup.h"
#include "cmd/top_batch.h"
#include "cmd/top_keys.h"
#include "screen/terminal.h"

int top__in_lines(struct live *live, const struct top_args *a, const struct top_view *view,
		  struct err *err)
{
	int r = 0, n = 0;
	bool last;

	do {
		struct part part = {0};

		last = live__wait(live, -1) == CUTTING_ENDED || ++n == a->n_parts;
		r = (last ? live__end : live__cut)(live, &part, err);
		if (r == 0)
			r = (a->json ? top__write_json : top__write_text)(&part, view, err);
		part__done(&part);
	} while (r == 0 && !last);
	return r;
}

/* What comes while it is frozen goes by. */
static int next_part(struct live *live, struct top_screen *s, struct err *err)
{
	struct part part;
	int r = live__cut(live, &part, err);

	if (r == 0 && !s->frozen)
		top_screen__take_part(s, &part);
	part__done(&part);
	return r;
}

int top__on_screen(struct live *live, const struct top_args *args, const struct top_view *view,
		   char *const *words, struct err *err)
{
	_cleanup_(top_screen__done) struct top_screen s;
	struct part rest;
	int r = 0, n = 0;

	top_screen__init(&s, view);
	s.words = words;
	while (r == 0 && !s.quit && (!args->n_parts || n < args->n_parts)) {
		enum cutting_news news;

		top_screen__draw(&s);
		news = live__wait(live, terminal_fd());
		if (news == CUTTING_ENDED)
			break;
		if (news == CUTTING_INPUT)
			top_keys__take(&s);
		else
			r = next_part(live, &s, err);
		n += news == CUTTING_DUE;
	}
	terminal_close();
	live__end(live, &rest, r == 0 ? err : NULL);
	part__done(&rest);
	return r;
}
