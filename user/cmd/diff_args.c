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
	OPT_FROM,
	OPT_OLD,
	OPT_NEW,
	OPT_CONTAINER,
};

static const struct argp_option options[] = {
	{0, 0, 0, 0, "Which windows:", 1},
	{"from", OPT_FROM, "DIR|URL", 0,
	 "Those of an agent's folder, or of a server (clickhouse+http://HOST[:PORT]/DATABASE, "
	 "s3+http://HOST[:PORT]/BUCKET[/PREFIX]), "
	 "instead of OLD NEW",
	 0},
	{"old", OPT_OLD, "RANGE", 0,
	 "Of then: 3h..2h (ago), times as for report --since; with labels: image=web:1,3h..2h", 0},
	{"new", OPT_NEW, "RANGE", 0, "Of now: 1h..now", 0},
	{"container", OPT_CONTAINER, "NAME", 0, "Of that container alone, on both sides", 0},
	FLEET_OPTIONS,
	{0, 0, 0, 0, "What to compare:", 2},
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
	{0, 0, 0, 0, "Output:", 3},
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
	case OPT_FROM:
		a->dir = arg;
		return 0;
	case OPT_OLD:
	case OPT_NEW:
		a->sides[key == OPT_NEW].text = arg;
		return 0;
	case OPT_CONTAINER:
		a->container = arg;
		return 0;
	default:
		return fleet_from__option(&a->fleet, key, arg);
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
	if (parse_word(a, key, arg))
		return 0;
	r = parse_valued(a, key, arg);
	return r == ARGP_ERR_UNKNOWN ? ARGP_ERR_UNKNOWN : -r;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "OLD NEW|--from DIR --old RANGE --new RANGE",
	.doc = "Compare two saved profiles: what has grown, what has shrunk, and whether that may "
	       "be chance.\v"
	       "Examples:\n"
	       "  pmubpf diff old.pb.gz new.pb.gz\n"
	       "  pmubpf diff --normalize 1000:1200 --fail-above 5% old.pb.gz new.pb.gz\n"
	       "  pmubpf diff -o diff.html old.pb.gz new.pb.gz\n"
	       "  pmubpf diff --from /var/lib/pmubpf --old 3h..2h --new 1h..now --container web\n"
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

/* "3h..2h,container=web", or "container=web,3h..2h" */
static int parse_side(struct diff_args *a, const char *option, struct diff_side *side)
{
	char *rest = side->text, *part;
	bool any = false;
	int r = 0;

	while (r == 0 && (part = strsep(&rest, ","))) {
		bool is_label = strchr(part, '=');

		if (is_label)
			r = selection__parse_label(&side->of, part, a->err);
		else if (any)
			r = err__usage(a->err,
				       "%s: '%s' is not KEY=VALUE, and a range is there already",
				       option, part);
		else
			r = from__settle_range(&side->from, option, part, a->err);
		any |= !is_label;
	}
	if (r == 0 && !any)
		r = err__usage(a->err, "%s: which range? (as in 3h..2h,container=web)", option);
	if (r == 0 && a->container)
		selection__add_label(&side->of, "container", a->container);
	side->from.fleet.only = &side->of;
	if (!a->stacks && !a->html && !a->selection.n_labels)
		fleet_from__tell_apart(&side->from.fleet, a->by ? a->by : "function");
	return r;
}

static int parse_sides(struct diff_args *a)
{
	static const char *const options_of[] = {"--old", "--new"};
	static const char *const whose[] = {"old: ", "new: "};
	int r = fleet_from__check(&a->fleet, a->dir, a->err);

	if (r < 0)
		return r;
	if (!a->dir) {
		if (a->sides[0].text || a->sides[1].text || a->container)
			return err__usage(a->err, "--old, --new and --container are of --from DIR");
		return a->files ? 0 : err__usage(a->err, "which profiles? (pmubpf diff OLD NEW)");
	}
	if (a->files)
		return err__usage(a->err, "--from DIR instead of files, not beside '%s'",
				  a->files[0]);
	if (!a->sides[0].text || !a->sides[1].text)
		return err__usage(a->err, "--from: which ranges? (as --old 3h..2h --new 1h..now)");
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(options_of); i++) {
		a->sides[i].from.dir = a->dir;
		a->sides[i].from.fleet = a->fleet;
		a->sides[i].from.whose = whose[i];
		r = parse_side(a, options_of[i], &a->sides[i]);
	}
	return r;
}

static int check(const struct diff_args *a)
{
	if (a->json + a->folded + a->html > 1)
		return err__usage(a->err, "--json, --folded and --html exclude each other");
	if (a->html && a->normalize != BY_EVENT)
		return err__usage(a->err,
				  "--html compares shares of each event's own total: without "
				  "--normalize");
	if (a->stacks && (a->by || a->total))
		return err__usage(a->err, "whole stacks exclude --by and --total");
	if (a->files && strcmp(a->files[0], "-") == 0 && strcmp(a->files[1], "-") == 0)
		return err__usage(a->err, "standard input (-) can be read once");
	return 0;
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
	r = check(a);
	return r < 0 ? r : parse_sides(a);
}

void diff_args__done(struct diff_args *a)
{
	selection__done(&a->selection);
	for (size_t i = 0; i < ARRAY_SIZE(a->sides); i++)
		selection__done(&a->sides[i].of);
}
