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
#include "cmd/options.h"
#include "sys/procfs.h"

/* Options without a letter. */
enum {
	OPT_SUMMARY = 256,
	OPT_UNIT,
	OPT_USER_ONLY,
	OPT_KERNEL_ONLY,
	OPT_MAX_DEPTH,
	OPT_ADDR,
	OPT_DATA,
	OPT_PER_CPU,
	OPT_PER_TASK,
	OPT_RATE,
	OPT_PASSES,
	OPT_MAX_MEMORY,
	OPT_CALL_GRAPH,
	OPT_INLINE,
	OPT_LINES,
	OPT_DEBUGINFOD,
	OPT_FORMAT,
	OPT_LABEL,
	OPT_BY,
	OPT_NO_SYMBOLS,
	OPT_INTERPRETER_FRAMES,
	OPT_BUDGET,
};

enum {
	DEFAULT_BUDGET = 1, /* percent */
	MIN_MEMORY = 1024 * 1024,
	TABLE_BYTES = PMB_CHUNKS_MAX * (int)sizeof(struct pmb_chunk),
};

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
	{0, 0, 0, 0, "What to count:", 1},
	{"freq", 'F', "HZ|max", 0,
	 "Overflows per second, for events that name no rate; max: as many as the kernel allows",
	 0},
	{"count", 'c', "COUNT", 0, "One overflow every COUNT events, for events that name no rate",
	 0},
	{"rate", OPT_RATE, "lo|on|hi", 0,
	 "An overflow about every 100, 10 or 1 ms (hi, the default), for events that name no rate",
	 0},
	{"budget", OPT_BUDGET, "PERCENT", 0,
	 "Lengthen periods when recording would take more of the CPUs; a rate that was given is "
	 "kept. "
	 "Default: 1; 0: never",
	 0},
	{"passes", OPT_PASSES, 0, 0,
	 "Run COMMAND once for each set of events that fit into the counters together, instead of "
	 "multiplexing them",
	 0},
	{"per-cpu", OPT_PER_CPU, 0, 0, "One event per CPU, targets chosen in BPF", 2},
	{"per-task", OPT_PER_TASK, 0, 0, "One event per task, so that other programs feel nothing",
	 0},
	{0, 0, 0, 0, "Output:", 4},
	{"output", 'o', "FILE", 0,
	 "The profile into FILE instead of folded stacks to stdout; may be repeated. Its suffix "
	 "says as what: " SUFFIXES "; with any other: folded",
	 0},
	{"format", OPT_FORMAT, "FORMAT", 0,
	 "What -o writes (or stdout), whatever the suffix: " FORMAT_WORDS, 0},
	{"label", OPT_LABEL, "LABELS", 0,
	 "Tell samples apart by these, too, in files that have labels: " LABEL_WORDS, 0},
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
	{"user-only", OPT_USER_ONLY, 0, 0, "Leave kernel frames out (samples stay)", 0},
	{"kernel-only", OPT_KERNEL_ONLY, 0, 0, "Leave user frames out (samples stay)", 0},
	{"max-depth", OPT_MAX_DEPTH, "N", 0, "At most N frames a line, from the leaf", 0},
	{"interpreter-frames", OPT_INTERPRETER_FRAMES, 0, 0,
	 "Keep the interpreter's own functions between those of Python", 0},
	{"inline", OPT_INLINE, 0, 0,
	 "Calls that were inlined as frames of their own, ending in _[i]; reads DWARF", 0},
	{"lines", OPT_LINES, 0, 0, "function:file:line instead of the function; reads DWARF", 0},
	{"debuginfod", OPT_DEBUGINFOD, 0, 0,
	 "Ask the servers in DEBUGINFOD_URLS for the debug files of hot programs and libraries "
	 "that have "
	 "none here",
	 0},
	{"addr", OPT_ADDR, "page", OPTION_ARG_OPTIONAL,
	 "A last frame [0x…]: the data address, or its page, of events that have one", 0},
	{"data", OPT_DATA, 0, 0,
	 "What data the overflows of events with addresses are about, as labels: data_object, "
	 "data_type, member, data_layout, "
	 "data_segment, data_page, cache_line, data_source, data_latency, data_class, data_access, "
	 "data_offset",
	 0},
	{0, 'g', 0, 0, "Accepted for perf's sake: stacks are always recorded", 0},
	{"call-graph", OPT_CALL_GRAPH, "table|fp", 0,
	 "How user stacks are walked: by the unwind tables of the programs (also called dwarf), "
	 "or by "
	 "frame pointers. Default: table; riscv64 only knows fp",
	 0},
	{"mmap-pages", 'm', "PAGES|SIZE", 0, "Ring buffer per CPU: pages, or bytes with B, K, M, G",
	 0},
	{"max-memory", OPT_MAX_MEMORY, "SIZE", 0,
	 "Room for distinct stacks, in bytes or with B, K, M, G; beyond it the rarest become "
	 "[other]. "
	 "Default: 128M",
	 0},
	{"quiet", 'q', 0, 0, "No live line and no summary on stderr", 0},
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

static int parse_rate(struct record_args *a, const char *text)
{
	if (rate_preset__parse(text, &a->rate.preset) == 0)
		return 0;
	return err__usage(a->err, "--rate '%s': it is one of lo, on, hi", text);
}

static int parse_ring(struct record_args *a, const char *text)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), bytes;
	int r = num__parse_u64(text, &bytes);

	if (r == 0 && __builtin_mul_overflow(bytes, page, &bytes))
		r = -ERANGE;
	else if (r < 0)
		r = num__parse_size(text, &bytes);
	if (r < 0 || !bytes || bytes > (1ULL << 30))
		return err__usage(a->err, "-m '%s': pages, or a size such as 4M, of at most 1G",
				  text);
	for (a->session.ring_bytes = page; a->session.ring_bytes < bytes;)
		a->session.ring_bytes *= 2;
	return 0;
}

static int parse_memory(struct record_args *a, const char *text)
{
	uint64_t bytes;

	if (num__parse_size(text, &bytes) < 0 || bytes < MIN_MEMORY || bytes > (1ULL << 40))
		return err__usage(a->err,
				  "--max-memory '%s': a size such as 128M, from 1M to 1024G", text);
	a->session.max_memory = bytes;
	return 0;
}

static int add_output(struct record_args *a, const char *path)
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
	static const struct {
		const char *word;
		unsigned labels;
	} known[] = {
#define X(label, word) {word, label},
		LABELS(X, X)
#undef X
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (strcmp(text, known[i].word) != 0)
			continue;
		a->session.labels |= known[i].labels;
		if (known[i].labels == LABEL_ADDR && !a->session.addr_mask)
			a->session.addr_mask = ~0ULL;
		a->label_cgroup |= strcmp(text, "cgroup") == 0;
		a->label_language |= known[i].labels == LABEL_LANGUAGE;
		return 0;
	}
	return err__usage(a->err, "%s '%s': it is one of " LABEL_WORDS, option, text);
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

static int parse_positive(struct record_args *a, const char *option, const char *text,
			  uint64_t *ret)
{
	int r = num__parse_u64(text, ret);

	if (r == -ERANGE)
		return err__usage(a->err, "%s '%s' is too large", option, text);
	if (r < 0 || !*ret)
		return err__usage(a->err, "%s '%s' is not a whole number above 0", option, text);
	return 0;
}

static int parse_depth(struct record_args *a, const char *text)
{
	int depth;

	if (num__parse_int(text, 1, 65535, &depth) < 0)
		return err__usage(a->err, "--max-depth '%s' is not a number from 1 to 65535", text);
	a->show.max_depth = (unsigned)depth;
	if (depth < PMB_MAX_FRAMES)
		a->session.max_frames = (unsigned)depth;
	return 0;
}

static int parse_addr(struct record_args *a, const char *text)
{
	if (text && strcmp(text, "page") != 0)
		return err__usage(a->err, "--addr=%s: it is --addr or --addr=page", text);
	a->session.addr_mask = text ? ~((uint64_t)sysconf(_SC_PAGESIZE) - 1) : ~0ULL;
	return 0;
}

static int parse_budget(struct record_args *a, const char *text)
{
	a->budget_given = true;
	if (num__parse_f64(text, &a->session.budget) == 0 && a->session.budget >= 0 &&
	    a->session.budget <= 100)
		return 0;
	return err__usage(a->err, "--budget '%s': a percentage of the CPUs, from 0 to 100", text);
}

/* perf calls them dwarf and fp, and "dwarf,BYTES" says how much of a stack it copies for each
 * sample. */
static int parse_call_graph(struct record_args *a, const char *text)
{
	enum { PERFS_MOST = 65528 };
	const char *comma = strchr(text, ',');
	size_t len = comma ? (size_t)(comma - text) : strlen(text);
	bool tables = (len == 5 && strncmp(text, "table", len) == 0) ||
		      (len == 5 && strncmp(text, "dwarf", len) == 0);
	uint64_t bytes;

	if (!tables && strcmp(text, "fp") != 0)
		return err__usage(a->err, "--call-graph '%s': it is one of table, dwarf, fp", text);
	if (comma && (num__parse_u64(comma + 1, &bytes) < 0 || !bytes || bytes > PERFS_MOST))
		return err__usage(
			a->err,
			"--call-graph '%s': behind the comma stand the bytes of a stack that "
			"perf would copy, from 1 to %d (here nothing is copied)",
			text, PERFS_MOST);
	if (tables && !HAS_UNWIND_TABLES)
		return err__usage(a->err,
				  "--call-graph %s: on this architecture stacks are walked by "
				  "frame pointers only",
				  text);
	a->session.by_table = tables;
	return 0;
}

/* As many overflows per second as the kernel allows. */
static int parse_freq(struct record_args *a, const char *text)
{
	static const char file[] = "/proc/sys/kernel/perf_event_max_sample_rate";

	if (strcmp(text, "max") != 0)
		return parse_positive(a, "-F", text, &a->rate.freq_hz);
	a->rate.freq_hz = file_read_u64(file, 0);
	if (a->rate.freq_hz)
		return 0;
	return err__usage(a->err, "-F max: %s can't be read; give a number", file);
}

static int parse_scope(struct record_args *a, enum session_scope scope)
{
	if (a->session.scope != SCOPE_AUTO && a->session.scope != scope)
		return err__usage(a->err, "--per-cpu and --per-task exclude each other");
	a->session.scope = scope;
	return 0;
}

static int parse_valued(struct record_args *a, int key, char *arg)
{
	switch (key) {
	case 'F':
		return parse_freq(a, arg);
	case 'c':
		return parse_positive(a, "-c", arg, &a->rate.period);
	case OPT_RATE:
		return parse_rate(a, arg);
	case OPT_BUDGET:
		return parse_budget(a, arg);
	case 'm':
		return parse_ring(a, arg);
	case OPT_MAX_MEMORY:
		return parse_memory(a, arg);
	case OPT_UNIT:
		return parse_unit(a, arg);
	case OPT_MAX_DEPTH:
		return parse_depth(a, arg);
	case OPT_INTERPRETER_FRAMES:
		a->session.interpreter_frames = true;
		return 0;
	case OPT_ADDR:
		return parse_addr(a, arg);
	case OPT_LABEL:
		return parse_labels(a, arg);
	case OPT_BY:
		return parse_by(a, arg);
	case OPT_CALL_GRAPH:
		return parse_call_graph(a, arg);
	case OPT_PER_CPU:
		return parse_scope(a, SCOPE_PER_CPU);
	case OPT_PER_TASK:
		return parse_scope(a, SCOPE_PER_TASK);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int parse_option(struct record_args *a, int key, char *arg)
{
	switch (key) {
	case 'g': /* perf's word for what is so anyway */
		return 0;
	case 'q':
		a->quiet = true;
		return 0;
	case 'o':
		return add_output(a, arg);
	case OPT_FORMAT:
		a->format = arg;
		return 0;
	case OPT_NO_SYMBOLS:
		a->no_symbols = true;
		return 0;
	case OPT_DATA:
		a->session.labels |= LABEL_DATA;
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
		a->debuginfod = a->session.may_download = true;
		return 0;
	case OPT_USER_ONLY:
		a->session.want_kernel = false;
		return 0;
	case OPT_KERNEL_ONLY:
		a->session.want_user = false;
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
		state->child_inputs[0] = &a->what;
		state->child_inputs[1] = &a->target;
		state->child_inputs[2] = &a->window;
		return 0;
	}
	r = parse_option(a, key, arg);
	return r == ARGP_ERR_UNKNOWN ? ARGP_ERR_UNKNOWN : -r;
}

static const struct argp_child children[] = {{.argp = &event_argp, .group = 1},
					     {.argp = &target_argp},
					     {.argp = &window_argp},
					     {0}};

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
	       "Exit status: 0 done, 1 failed, 2 usage, 3 this machine can't; with a COMMAND, its "
	       "own.",
};

static int settle_windows(struct record_args *a)
{
	int r = window_args__check(&a->window, &a->what.names);

	if (r < 0)
		return r;
	gates__note_skid(&a->window.gates, &a->notes);
	a->session.windows = a->window.opts;
	if (a->window.spec.kind != WINDOW_NONE)
		a->session.gates = &a->window.gates;
	else
		a->session.labels &= ~(unsigned)(LABEL_WINDOW | LABEL_WINDOW_NUMBER);
	return 0;
}

static int check(struct record_args *a)
{
	const struct session_opts *s = &a->session;
	int r = target_args__check(&a->target, "record");

	if (r == 0)
		r = settle_windows(a);
	if (r < 0)
		return r;
	if (a->passes && !target__is_command(&s->whom))
		return err__usage(
			a->err,
			"--passes needs a COMMAND to run several times, and no other target");
	if (s->scope == SCOPE_PER_TASK &&
	    (s->whom.all || s->whom.n_cgroups || s->whom.n_containers || s->whom.cpus))
		return err__usage(
			a->err, "--per-task goes with -p, -t or a COMMAND, not with -a, -C, -G or "
				"--container");
	for (size_t i = 0; a->summary && i < a->n_outputs; i++) {
		if (a->outputs[i].path && strcmp(a->summary, a->outputs[i].path) == 0)
			return err__usage(a->err, "-o and --summary name the same file");
	}
	if (a->summary && strcmp(a->summary, "-") == 0)
		return err__usage(a->err,
				  "--summary -: standard output is for the stacks; name a file");
	if (!s->want_user && !s->want_kernel)
		return err__usage(a->err, "--user-only and --kernel-only leave nothing together");
	return a->debuginfod ? debuginfod__check(a->err) : 0;
}

/* What the outputs are, and what that takes. */
static int settle_outputs(struct record_args *a)
{
	/* who shares a cache line is asked of what was saved */
	unsigned with_data = a->session.labels & LABEL_DATA ? LABEL_TID | LABEL_CPU : 0;
	const struct format *format = a->format ? format__named(a->format) : NULL;

	a->names.types = with_data && !a->no_symbols;
	if (a->format && !format)
		return err__usage(a->err, "--format '%s': it is one of " FORMAT_WORDS, a->format);
	if (!a->n_outputs)
		add_output(a, "-");
	for (size_t i = 0; i < a->n_outputs; i++) {
		struct record_output *out = &a->outputs[i];

		if (format)
			out->format = format;
		if (out->format->whole)
			a->names.inlined = a->names.lines = !a->no_symbols;
		if (out->format != format__named("folded"))
			a->session.labels |= LABEL_PID | LABEL_UNWIND_STATUS | LABEL_CGROUP |
					     LABEL_WINDOW | with_data;
	}
	a->session.lines = a->names.lines;
	return 0;
}

static bool writes_to_stdout(const struct record_args *a)
{
	for (size_t i = 0; i < a->n_outputs; i++) {
		if (!a->outputs[i].path)
			return true;
	}
	return false;
}

int record_args__parse(struct record_args *a, int argc, char **argv, struct err *err)
{
	int r;

	*a = (struct record_args){
		.session = {.want_user = true,
			    .by_table = HAS_UNWIND_TABLES,
			    .table_bytes = TABLE_BYTES,
			    .want_kernel = true,
			    .max_frames = PMB_MAX_FRAMES,
			    .max_memory = DEFAULT_MAX_MEMORY,
			    .budget = DEFAULT_BUDGET},
		.target = {.err = err},
		.window = {.err = err},
		.err = err,
	};
	r = options__parse(&argp, argc, argv, ARGP_IN_ORDER, a);
	a->show.unit = a->unit_given ? (int)a->unit : -1;
	a->show.by = a->by;
	a->show.lines = a->names.lines;
	a->show.inlined = a->names.inlined;
	if (r == 0)
		r = settle_outputs(a);
	if (r == 0)
		r = event_args__read(&a->what, &a->parsed, a->err);
	if (r < 0)
		return r;
	a->session.events = &a->events;
	a->session.kernel = a->names.kernel = kernel_names__new();
	/* stdout carries the profile and nothing else, or the command's words */
	a->session.whom = target_args__target(&a->target, writes_to_stdout(a));
	return check(a);
}

void record_args__done(struct record_args *a)
{
	event_list__done(&a->parsed);
	event_list__done(&a->events);
	event_args__done(&a->what);
	free(a->outputs);
	buf__done(&a->notes);
	plan__done(&a->plan);
	kernel_names__free(a->names.kernel);
	target_args__done(&a->target);
	window_args__done(&a->window);
}
