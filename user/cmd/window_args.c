// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/window_args.h"

#include <string.h>

#include "base/num.h"

/* Without a letter, apart from the options of the subcommands. */
enum { OPT_WINDOW = 4096, OPT_LONGER, OPT_AFTER, OPT_SLOWEST, OPT_SCOPE, OPT_RETURNS };

enum { MOST_SLOWEST = 10000 };

static const struct argp_option options[] = {
	{0, 0, 0, 0, "In which windows of a thread's time:", 4},
	{"window", OPT_WINDOW, "[NAME=]loop|run|syscall|u:FUNC|A..B", 0,
	 "Sample or count only in these: loop, from the end of a call that waits for work to the "
	 "next one; "
	 "syscall, in system calls, or in those of one name; run, from when a thread gets a CPU "
	 "until it loses it; u:FILE:FUNC, in calls of a function; f:FUNC or k:FUNC, of one of the "
	 "kernel's; A..B, from a tracepoint t:CATEGORY:NAME, a function u:FILE:NAME or an event's "
	 "overflow EVENT/period=N/, to another; "
	 "A..A opens and closes in turn",
	 0},
	{"longer", OPT_LONGER, "TIME", 0,
	 "Keep only what is of windows that turn out to last as long (50ms)", 0},
	{"after", OPT_AFTER, "TIME", 0, "Sample in a window only from so long after its beginning",
	 0},
	{"window-scope", OPT_SCOPE, "thread|process", 0,
	 "Whose time a window is: that of the thread that opened it (default), or that of all "
	 "threads of its process, until none of them has one open",
	 0},
	{"unsafe-return-probe", OPT_RETURNS, 0, 0,
	 "Of calls of a function: tell their ends by return probes, which cost less and "
	 "crash programs with exceptions",
	 0},
	{"slowest", OPT_SLOWEST, "N", 0, "Keep only the samples of the N longest windows", 0},
	{0},
};

static int parse_time(struct window_args *a, const char *option, const char *text, uint64_t *ret_ns)
{
	uint64_t ns;

	/* without a unit it could be anything */
	if (num__parse_time(text, 0, &ns) < 0 || !ns)
		return err__usage(
			a->err, "%s '%s': a time above 0 with its unit, such as 50ms, 200us or 1s",
			option, text);
	*ret_ns = ns;
	return 0;
}

static int parse_slowest(struct window_args *a, const char *text)
{
	int n;

	if (num__parse_int(text, 1, MOST_SLOWEST, &n) < 0)
		return err__usage(a->err, "--slowest '%s': a number of windows from 1 to %d", text,
				  MOST_SLOWEST);
	a->opts.slowest = (size_t)n;
	return 0;
}

static int parse_scope(struct window_args *a, const char *text)
{
	a->scoped = true;
	a->by_process = strcmp(text, "process") == 0;
	if (a->by_process || strcmp(text, "thread") == 0)
		return 0;
	return err__usage(a->err, "--window-scope '%s': it is thread or process", text);
}

static int parse_window(struct window_args *a, const char *text)
{
	if (a->spec.kind != WINDOW_NONE)
		return err__usage(a->err, "--window is given twice: one kind of window at a time");
	return window_spec__parse(&a->spec, "--window", false, text, a->err);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct window_args *a = state->input;

	switch (key) {
	case OPT_WINDOW:
		return -parse_window(a, arg);
	case OPT_LONGER:
		return -parse_time(a, "--longer", arg, &a->opts.longer_ns);
	case OPT_AFTER:
		return -parse_time(a, "--after", arg, &a->after_ns);
	case OPT_RETURNS:
		a->returns = true;
		return 0;
	case OPT_SCOPE:
		return -parse_scope(a, arg);
	case OPT_SLOWEST:
		return -parse_slowest(a, arg);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp window_argp = {.options = options, .parser = parse};

int window_args__check_alone(const struct window_args *a)
{
	const char *alone = a->opts.longer_ns ? "--longer" :
			    a->after_ns       ? "--after" :
			    a->opts.slowest   ? "--slowest" :
			    a->scoped         ? "--window-scope" :
						NULL;

	if (a->spec.kind == WINDOW_NONE && alone)
		return err__usage(
			a->err,
			"%s needs --window, which says what lasts so long (--window loop: "
			"between two waits for work)",
			alone);
	return 0;
}

int window_args__refine(const struct window_args *a, struct gates *gates)
{
	int r = a->returns ? gates__set_returns(gates, a->err) : 0;

	return r < 0 || !a->by_process ? r : gates__set_by_process(gates, a->err);
}

int window_args__check(struct window_args *a, const struct event_names *names)
{
	int r = window_args__check_alone(a);

	if (r == 0)
		r = gates__settle(&a->gates, &a->spec, names, a->after_ns, a->err);
	return r < 0 ? r : window_args__refine(a, &a->gates);
}

void window_args__done(struct window_args *a)
{
	gates__done(&a->gates);
	window_spec__done(&a->spec);
}
