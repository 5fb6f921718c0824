// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/record_args.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "cmd/alarm_args.h"
#include "cmd/op_events.h"
#include "cmd/options.h"
#include "pmu/branch_filter.h"
#include "prof/moments.h"

/* Options without a letter. */
enum {
	OPT_SUMMARY = 256,
	OPT_UNIT,
	OPT_MAX_DEPTH,
	OPT_ADDR,
	OPT_DATA,
	OPT_ALLOC,
	OPT_PASSES,
	OPT_INLINE,
	OPT_LINES,
	OPT_DEBUGINFOD,
	OPT_FORMAT,
	OPT_LABEL,
	OPT_BY,
	OPT_NO_SYMBOLS,
	OPT_REGIONS,
	OPT_WHEN,
	OPT_LOOKBACK,
	OPT_LOOKAHEAD,
	OPT_TIMELINE,
	OPT_CODE,
	OPT_SOURCE,
};

enum { DEFAULT_LOOKBACK_S = 30, MAX_LOOKBACK_S = 3600, DEFAULT_GRID_MS = 10 };
#define NS_PER_S 1000000000ULL
#define NS_PER_MS 1000000ULL
#define NS_PER_US 1000ULL
#define FINEST_GRID_NS (10 * NS_PER_US) /* 11 hours of them are told apart */

/* "pid, tid, …" */
#define FIRST_WORD(id, word, ...) word
#define NEXT_WORD(id, word, ...) ", " word
#define LABEL_WORDS LABELS(FIRST_WORD, NEXT_WORD)
#define FORMAT_WORDS FORMATS(FIRST_WORD, NEXT_WORD)

/* ".folded .txt (collapsed stacks), .pb.gz …" */
#define FIRST_SUFFIXES(id, word, suffixes, title, ...) suffixes " (" title ")"
#define NEXT_SUFFIXES(id, word, suffixes, title, ...) ", " suffixes " (" title ")"
#define SUFFIXES FORMATS(FIRST_SUFFIXES, NEXT_SUFFIXES)

static const struct argp_option options[] = {
	{"passes", OPT_PASSES, 0, 0,
	 "Run COMMAND once for each set of events that fit into the counters together, instead of "
	 "multiplexing them",
	 1},
	{"branch-any", 'b', 0, 0, "Record branches, too, where the CPU does: -j any,u", 1},
	{"branch-filter", 'j', "FILTER", 0,
	 "The same of these: any, any_call, any_ret, ind_call, ind_jmp, call, cond, and others, of "
	 "u, k; with commas",
	 1},
	{0, 0, 0, 0, "Output:", 6},
	{"output", 'o', "FILE", 0,
	 "The profile into FILE instead of folded stacks to stdout; may be repeated. Its suffix "
	 "says as what: " SUFFIXES "; with any other: folded",
	 0},
	{"format", OPT_FORMAT, "FORMAT", 0,
	 "What -o writes (or stdout), whatever the suffix: " FORMAT_WORDS, 0},
	{"label", OPT_LABEL, "LABELS", 0,
	 "Tell samples apart by these, too, in files that have labels: " LABEL_WORDS, 0},
	{"timeline", OPT_TIMELINE, "STEP", OPTION_ARG_OPTIONAL,
	 "Samples keep their moment, in steps of so long (default: 10ms), as the label time: a "
	 ".html shows them as a heat map. Files become larger",
	 0},
	{"by", OPT_BY, "LABELS", 0,
	 "Begin folded lines with these (as --label knows them, but data_addr): one tower of the "
	 "flame graph for each container",
	 0},
	{"no-symbols", OPT_NO_SYMBOLS, 0, 0,
	 "Don't name the functions of programs: addresses and build-ids only, to be named "
	 "elsewhere",
	 0},
	{"summary", OPT_SUMMARY, "FILE", 0, "The totals as JSON into FILE", 0},
	{"unit", OPT_UNIT, "samples|events|time", 0,
	 "The number at the end of a line: overflows, events, or nanoseconds. Default: time for "
	 "cycles "
	 "and clocks, events for the rest",
	 0},
	{"max-depth", OPT_MAX_DEPTH, "N", 0, "At most N frames a line, from the leaf", 0},
	{"inline", OPT_INLINE, 0, 0,
	 "Calls that were inlined as frames of their own, ending in _[i]; reads DWARF", 0},
	{"lines", OPT_LINES, 0, 0, "function:file:line instead of the function; reads DWARF", 0},
	{"debuginfod", OPT_DEBUGINFOD, 0, 0,
	 "Ask the servers in DEBUGINFOD_URLS for the debug files of hot programs and libraries "
	 "that have "
	 "none here",
	 0},
	{"code", OPT_CODE, "N", OPTION_ARG_OPTIONAL,
	 "In a .html: lines and instructions of the N functions with most samples of their own "
	 "(default: 20), as annotate has them",
	 0},
	{"source", OPT_SOURCE, "DIR", 0, "With --code: and the sources that are in DIR", 0},
	{"addr", OPT_ADDR, "page", OPTION_ARG_OPTIONAL,
	 "A last frame [0x…]: the data address, or its page, of events that have one", 0},
	{"data", OPT_DATA, 0, 0,
	 "What data the overflows of events with addresses are about, as labels: data_object, "
	 "data_type, member, data_layout, "
	 "data_segment, data_page, cache_line, data_source, data_latency, data_class, data_access, "
	 "data_offset",
	 0},
	{"regions", OPT_REGIONS, "FILE", 0,
	 "With --data: regions of memory, and which of them are missed more often than their size "
	 "explains, into FILE, anew each second, for a program that manages memory",
	 0},
	{"alloc", OPT_ALLOC, 0, 0,
	 "With --data: probe the allocators of the processes, so that alloc_site is who allocated "
	 "what a sample is about",
	 0},
	{"quiet", 'q', 0, 0, "No live line and no summary on stderr", 0},
	{0, 0, 0, 0, "Alarms:", 10},
	{"when", OPT_WHEN, "'Y ~ X'", 0,
	 "Keep only what was around an alarm: event Y is no more what event X explains, looked at "
	 "each second, as for stat --alarm",
	 0},
	{"lookback", OPT_LOOKBACK, "TIME", 0,
	 "With --when: what is kept of before the alarm. Default: 30s", 0},
	{"lookahead", OPT_LOOKAHEAD, "TIME", 0,
	 "With --when: what follows the alarm and is kept, too; then the recording ends. Default: "
	 "as long as --lookback",
	 0},
	{0},
};

static int parse_unit(struct record_args *a, const char *text)
{
	static const char *const names[] = {"samples", "events", "time"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(text, names[i]) == 0) {
			a->unit_given = true;
			a->unit = (enum number_unit)i;
			return 0;
		}
	}
	return err__usage(a->err, "--unit '%s': it is one of samples, events, time", text);
}

int record_args__add_output(struct record_args *a, const char *path)
{
	bool is_stdout = strcmp(path, "-") == 0;

	for (size_t i = 0; i < a->n_outputs; i++) {
		const char *other = a->outputs[i].path;

		if (is_stdout ? !other : other && strcmp(other, path) == 0)
			return err__usage(a->err, "-o '%s' is given twice", path);
	}
	GROW(a->outputs, a->n_outputs, a->cap_outputs);
	a->outputs[a->n_outputs++] = (struct record_output){
		.path = is_stdout ? NULL : path,
		.format = format__of(path),
	};
	return 0;
}

static int add_label(struct record_args *a, const char *option, const char *text)
{
	unsigned label = label__of_word(text);

	if (!label)
		return err__usage(a->err, "%s '%s': it is one of " LABEL_WORDS, option, text);
	sampling_args__want_label(&a->sampling, text);
	if (label == LABEL_ADDR && !a->sampling.session.addr_mask)
		a->sampling.session.addr_mask = ~0ULL;
	return 0;
}

static int parse_labels(struct record_args *a, char *text)
{
	char *word;
	int r = 0;

	while (r == 0 && (word = strsep(&text, ",")))
		r = add_label(a, "--label", word);
	return r;
}

static int parse_by(struct record_args *a, char *text)
{
	char *word;
	int r = 0;

	while (r == 0 && (word = strsep(&text, ","))) {
		if (a->n_by + 1 >= ARRAY_SIZE(a->by))
			return err__usage(a->err, "--by: more labels than there are");
		a->by[a->n_by++] = word;
		r = strcmp(word, "data_addr") == 0 ?
			    err__usage(a->err, "--by data_addr: --addr makes it the last frame") :
			    add_label(a, "--by", word);
	}
	return r;
}

static int parse_depth(struct record_args *a, const char *text)
{
	int depth;

	if (num__parse_int(text, 1, 65535, &depth) < 0)
		return err__usage(a->err, "--max-depth '%s' is not a number from 1 to 65535", text);
	a->show.max_depth = (unsigned)depth;
	if (depth < PMB_MAX_FRAMES)
		a->sampling.session.max_frames = (unsigned)depth;
	return 0;
}

static int parse_addr(struct record_args *a, const char *text)
{
	if (text && strcmp(text, "page") != 0)
		return err__usage(a->err, "--addr=%s: it is --addr or --addr=page", text);
	a->sampling.session.addr_mask = text ? ~((uint64_t)sysconf(_SC_PAGESIZE) - 1) : ~0ULL;
	return 0;
}

static int parse_around(struct record_args *a, const char *option, const char *text, uint64_t *ret)
{
	a->around = true;
	if (num__parse_time(text, NS_PER_S, ret) == 0 && *ret >= NS_PER_S &&
	    *ret <= MAX_LOOKBACK_S * NS_PER_S)
		return 0;
	return err__usage(a->err, "%s '%s' is not a time from 1 to %d s, such as 30s or 2m", option,
			  text, MAX_LOOKBACK_S);
}

static bool is_grid(uint64_t ns)
{
	return ns >= FINEST_GRID_NS && ns <= MOMENTS_GRID_MOST_MS * NS_PER_MS &&
	       ns % (ns < NS_PER_MS ? NS_PER_US : NS_PER_MS) == 0;
}

static int parse_timeline(struct record_args *a, const char *text)
{
	uint64_t *grid = &a->sampling.session.grid_ns;

	a->sampling.session.labels |= LABEL_TIME;
	*grid = DEFAULT_GRID_MS * NS_PER_MS;
	if (!text || (num__parse_time(text, NS_PER_S, grid) == 0 && is_grid(*grid)))
		return 0;
	return err__usage(a->err,
			  "--timeline '%s' is not a time from 10us to 10s, of whole microseconds "
			  "up to 1ms, of whole milliseconds from there on",
			  text);
}

static int parse_branches(struct record_args *a, const char *text)
{
	uint64_t *filter = &a->sampling.session.branch_filter;

	if (*filter)
		return err__usage(a->err, "-b and -j: one of them, and once");
	return branch_filter__parse(text, filter, a->err);
}

static int parse_valued(struct record_args *a, int key, char *arg)
{
	switch (key) {
	case 'j':
		return parse_branches(a, arg);
	case OPT_WHEN:
		alarm_args__ask(&a->alarms, arg);
		return 0;
	case OPT_LOOKBACK:
		return parse_around(a, "--lookback", arg, &a->lookback_ns);
	case OPT_LOOKAHEAD:
		return parse_around(a, "--lookahead", arg, &a->lookahead_ns);
	case OPT_TIMELINE:
		return parse_timeline(a, arg);
	case OPT_UNIT:
		return parse_unit(a, arg);
	case OPT_MAX_DEPTH:
		return parse_depth(a, arg);
	case OPT_ADDR:
		return parse_addr(a, arg);
	case OPT_LABEL:
		return parse_labels(a, arg);
	case OPT_BY:
		return parse_by(a, arg);
	case OPT_REGIONS:
		a->regions = arg;
		return 0;
	case OPT_CODE:
		a->sampling.session.shows_code = true;
		return page_code__parse(&a->code, arg, a->err);
	case OPT_SOURCE:
		a->code.source = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int parse_option(struct record_args *a, int key, char *arg)
{
	switch (key) {
	case 'q':
		a->sampling.quiet = true;
		return 0;
	case 'b':
		return parse_branches(a, "any");
	case 'o':
		return record_args__add_output(a, arg);
	case OPT_FORMAT:
		a->format = arg;
		return 0;
	case OPT_NO_SYMBOLS:
		a->no_symbols = true;
		return 0;
	case OPT_DATA:
		a->sampling.session.labels |= LABEL_DATA;
		return 0;
	case OPT_ALLOC:
		a->sampling.session.allocs = true;
		return 0;
	case OPT_PASSES:
		a->passes = true;
		return 0;
	case OPT_SUMMARY:
		a->summary = arg;
		return 0;
	case OPT_INLINE:
		a->names.inlined = true;
		return 0;
	case OPT_LINES:
		a->names.lines = true;
		return 0;
	case OPT_DEBUGINFOD:
		a->debuginfod = a->sampling.session.may_download = true;
		return 0;
	default:
		return parse_valued(a, key, arg);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct record_args *a = state->input;
	int r;

	if (key == ARGP_KEY_INIT) {
		state->child_inputs[0] = &a->sampling;
		state->child_inputs[1] = &a->alarms;
		return 0;
	}
	r = parse_option(a, key, arg);
	return r == ARGP_ERR_UNKNOWN ? ARGP_ERR_UNKNOWN : -r;
}

static const struct argp_child children[] = {{.argp = &sampling_argp}, {.argp = &alarm_argp}, {0}};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.args_doc = "[[--] COMMAND [ARG…]]",
	.doc = "Sample counter overflows of a target and print collapsed stacks.\v"
	       "Examples:\n"
	       "  pmubpf record -e dcache-miss -p PID -d 10 | flamegraph.pl > cache.svg\n"
	       "  pmubpf record -F 999 -o out.folded -- ./program args\n"
	       "  pmubpf record -a -e cpu-clock,page-faults -d 5 --summary totals.json > "
	       "out.folded\n\n"
	       "Without -e it is cycles where there is a PMU, else cpu-clock.\n\n"
	       "Exit status: 0 done, 1 failed, 2 usage, 3 this machine can't, 4 an alarm "
	       "(--alarm-exit); with a COMMAND, its own.",
};

static int check_regions(struct record_args *a)
{
	if (!a->regions)
		return 0;
	if (!(a->sampling.session.labels & LABEL_DATA))
		return err__usage(a->err, "--regions needs --data: where data lies is not asked");
	if (a->passes)
		return err__usage(a->err, "--regions and --passes exclude each other: each pass is "
					  "another run");
	if (strcmp(a->regions, "-") == 0)
		return err__usage(a->err, "--regions -: it is renewed each second; name a file");
	for (size_t i = 0; i < a->n_outputs; i++) {
		if (a->outputs[i].path && strcmp(a->regions, a->outputs[i].path) == 0)
			return err__usage(a->err, "-o and --regions name the same file");
	}
	if (a->summary && strcmp(a->summary, a->regions) == 0)
		return err__usage(a->err, "--summary and --regions name the same file");
	return 0;
}

static int check_alarms(struct record_args *a)
{
	if (a->around && !a->alarms.n_texts)
		return err__usage(a->err, "--lookback and --lookahead go with --when");
	if (a->passes && a->alarms.n_texts)
		return err__usage(a->err, "--passes and --when exclude each other");
	if (a->regions && a->alarms.n_texts)
		return err__usage(a->err, "--regions and --when exclude each other: of what is "
					  "forgotten nothing is told");
	return alarms__check(&a->alarms, a->err);
}

/* Records are counted as their samples come. */
static int check_branches(struct record_args *a)
{
	if (!a->sampling.session.branch_filter)
		return 0;
	if (a->regions || a->alarms.n_texts || a->sampling.session.gates)
		return err__usage(a->err, "-b and -j are of a recording that is kept whole: "
					  "without --window, --when and --regions");
	return 0;
}

static int check_code(const struct record_args *a)
{
	bool has_page = false;

	for (size_t i = 0; i < a->n_outputs; i++)
		has_page |= a->outputs[i].format == format__named("html");
	return page_code__check(&a->code, has_page, a->err);
}

static int check(struct record_args *a, const char *subcommand)
{
	int r = sampling_args__check(&a->sampling, subcommand);

	if (r == 0)
		r = check_regions(a);
	if (r == 0)
		r = check_branches(a);
	if (r == 0)
		r = check_alarms(a);
	if (r == 0)
		r = check_code(a);
	if (r < 0)
		return r;
	if (a->sampling.session.grid_ns && (a->passes || a->alarms.n_texts))
		return err__usage(a->err, "--timeline is of one recording that is kept whole: "
					  "without --passes and --when");
	if (a->passes && !target__is_command(&a->sampling.session.whom))
		return err__usage(
			a->err,
			"--passes needs a COMMAND to run several times, and no other target");
	for (size_t i = 0; a->summary && i < a->n_outputs; i++) {
		if (a->outputs[i].path && strcmp(a->summary, a->outputs[i].path) == 0)
			return err__usage(a->err, "-o and --summary name the same file");
	}
	if (a->summary && strcmp(a->summary, "-") == 0)
		return err__usage(a->err,
				  "--summary -: standard output is for the stacks; name a file");
	return a->debuginfod ? debuginfod__check(a->err) : 0;
}

/* All that can be told. */
static void want_whole(struct record_args *a)
{
	a->names.inlined = a->names.lines = !a->no_symbols;
}

static void want_labels(struct record_args *a, unsigned with_data)
{
	a->sampling.session.labels |= LABEL_PID | LABEL_UNWIND_STATUS | LABEL_CGROUP |
				      LABEL_WINDOW | LABEL_WAKER | with_data;
}

/* A row for each overflow. */
static int want_packets(struct record_args *a)
{
	struct session_opts *s = &a->sampling.session;

	if (a->passes || a->alarms.n_texts)
		return err__usage(a->err, "overflows one by one (.jsonl) are of one recording that "
					  "is kept whole: without --passes and --when");
	s->labels |= LABEL_PID | LABEL_TID | LABEL_CPU | LABEL_TIME;
	if (!s->grid_ns)
		s->grid_ns = FINEST_GRID_NS;
	return 0;
}

/* What the outputs are, and what that takes. */
static int settle_outputs(struct record_args *a)
{
	/* who shares a cache line is asked of what was saved */
	unsigned with_data = a->sampling.session.labels & LABEL_DATA ? LABEL_TID | LABEL_CPU : 0;
	const struct format *format = a->format ? format__named(a->format) : NULL;
	int r = 0;

	a->names.types = with_data && !a->no_symbols;
	if (op_events__only(&a->sampling.what)) /* they are exact */
		a->sampling.session.labels |= LABEL_OPCODE;
	a->names.blocks = a->sampling.session.labels & (LABEL_BLOCKCLASS | LABEL_OPCODE);
	if (a->format && !format)
		return err__usage(a->err, "--format '%s': it is one of " FORMAT_WORDS, a->format);
	if (with_data) /* pages are those of processes */
		a->sampling.session.labels |= LABEL_PID;
	if (!a->n_outputs && !a->handed_over)
		record_args__add_output(a, "-");
	if (a->handed_over) {
		want_whole(a);
		want_labels(a, with_data);
	}
	for (size_t i = 0; i < a->n_outputs; i++) {
		struct record_output *out = &a->outputs[i];

		if (format)
			out->format = format;
		else if (out->path && format__is_of_others(out->path))
			return err__usage(
				a->err,
				"-o '%s': no such file is written, but .pb.gz, .html, "
				".folded, .json, .perf, .jsonl (flamegraph.pl makes an "
				".svg of a .folded); --format chooses whatever the suffix",
				out->path);
		if (out->format->whole)
			want_whole(a);
		if (out->format != format__named("folded"))
			want_labels(a, with_data);
		if (out->format == format__named("html")) /* it says how many there were */
			a->sampling.session.labels |= LABEL_WINDOW_NUMBER;
		if (out->format == format__named("jsonl") && r == 0)
			r = want_packets(a);
	}
	a->sampling.session.lines = a->names.lines;
	return r;
}

static bool writes_to_stdout(const struct record_args *a)
{
	if (a->handed_over)
		return true;
	for (size_t i = 0; i < a->n_outputs; i++) {
		if (!a->outputs[i].path)
			return true;
	}
	return false;
}

void record_args__init(struct record_args *a, struct err *err)
{
	*a = (struct record_args){
		.err = err,
		.alarms = {.option = "--when"},
		.lookback_ns = DEFAULT_LOOKBACK_S * NS_PER_S,
		.lookahead_ns = UINT64_MAX,
	};
	sampling_args__init(&a->sampling, err);
}

int record_args__settle(struct record_args *a, const char *subcommand)
{
	int r;

	if (a->lookahead_ns == UINT64_MAX)
		a->lookahead_ns = a->lookback_ns;
	a->show.unit = a->unit_given ? (int)a->unit : -1;
	a->show.by = a->by;
	a->show.lines = a->names.lines;
	a->show.inlined = a->names.inlined;
	r = settle_outputs(a);
	/* stdout carries the profile and nothing else, or the command's words */
	if (r == 0)
		r = sampling_args__read(&a->sampling, writes_to_stdout(a));
	a->names.kernel = a->sampling.session.kernel;
	return r < 0 ? r : check(a, subcommand);
}

int record_args__parse(struct record_args *a, int argc, char **argv, struct err *err)
{
	int r;

	record_args__init(a, err);
	r = options__parse(&argp, argc, argv, ARGP_IN_ORDER, a);
	return r < 0 ? r : record_args__settle(a, "record");
}

void record_args__done(struct record_args *a)
{
	sampling_args__done(&a->sampling);
	alarms__done(&a->alarms);
	event_list__done(&a->watched);
	buf__done(&a->remarks);
	free(a->outputs);
}
