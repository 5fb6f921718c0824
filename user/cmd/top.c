// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* pmubpf top: a recording that is looked at while it goes on. */
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/output.h"
#include "cmd/rows.h"
#include "cmd/top_batch.h"
#include "opener/opener.h"
#include "session/signals.h"

enum { BATCH_ROWS = 20 };

static struct top_view first_view(const struct top_args *a)
{
	return (struct top_view){
		.by = a->by,
		.sort = a->sort,
		.selection.focus = a->focus,
		.limit = a->limit >= 0 ? (size_t)a->limit :
			 a->json       ? 0 :
					 BATCH_ROWS,
		.width = terminal_width(),
		.color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR"),
	};
}

static int check_view(const struct top_args *a, const struct top_view *view, struct err *err)
{
	const struct event_list *events = &a->sampling.events;
	_cleanup_free_ const char **names = xcalloc(events->n, sizeof(*names));
	size_t n = 0;

	for (size_t i = 0; i < events->n; i++) {
		if (!events->events[i].added)
			names[n++] = events->events[i].name;
	}
	return top_view__check(view, names, n, err);
}

/* Each part as it comes; what remains at the end is the last one, so that all of them are all that
 * happened. */
static int show_parts(struct live *live, const struct top_args *a, const struct top_view *view,
		      struct err *err)
{
	int r = 0, n = 0;
	bool last;

	do {
		struct part part = {0};

		last = live__wait(live, -1) == LIVE_ENDED || ++n == a->n_parts;
		r = (last ? live__end : live__cut)(live, &part, err);
		if (r == 0)
			r = (a->json ? top__write_json : top__write_text)(&part, view, err);
		part__done(&part);
	} while (r == 0 && !last);
	return r;
}

static int run(const struct top_args *a, struct signals *signals, struct err *err)
{
	const struct top_view view = first_view(a);
	struct live *live;
	int r = check_view(a, &view, err), status;

	if (r == 0)
		r = live__open(&live, a, err);
	if (r < 0)
		return complain(err);
	r = show_parts(live, a, &view, err);
	if (a->sampling.session.whom.command)
		signals__release(signals); /* it may take for ever to end; all else is done */
	status = r < 0 ? complain(err) : live__status(live);
	live__free(live);
	return status;
}

int cmd_top(int argc, char **argv)
{
	_cleanup_(top_args__done) struct top_args args = {0};
	struct signals signals = {.fd = -1};
	struct opener *opener = NULL;
	struct err err = {.exit_code = EXIT_FAILED};
	int r = signals__catch(&signals, &err), status;

	if (r == 0)
		r = top_args__parse(&args, argc, argv, &err);
	if (r == 0)
		r = sampling_args__settle(&args.sampling, false, &err);
	args.sampling.session.signals = &signals;
	if (r == 0)
		r = opener__start(&opener, &err); /* before there is anything it must not have */
	if (r < 0)
		return complain(&err);
	args.sampling.session.opener = opener;
	status = run(&args, &signals, &err);
	opener__free(opener);
	return status;
}
