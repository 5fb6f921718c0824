// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/top_args.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "cmd/options.h"
#include "model/labels.h"
#include "prof/keys.h"

/* Options without a letter. */
enum {
	OPT_BY = 256,
	OPT_SORT,
	OPT_LIMIT,
	OPT_FOCUS,
	OPT_INLINE,
};

#define SECOND_NS 1000000000ULL
/* Below, more is spent on showing than on recording. */
#define LEAST_NS (SECOND_NS / 10)
#define MOST_NS (3600 * SECOND_NS)

/* "process, thread, …, " */
#define KEY_WORD(id, word) word ", "

static const struct argp_option options[] = {
	{0, 0, 0, 0, "What is shown:", 6},
	{"batch", 'b', 0, 0, "Plain lines for pipes, instead of a screen", 0},
	{"interval", 'I', "MS", 0,
	 "A part every MS milliseconds, or 2s, 1m; what is shown is of one part (default: 1s)", 0},
	{"ticks", 'n', "N", 0, "End after so many parts", 0},
	{"by", OPT_BY, "KEYS", 0,
	 PROF_KEYS(KEY_WORD) "or a label that record knows; several with commas: one within the "
			     "other; default: function",
	 0},
	{"sort", OPT_SORT, "WHAT", 0,
	 "self, total, EVENT, EVENT:total, or a word of --by (default: self of the first event)",
	 0},
	{"limit", OPT_LIMIT, "N", 0,
	 "With --batch: at most N rows within each row; 0: all (default: 20)", 0},
	{"focus", OPT_FOCUS, "RE", 0,
	 "Only samples with a function that matches the extended regular expression", 0},
	{"json", 'j', 0, 0, "With --batch: a line of JSON for each part", 0},
	{"inline", OPT_INLINE, 0, 0, "Calls that were inlined as functions; reads DWARF", 0},
	{"quiet", 'q', 0, 0, "Say nothing of the event that was chosen", 0},
	{0},
};

/* In milliseconds without a unit, as for stat. */
static int parse_interval(struct top_args *a, const char *text)
{
	if (num__parse_time(text, 1000000, &a->interval_ns) == 0 && a->interval_ns >= LEAST_NS &&
	    a->interval_ns <= MOST_NS)
		return 0;
	return err__usage(a->err, "-I '%s': milliseconds from 100, or a time up to 1h such as 2s",
			  text);
}

/* That the words are keys is asked of the profile. */
static int settle_by(struct top_args *a)
{
	_cleanup_free_ char *words = xstrdup(a->by);
	char *rest = words, *word;

	while ((word = strsep(&rest, ","))) {
		unsigned labels = label__of_word(word); /* of a process it always is */

		if (labels & (LABEL_DATA | LABEL_ADDR))
			return err__usage(a->err,
					  "--by '%s': what samples are about is looked at behind a "
					  "recording: `pmubpf record --data', and report",
					  word);
		sampling_args__want_label(&a->sampling, word);
		a->lines |= strcmp(word, "line") == 0;
	}
	return 0;
}

static int parse_option(struct top_args *a, int key, char *arg)
{
	switch (key) {
	case 'b':
		a->batch = true;
		return 0;
	case 'I':
		return parse_interval(a, arg);
	case 'n':
		if (num__parse_int(arg, 1, INT32_MAX, &a->n_parts) < 0)
			return err__usage(a->err, "-n '%s' is not a whole number above 0", arg);
		return 0;
	case OPT_BY:
		a->by = arg;
		return 0;
	case OPT_SORT:
		a->sort = arg;
		return 0;
	case OPT_LIMIT:
		if (num__parse_int(arg, 0, INT32_MAX, &a->limit) < 0)
			return err__usage(a->err, "--limit '%s' is not a whole number", arg);
		return 0;
	case OPT_FOCUS:
		a->focus = arg;
		return 0;
	case 'j':
		a->json = true;
		return 0;
	case OPT_INLINE:
		a->inlined = true;
		return 0;
	case 'q':
		a->sampling.quiet = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct top_args *a = state->input;
	int r;

	if (key == ARGP_KEY_INIT) {
		state->child_inputs[0] = &a->sampling;
		return 0;
	}
	r = parse_option(a, key, arg);
	return r == ARGP_ERR_UNKNOWN ? ARGP_ERR_UNKNOWN : -r;
}

static const struct argp_child children[] = {{.argp = &sampling_argp}, {0}};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.args_doc = "[[--] COMMAND [ARG…]]",
	.doc = "Show what a target does while it does it: functions, or whatever --by says, each "
	       "second.\v"
	       "Examples:\n"
	       "  pmubpf top\n"
	       "  pmubpf top --by process,function -p PID\n"
	       "  pmubpf top -b -n 5 -I 2s -e cycles,insts --container web\n\n"
	       "Without a target it is the whole system, without -e cycles where there is a PMU, "
	       "else cpu-clock.",
};

int top_args__parse(struct top_args *a, int argc, char **argv, struct err *err)
{
	int r;

	*a = (struct top_args){.interval_ns = SECOND_NS, .by = "function", .limit = -1, .err = err};
	sampling_args__init(&a->sampling, err);
	a->sampling.session.labels = LABEL_PID | LABEL_CGROUP | LABEL_UNWIND_STATUS | LABEL_WINDOW;
	r = options__parse(&argp, argc, argv, ARGP_IN_ORDER, a);
	if (r == 0)
		r = settle_by(a);
	a->sampling.session.lines = a->lines;
	a->sampling.target.all |= !target_args__any(&a->sampling.target);
	/* stdout carries the rows and nothing else, or the command's words */
	if (r == 0)
		r = sampling_args__read(&a->sampling, true);
	return r < 0 ? r : sampling_args__check(&a->sampling, "top");
}

void top_args__done(struct top_args *a)
{
	sampling_args__done(&a->sampling);
}
