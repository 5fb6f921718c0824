// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/diff_args.h"

#include <argp.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/profiles.h"

/* Options without a letter. */
enum {
	OPT_BY = 256,
	OPT_STACKS,
	OPT_TOTAL,
	OPT_NORMALIZE,
	OPT_LIMIT,
	OPT_MIN_SHARE,
	OPT_FAIL_ABOVE,
	OPT_FOCUS,
	OPT_IGNORE,
	OPT_LABEL,
	OPT_FOLDED,
	OPT_HTML,
	OPT_MAX_SIZE,
};

static const struct argp_option options[] = {
	{0, 0, 0, 0, "What to compare:", 1},
	{"event", 'e', "NAME", 0, "The event (default: the first)", 0},
	{"by", OPT_BY, "KEYS", 0, "As for report (default: function)", 0},
	{"total", OPT_TOTAL, 0, 0, "With what is called: totals, not self", 0},
	{"stacks", OPT_STACKS, 0, 0, "Whole stacks", 0},
	{"normalize", OPT_NORMALIZE, "WHAT", 0,
	 "Measured against: event, its own total (the default); time, the duration; samples; "
	 "F=NAME, the total of a "
	 "function; OLD:NEW, two numbers, as of requests served",
	 0},
	{"focus", OPT_FOCUS, "RE", 0, "Samples with a function that matches", 0},
	{"ignore", OPT_IGNORE, "RE", 0, "Samples with no function that matches", 0},
	{"label", OPT_LABEL, "KEY=VALUE", 0, "Samples with this label", 0},
	{0, 0, 0, 0, "Output:", 2},
	{"limit", OPT_LIMIT, "N", 0, "At most N rows; 0: all (default: 40 of text)", 0},
	{"min-share", OPT_MIN_SHARE, "PCT", 0,
	 "Only rows with that part of the old whole on either side", 0},
	{"fail-above", OPT_FAIL_ABOVE, "PCT", 0,
	 "Exit status 1 if a row has grown by more than that, and that isn't chance", 0},
	{"output", 'o', "FILE", 0, "Into FILE instead of standard output", 0},
	{"json", 'j', 0, 0, "JSON", 0},
	{"folded", OPT_FOLDED, 0, 0, "Lines of `stack old new`, for red and blue flame graphs", 0},
	{"html", OPT_HTML, 0, 0,
	 "A flame graph that shows what has changed, one HTML file (-o FILE.html does, too)", 0},
	{"max-size", OPT_MAX_SIZE, "SIZE", 0, "Of an uncompressed file (default: 256M)", 0},
	{0},
};

static int parse_percent(struct diff_args *a, const char *option, const char *arg, double *ret)
{
	if (parse_percentage(arg, ret) < 0)
		return err__usage(a->err, "%s '%s' is not a percentage (as in 5%%)", option, arg);
	return 0;
}

static int parse_normalize(struct diff_args *a, char *arg)
{
	static const char *const words[] = {"event", "time", "samples"};
	char *colon = strchr(arg, ':');

	a->normalize_text = arg;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(arg, words[i]) == 0) {
			a->normalize = (enum diff_normalize)i;
			return 0;
		}
	}
	if (strncmp(arg, "F=", 2) == 0 && arg[2]) {
		a->normalize = BY_FUNCTION;
		a->function = arg + 2;
		return 0;
	}
	if (colon) {
		_cleanup_free_ char *first = xstrndup(arg, (size_t)(colon - arg));

		a->normalize = BY_NUMBERS;
		if (num__parse_f64(first, &a->numbers[0]) == 0 && a->numbers[0] > 0 &&
		    num__parse_f64(colon + 1, &a->numbers[1]) == 0 && a->numbers[1] > 0)
			return 0;
	}
	return err__usage(a->err, "--normalize '%s': it is event, time, samples, F=NAME or OLD:NEW",
			  arg);
}

static int parse_valued(struct diff_args *a, int key, char *arg)
{
	int r;

	switch (key) {
	case OPT_NORMALIZE:
		return parse_normalize(a, arg);
	case OPT_LIMIT:
		if (num__parse_int(arg, 0, INT32_MAX, &a->limit) < 0)
			return err__usage(a->err, "--limit '%s' is not a whole number", arg);
		return 0;
	case OPT_MIN_SHARE:
		return parse_percent(a, "--min-share", arg, &a->min_share);
	case OPT_FAIL_ABOVE:
		r = parse_percent(a, "--fail-above", arg, &a->fail_above);
		a->fail_above /= 100;
		return r;
	case OPT_LABEL:
		return selection__parse_label(&a->selection, arg, a->err);
	case OPT_MAX_SIZE:
		return profiles__parse_limit(&a->limits, arg, a->err);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static bool parse_word(struct diff_args *a, int key, char *arg)
{
	switch (key) {
	case 'e':
		a->event = arg;
		return true;
	case OPT_BY:
		a->by = arg;
		return true;
	case OPT_FOCUS:
		a->selection.focus = arg;
		return true;
	case OPT_IGNORE:
		a->selection.ignore = arg;
		return true;
	case 'o':
		a->output = strcmp(arg, "-") == 0 ? NULL : arg;
		return true;
	case OPT_TOTAL:
		return a->total = true;
	case OPT_STACKS:
		return a->stacks = true;
	case OPT_FOLDED:
		return a->folded = true;
	case OPT_HTML:
		return a->html = true;
	case 'j':
		return a->json = true;
	default:
		return false;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct diff_args *a = state->input;
	int r;

	if (key == ARGP_KEY_ARGS) {
		a->files = state->argv + state->next;
		return state->argc - state->next == 2 ?
			       0 :
			       -err__usage(a->err,
					   "two profiles are compared: pmubpf diff OLD NEW");
	}
	if (key == ARGP_KEY_NO_ARGS)
		return -err__usage(a->err, "which profiles? (pmubpf diff OLD NEW)");
	if (parse_word(a, key, arg))
		return 0;
	r = parse_valued(a, key, arg);
	return r == ARGP_ERR_UNKNOWN ? ARGP_ERR_UNKNOWN : -r;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "OLD NEW",
	.doc = "Compare two saved profiles: what has grown, what has shrunk, and whether that may "
	       "be chance.\v"
	       "Examples:\n"
	       "  pmubpf diff old.pb.gz new.pb.gz\n"
	       "  pmubpf diff --normalize 1000:1200 --fail-above 5% old.pb.gz new.pb.gz\n"
	       "  pmubpf diff -o diff.html old.pb.gz new.pb.gz\n"
	       "  pmubpf diff --folded old.pb.gz new.pb.gz | flamegraph.pl > diff.svg\n\n"
	       "Exit status: 0 done, 1 failed or grown (--fail-above), 2 usage.",
};

/* A suffix of the file to write will do. */
static void settle_format(struct diff_args *a)
{
	if (!a->output || a->json || a->folded || a->html)
		return;
	a->html = ends_in(a->output, ".html");
	a->json = ends_in(a->output, ".json");
	a->folded = ends_in(a->output, ".folded");
}

int diff_args__parse(struct diff_args *a, int argc, char **argv, struct err *err)
{
	int r;

	*a = (struct diff_args){.limit = -1,
				.fail_above = -1,
				.normalize_text = "event",
				.err = err};
	r = options__parse(&argp, argc, argv, 0, a);
	if (r < 0)
		return r;
	settle_format(a);
	a->stacks |= a->folded;
	if (a->json + a->folded + a->html > 1)
		return err__usage(err, "--json, --folded and --html exclude each other");
	if (a->html && a->normalize != BY_EVENT)
		return err__usage(err, "--html compares shares of each event's own total: without "
				       "--normalize");
	if (a->stacks && (a->by || a->total))
		return err__usage(err, "whole stacks exclude --by and --total");
	if (strcmp(a->files[0], "-") == 0 && strcmp(a->files[1], "-") == 0)
		return err__usage(err, "standard input (-) can be read once");
	return 0;
}

void diff_args__done(struct diff_args *a)
{
	selection__done(&a->selection);
}
