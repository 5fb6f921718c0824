// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/report_args.h"

#include <argp.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/profiles.h"
#include "prof/keys.h"

/* Options without a letter. */
enum {
	OPT_BY = 256,
	OPT_TREE,
	OPT_LAYOUT,
	OPT_REGIONS,
	OPT_OBJECTS,
	OPT_BRANCHES,
	OPT_BOLT,
	OPT_AUTOFDO,
	OPT_BINARY,
	OPT_FACTOR,
	OPT_SORT,
	OPT_LIMIT,
	OPT_MIN_SHARE,
	OPT_CONFIDENCE,
	OPT_FOCUS,
	OPT_IGNORE,
	OPT_CALLERS,
	OPT_CALLEES,
	OPT_LABEL,
	OPT_SHARED,
	OPT_CSV,
	OPT_MAX_SIZE,
	OPT_SYMBOLS,
	OPT_CODE,
	OPT_SOURCE,
	OPT_CONTAINER,
	OPT_FORMAT, /* and one for each format */
};

#define OPTION(id, word, suffixes, title, ...)                                   \
	{                                                                        \
		word, OPT_FORMAT + FORMAT_##id, 0, 0, "The samples as " title, 0 \
	}
#define NEXT_OPTION(...) , OPTION(__VA_ARGS__)

/* "process, thread, …, " */
#define KEY_WORD(id, word) word ", "

static const struct argp_option options[] = {
	{0, 0, 0, 0, "Which windows:", 1},
	FROM_OPTIONS,
	{0, 0, 0, 0, "Which samples:", 2},
	{"event", 'e', "NAME", 0, "This event only; repeatable", 0},
	{"focus", OPT_FOCUS, "RE", 0,
	 "With a function that matches the extended regular expression", 0},
	{"ignore", OPT_IGNORE, "RE", 0, "With no function that matches", 0},
	{"callees", OPT_CALLEES, "F", 0, "What F calls: stacks begin at it", 0},
	{"callers", OPT_CALLERS, "F", 0, "What calls F: stacks end at it", 0},
	{"label", OPT_LABEL, "KEY=VALUE", 0,
	 "With this label; repeatable, values of one key are alternatives", 0},
	{"container", OPT_CONTAINER, "NAME", 0, "Of that container: --label container=NAME", 0},
	{"shared", OPT_SHARED, 0, 0,
	 "Only of cache lines that several threads touch while one writes (of record --data)", 0},
	{0, 0, 0, 0, "Rows:", 3},
	{"by", OPT_BY, "KEYS", 0,
	 PROF_KEYS(
		 KEY_WORD) "or a label's name; several with commas: one within the other; default: "
			   "function",
	 0},
	{"tree", OPT_TREE, 0, 0, "The tree of calls (with --callers: of callers)", 0},
	{"layout", OPT_LAYOUT, "TYPE", 0,
	 "How a type of data lies in memory, and which of its members samples are about (of record "
	 "--data)",
	 0},
	{"objects", OPT_OBJECTS, 0, 0,
	 "Which objects samples are about, how sure that is, and of each the hottest member and "
	 "function (of record --data)",
	 0},
	{"regions", OPT_REGIONS, 0, 0,
	 "Regions of memory by who touched them first, and those with more samples than their size "
	 "explains (of record --data)",
	 0},
	{"branches", OPT_BRANCHES, 0, 0,
	 "Branches by how often they were taken, mispredicted, not taken, and the cycles between "
	 "(of record -b)",
	 0},
	{"bolt", OPT_BOLT, 0, 0,
	 "The branches of one binary as llvm-bolt -pa and perf2bolt -pa read them", 0},
	{"autofdo", OPT_AUTOFDO, 0, 0,
	 "The same as create_llvm_prof and create_gcov -profiler=text read them", 0},
	{"binary", OPT_BINARY, "NAME", 0,
	 "With --bolt and --autofdo: which, by its path, the end of that, or its build-id "
	 "(default: the one with most records)",
	 0},
	{"factor", OPT_FACTOR, "K", 0,
	 "With --regions: how many times its share of bytes a region's share of samples has to be "
	 "(default: 2)",
	 0},
	{"sort", OPT_SORT, "WHAT", 0,
	 "self, total, EVENT, EVENT:total, or a word of --by: ascending; numbers, addresses and "
	 "durations by their value (default: self of the first event)",
	 0},
	{"limit", OPT_LIMIT, "N", 0,
	 "At most N rows within each row; 0: all (default: 40 of text, else all)", 0},
	{"min-share", OPT_MIN_SHARE, "PCT", 0,
	 "Only rows with that part of the whole (default: 0.5 with --tree)", 0},
	{"confidence", OPT_CONFIDENCE, 0, 0, "95 % confidence intervals of ratios", 0},
	{"interval", OPT_CONFIDENCE, 0, OPTION_HIDDEN, "", 0}, /* its name before; for a release */
	{0, 0, 0, 0, "Output:", 4},
	{"output", 'o', "FILE", 0, "Into FILE instead of standard output", 0},
	{"json", 'j', 0, 0, "JSON", 0},
	{"csv", OPT_CSV, 0, 0, "Comma-separated values, all numbers in full", 0},
	FORMATS(OPTION, NEXT_OPTION),
	{"code", OPT_CODE, "N", OPTION_ARG_OPTIONAL,
	 "With --html: lines and instructions of the N functions with most samples of their own "
	 "(default: 20), as annotate has them",
	 0},
	{"source", OPT_SOURCE, "DIR", 0, "With --code: and the sources that are in DIR", 0},
	{0, 0, 0, 0, "Reading:", 5},
	{"symbols", OPT_SYMBOLS, "DIR", 0,
	 "Name addresses without names by the files in DIR that have the build-ids", 0},
	{"max-size", OPT_MAX_SIZE, "SIZE", 0,
	 "Of an uncompressed file (default: 256M); memory may be four times that", 0},
	{0},
};

static int parse_share(struct report_args *a, const char *arg)
{
	if (parse_percentage(arg, &a->min_share) < 0 || a->min_share > 100)
		return err__usage(a->err, "--min-share '%s' is not a percentage from 0 to 100",
				  arg);
	return 0;
}

static int parse_samples(struct report_args *a, int key, char *arg)
{
	struct selection *s = &a->selection;

	switch (key) {
	case 'e':
		GROW(s->events, s->n_events, s->cap_events);
		s->events[s->n_events++] = arg;
		return 0;
	case OPT_FOCUS:
		s->focus = arg;
		return 0;
	case OPT_IGNORE:
		s->ignore = arg;
		return 0;
	case OPT_CALLERS:
		s->callers = arg;
		return 0;
	case OPT_CALLEES:
		s->callees = arg;
		return 0;
	case OPT_SHARED:
		s->shared = true;
		return 0;
	case OPT_SYMBOLS:
		a->symbols = arg;
		return 0;
	case OPT_LABEL:
		return selection__parse_label(&a->selection, arg, a->err);
	case OPT_MAX_SIZE:
		return profiles__parse_limit(&a->limits, arg, a->err);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int parse_from(struct report_args *a, int key, char *arg)
{
	if (key != OPT_CONTAINER)
		return from__option(&a->from, key, arg);
	selection__add_label(&a->selection, "container", arg);
	return 0;
}

static int parse_branches(struct report_args *a, int key)
{
	if (a->branches)
		return err__usage(a->err, "one of --branches, --bolt, --autofdo");
	a->branches = key == OPT_BOLT    ? BRANCHES_BOLT :
		      key == OPT_AUTOFDO ? BRANCHES_AUTOFDO :
					   BRANCHES_TABLE;
	return 0;
}

static int parse_rows(struct report_args *a, int key, char *arg)
{
	switch (key) {
	case OPT_BY:
		a->by = arg;
		return 0;
	case OPT_TREE:
		a->tree = true;
		return 0;
	case OPT_LAYOUT:
		a->layout = arg;
		return 0;
	case OPT_REGIONS:
		a->regions = true;
		return 0;
	case OPT_OBJECTS:
		a->objects = true;
		return 0;
	case OPT_BRANCHES:
	case OPT_BOLT:
	case OPT_AUTOFDO:
		return parse_branches(a, key);
	case OPT_BINARY:
		a->binary = arg;
		return 0;
	case OPT_FACTOR:
		if (num__parse_f64(arg, &a->factor) < 0 || a->factor == 0)
			return err__usage(a->err, "--factor '%s' is not a positive number", arg);
		return 0;
	case OPT_SORT:
		a->sort = arg;
		return 0;
	case OPT_LIMIT:
		if (num__parse_int(arg, 0, INT32_MAX, &a->limit) < 0)
			return err__usage(a->err, "--limit '%s' is not a whole number", arg);
		return 0;
	case OPT_MIN_SHARE:
		return parse_share(a, arg);
	case OPT_CONFIDENCE:
		a->confidence = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int parse_output(struct report_args *a, int key, char *arg)
{
	if (key >= OPT_FORMAT && key < OPT_FORMAT + N_FORMATS) {
		if (a->format)
			return err__usage(a->err, "one format at a time");
		a->format = &formats[key - OPT_FORMAT];
		return 0;
	}
	switch (key) {
	case 'o':
		a->output = strcmp(arg, "-") == 0 ? NULL : arg;
		return 0;
	case 'j':
		a->json = true;
		return 0;
	case OPT_CSV:
		a->csv = true;
		return 0;
	case OPT_CODE:
		return page_code__parse(&a->code, arg, a->err);
	case OPT_SOURCE:
		a->code.source = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct report_args *a = state->input;
	int r;

	if (key == ARGP_KEY_ARGS) {
		a->files = state->argv + state->next;
		a->n_files = (size_t)(state->argc - state->next);
		return 0;
	}
	r = parse_samples(a, key, arg);
	if (r == ARGP_ERR_UNKNOWN)
		r = parse_from(a, key, arg);
	if (r == ARGP_ERR_UNKNOWN)
		r = parse_rows(a, key, arg);
	if (r == ARGP_ERR_UNKNOWN)
		r = parse_output(a, key, arg);
	return r == ARGP_ERR_UNKNOWN ? ARGP_ERR_UNKNOWN : -r;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "FILE…|-|--from DIR",
	.doc = "Show a saved profile: pprof's format, written by `pmubpf record -o FILE.pb.gz` or "
	       "by any other "
	       "tool. Several files of the same events are added up.\v"
	       "Examples:\n"
	       "  pmubpf report p.pb.gz\n"
	       "  pmubpf report --by container,module,function p.pb.gz\n"
	       "  pmubpf report --from /var/lib/pmubpf --since 1h --by container\n"
	       "  pmubpf report --tree --callees work p.pb.gz\n"
	       "  curl -s localhost:6060/debug/pprof/profile | pmubpf report -\n\n"
	       "Exit status: 0 done, 1 failed, 2 usage.",
};

/* A suffix of the file to write will do. What could be a report as well (.txt) is one. */
static void settle_format(struct report_args *a)
{
	if (!a->output || a->json || a->csv || a->format)
		return;
	a->json = ends_in(a->output, ".json");
	a->csv = ends_in(a->output, ".csv");
	if (!a->json && !ends_in(a->output, ".txt"))
		a->format = format__by_suffix(a->output);
}

/* What only rows can be told. */
static bool is_of_rows(const struct report_args *a)
{
	return a->tree || a->sort || a->limit >= 0 || a->confidence;
}

/* Lists of their own, without rows by keys. */
static int check_lists(const struct report_args *a)
{
	const char *what = a->regions ? "regions" : "objects";

	if (a->factor > 0 && !a->regions)
		return err__usage(a->err, "--factor is of --regions");
	if (!a->regions && !a->objects)
		return 0;
	if (a->format || a->csv || a->layout || (a->regions && a->objects) || a->by || a->tree ||
	    a->sort || a->min_share >= 0 || a->confidence)
		return err__usage(a->err,
				  "--%s shows %s, as text or as --json: without other "
				  "formats, --layout, --%s, --by, --tree, --sort, --min-share, "
				  "--confidence",
				  what, what, a->regions ? "objects" : "regions");
	return 0;
}

static bool selects(const struct selection *s)
{
	return s->n_events || s->focus || s->ignore || s->callers || s->callees || s->n_labels ||
	       s->shared;
}

static int check_branches(const struct report_args *a)
{
	bool table = a->branches == BRANCHES_TABLE;

	if (a->format || a->csv || a->layout || a->regions || a->objects || a->by || a->tree ||
	    a->sort || a->min_share >= 0 || a->confidence)
		return err__usage(a->err,
				  "--branches shows branches, as text or as --json: without other "
				  "formats, --layout, --regions, --objects, --by, --tree, --sort, "
				  "--min-share, --confidence");
	if (selects(&a->selection))
		return err__usage(a->err, "--branches shows all of them: branch records have no "
					  "stacks and labels to select them by");
	if (!table && (a->json || a->limit >= 0))
		return err__usage(a->err, "--bolt and --autofdo are formats of their own, and have "
					  "all branches: without --json and --limit");
	if (table && a->binary)
		return err__usage(a->err, "--binary is of --bolt and --autofdo");
	return 0;
}

static int check_shape(const struct report_args *a)
{
	if (a->layout && (a->format || a->csv || a->min_share >= 0 || a->by || is_of_rows(a)))
		return err__usage(a->err,
				  "--layout shows a type, as text or as --json: without other "
				  "formats, --by, --tree, --sort, --limit, --min-share, "
				  "--confidence");
	if (a->format && is_of_rows(a))
		return err__usage(a->err,
				  "--%s writes samples, not rows: without --tree, --sort, --limit, "
				  "--confidence",
				  a->format->name);
	if (a->format && a->by && a->format != format__named("folded"))
		return err__usage(a->err,
				  "--%s writes samples with all their labels: --by is for rows, "
				  "and for what --folded lines begin with",
				  a->format->name);
	if (!a->branches && a->binary)
		return err__usage(a->err, "--binary is of --bolt and --autofdo");
	return a->branches ? check_branches(a) : check_lists(a);
}

static int check_files(const struct report_args *a)
{
	if (a->from.dir && a->n_files)
		return err__usage(a->err, "--from DIR instead of files, not beside '%s'",
				  a->files[0]);
	if (!a->from.dir && !a->n_files)
		return err__usage(a->err,
				  "which profile? (pmubpf report FILE, or - for standard input)");
	for (size_t i = 0, stdins = 0; i < a->n_files; i++) {
		stdins += strcmp(a->files[i], "-") == 0;
		if (stdins > 1)
			return err__usage(a->err, "standard input (-) can be read once");
	}
	return 0;
}

static int check(const struct report_args *a)
{
	const struct selection *s = &a->selection;
	int r = check_files(a);

	if (r < 0)
		return r;
	if (a->json + a->csv + !!a->format > 1)
		return err__usage(a->err, "--json, --csv and the other formats exclude each other");
	if (s->callers && s->callees)
		return err__usage(a->err, "--callers and --callees exclude each other");
	if (a->tree && a->by)
		return err__usage(a->err, "--tree is by functions, and excludes --by");
	return check_shape(a);
}

/* Whose labels are those of --by alone. */
static bool shows_rows(const struct report_args *a)
{
	return !a->format && !a->layout && !a->regions && !a->objects && !a->branches &&
	       !a->selection.shared;
}

int report_args__parse(struct report_args *a, int argc, char **argv, struct err *err)
{
	int r;

	*a = (struct report_args){.limit = -1, .min_share = -1, .err = err};
	r = options__parse(&argp, argc, argv, 0, a);
	if (r < 0)
		return r;
	settle_format(a);
	a->from.fleet.only = &a->selection;
	if (shows_rows(a))
		fleet_from__tell_apart(&a->from.fleet, a->by ? a->by : "function");
	r = from__settle(&a->from, err);
	if (r == 0)
		r = check(a);
	a->code.symbols = a->symbols;
	return r < 0 ? r :
		       page_code__check(&a->code, a->format && a->format == format__named("html"),
					err);
}

void report_args__done(struct report_args *a)
{
	selection__done(&a->selection);
}
