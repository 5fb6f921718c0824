// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/top_run.h"

#include <poll.h>
#include <signal.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/top_batch.h"
#include "cmd/top_keys.h"
#include "screen/terminal.h"
#include "session/signals.h"

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

/* The last part stays to be looked at, until a key or a signal ends it. */
static void stay(struct top_screen *s, const struct signals *signals)
{
	struct pollfd fds[] = {{.fd = terminal_fd(), .events = POLLIN},
			       {.fd = signals->fd, .events = POLLIN}};
	int signal = 0;

	s->ended = true;
	while (!s->quit && (!signal || signal == SIGCHLD)) {
		top_screen__draw(s);
		(void)poll(fds, ARRAY_SIZE(fds), -1);
		top_keys__take(s);
		signal = signals__next(signals);
	}
}

/* Too short to tell more than the part before. */
static bool is_scrap(const struct part *rest, const struct part *before)
{
	return before->number &&
	       2 * (rest->end_ns - rest->begin_ns) < before->end_ns - before->begin_ns;
}

static int finish(struct live *live, struct top_screen *s, const struct signals *signals,
		  struct err *err)
{
	bool stays = live__target_ended(live);
	struct part rest;
	int r;

	if (!stays)
		terminal_close();
	r = live__end(live, &rest, err);
	if (stays) {
		if (!s->frozen && !is_scrap(&rest, &s->part))
			top_screen__take_part(s, &rest);
		stay(s, signals);
		terminal_close();
	}
	part__done(&rest);
	return r;
}

int top__on_screen(struct live *live, const struct top_args *args, const struct top_view *view,
		   char *const *words, struct err *err)
{
	_cleanup_(top_screen__done) struct top_screen s;
	int r = 0, n = 0, end;

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
	end = finish(live, &s, args->sampling.session.signals, r == 0 ? err : NULL);
	return r < 0 ? r : end;
}
