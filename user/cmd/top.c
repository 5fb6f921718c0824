// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* pmubpf top: a recording that is looked at while it goes on. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/output.h"
#include "cmd/rows.h"
#include "cmd/top_run.h"
#include "model/labels.h"
#include "opener/opener.h"
#include "screen/terminal.h"
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
		.width = terminal_width(stdout),
		.color = a->batch && isatty(STDOUT_FILENO) && !getenv("NO_COLOR"),
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

/* A screen, if there may and can be one. */
static void choose_screen(struct top_args *a)
{
	struct err err = {0};

	a->batch |= a->json || !isatty(STDOUT_FILENO);
	if (a->batch || terminal_open(&err) == 0)
		return;
	a->batch = true;
	if (!a->sampling.quiet)
		fprintf(stderr, "pmubpf: plain lines, because %s\n", err.text);
}

/* What a command or a library says there would be in the middle of the screen. */
static int silence_stderr(void)
{
	_cleanup_close_ int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int before = null >= 0 ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0) : -1;

	if (before >= 0)
		dup2(null, STDERR_FILENO);
	return before;
}

static void end_screen(int *before)
{
	terminal_close();
	if (*before >= 0)
		dup2(*before, STDERR_FILENO);
	cleanup_close(before);
	*before = -1;
}

static int show(struct live **ret, const struct top_args *a, char **argv, struct err *err)
{
	const struct top_view view = first_view(a);
	const struct live_opts opts = {
		.sampling = &a->sampling,
		.part_ns = a->interval_ns,
		.inlined = a->inlined,
		.lines = a->lines,
	};
	_cleanup_(end_screen) int before = a->batch ? -1 : silence_stderr();
	int r = live__open(ret, &opts, err);

	if (r < 0)
		return r;
	return a->batch ? top__in_lines(*ret, a, &view, err) :
			  top__on_screen(*ret, a, &view, argv + 1, err);
}

static int run(struct top_args *a, char **argv, struct signals *signals, struct err *err)
{
	const struct top_view view = first_view(a);
	struct live *live = NULL;
	int r = check_view(a, &view, err), status;

	if (r == 0) {
		choose_screen(a);
		r = show(&live, a, argv, err);
	}
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
	status = run(&args, argv, &signals, &err);
	opener__free(opener);
	return status;
}
