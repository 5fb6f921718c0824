// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/sampling_args.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "cmd/op_events.h"
#include "cmd/options.h"
#include "model/labels.h"
#include "pmu/probe.h"
#include "pmu/settle.h"
#include "pmu/skid.h"
#include "sys/procfs.h"

/* Options without a letter, apart from those of the subcommands. */
enum {
	OPT_RATE = 5120,
	OPT_BUDGET,
	OPT_OFF_CPU,
	OPT_PER_CPU,
	OPT_PER_TASK,
	OPT_USER_ONLY,
	OPT_KERNEL_ONLY,
	OPT_INTERPRETER_FRAMES,
	OPT_CALL_GRAPH,
	OPT_MAX_MEMORY,
};

enum {
	MIN_MEMORY = 1024 * 1024,
	TABLE_BYTES = PMB_CHUNKS_MAX * (int)sizeof(struct pmb_chunk),
};

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
	{"off-cpu", OPT_OFF_CPU, 0, 0,
	 "Besides, time that threads have no CPU: from each switch to the next run, with the "
	 "stacks of the switch (-e off-cpu/min=1ms/: what lasted that long)",
	 0},
	{"per-cpu", OPT_PER_CPU, 0, 0, "One event per CPU, targets chosen in BPF", 2},
	{"per-task", OPT_PER_TASK, 0, 0, "One event per task, so that other programs feel nothing",
	 0},
	{0, 0, 0, 0, "Stacks:", 5},
	{"user-only", OPT_USER_ONLY, 0, 0, "Leave kernel frames out (samples stay)", 0},
	{"kernel-only", OPT_KERNEL_ONLY, 0, 0, "Leave user frames out (samples stay)", 0},
	{"interpreter-frames", OPT_INTERPRETER_FRAMES, 0, 0,
	 "Keep the interpreter's own functions between those of Python", 0},
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
	{0},
};

static int parse_rate(struct sampling_args *a, const char *text)
{
	if (rate_preset__parse(text, &a->rate.preset) == 0)
		return 0;
	return err__usage(a->err, "--rate '%s': it is one of lo, on, hi", text);
}

static int parse_ring(struct sampling_args *a, const char *text)
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

static int parse_memory(struct sampling_args *a, const char *text)
{
	uint64_t bytes;

	if (num__parse_size(text, &bytes) < 0 || bytes < MIN_MEMORY || bytes > (1ULL << 40))
		return err__usage(a->err,
				  "--max-memory '%s': a size such as 128M, from 1M to 1024G", text);
	a->session.max_memory = bytes;
	return 0;
}

static int parse_positive(struct sampling_args *a, const char *option, const char *text,
			  uint64_t *ret)
{
	int r = num__parse_u64(text, ret);

	if (r == -ERANGE)
		return err__usage(a->err, "%s '%s' is too large", option, text);
	if (r < 0 || !*ret)
		return err__usage(a->err, "%s '%s' is not a whole number above 0", option, text);
	return 0;
}

/* perf calls them dwarf and fp, and "dwarf,BYTES" says how much of a stack it copies for each
 * sample. */
static int parse_call_graph(struct sampling_args *a, const char *text)
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
static int parse_freq(struct sampling_args *a, const char *text)
{
	static const char file[] = "/proc/sys/kernel/perf_event_max_sample_rate";

	a->rate.most = strcmp(text, "max") == 0;
	if (!a->rate.most)
		return parse_positive(a, "-F", text, &a->rate.freq_hz);
	a->rate.freq_hz = file_read_u64(file, 0);
	if (a->rate.freq_hz)
		return 0;
	return err__usage(a->err, "-F max: %s can't be read; give a number", file);
}

static int parse_scope(struct sampling_args *a, enum session_scope scope)
{
	if (a->session.scope != SCOPE_AUTO && a->session.scope != scope)
		return err__usage(a->err, "--per-cpu and --per-task exclude each other");
	a->session.scope = scope;
	return 0;
}

static int parse_walk(struct sampling_args *a, int key, char *arg)
{
	switch (key) {
	case 'g': /* perf's word for what is so anyway */
		return 0;
	case OPT_CALL_GRAPH:
		return parse_call_graph(a, arg);
	case OPT_INTERPRETER_FRAMES:
		a->session.interpreter_frames = true;
		return 0;
	case OPT_USER_ONLY:
		a->session.want_kernel = false;
		return 0;
	case OPT_KERNEL_ONLY:
		a->session.want_user = false;
		return 0;
	case 'm':
		return parse_ring(a, arg);
	case OPT_MAX_MEMORY:
		return parse_memory(a, arg);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int parse_option(struct sampling_args *a, int key, char *arg)
{
	switch (key) {
	case 'F':
		return parse_freq(a, arg);
	case 'c':
		return parse_positive(a, "-c", arg, &a->rate.period);
	case OPT_RATE:
		return parse_rate(a, arg);
	case OPT_BUDGET:
		a->budget_given = true;
		return parse_budget(&a->session.budget, arg, a->err);
	case OPT_OFF_CPU:
		a->off_cpu = true;
		return 0;
	case OPT_PER_CPU:
		return parse_scope(a, SCOPE_PER_CPU);
	case OPT_PER_TASK:
		return parse_scope(a, SCOPE_PER_TASK);
	default:
		return parse_walk(a, key, arg);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct sampling_args *a = state->input;
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

const struct argp sampling_argp = {.options = options, .parser = parse, .children = children};

void sampling_args__init(struct sampling_args *a, struct err *err)
{
	*a = (struct sampling_args){
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
}

void sampling_args__want_label(struct sampling_args *a, const char *word)
{
	a->session.labels |= label__of_word(word);
	a->label_cgroup |= strcmp(word, "cgroup") == 0;
}

int sampling_args__read(struct sampling_args *a, bool stdout_is_data)
{
	int r = op_events__take(&a->what, &a->target, a->err);

	if (r == 0)
		r = event_args__read(&a->what, &a->parsed, a->err);
	if (r < 0)
		return r;
	a->session.events = &a->events;
	a->session.kernel = kernel_names__new();
	a->session.whom = target_args__target(&a->target, stdout_is_data);
	return 0;
}

static int settle_windows(struct sampling_args *a)
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

int sampling_args__check(struct sampling_args *a, const char *subcommand)
{
	const struct session_opts *s = &a->session;
	int r = target_args__check(&a->target, subcommand);

	if (r == 0)
		r = settle_windows(a);
	if (r < 0)
		return r;
	if (s->scope == SCOPE_PER_TASK &&
	    (s->whom.all || s->whom.n_cgroups || s->whom.n_containers || s->whom.cpus))
		return err__usage(
			a->err, "--per-task goes with -p, -t or a COMMAND, not with -a, -C, -G or "
				"--container");
	if (!s->want_user && !s->want_kernel)
		return err__usage(a->err, "--user-only and --kernel-only leave nothing together");
	return 0;
}

/* Without -e: cycles where there is a PMU, else cpu-clock, and why. */
static int default_event(struct sampling_args *a, struct err *err)
{
	struct probe_result probe;
	int r;

	if (a->parsed.n)
		return 0;
	r = event_names__parse_ours(&a->what.names, &a->parsed, "cycles", err);
	if (r < 0)
		return r;
	event__probe(&a->parsed.events[0], &probe);
	if (probe.ok && !probe.user_only && probe.mode == EVENT_OVERFLOWS) {
		if (!a->quiet)
			fprintf(stderr, "pmubpf: no event was named (-e): sampling cycles\n");
		return 0;
	}
	if (!a->quiet)
		fprintf(stderr,
			"pmubpf: no event was named (-e): sampling cpu-clock, because cycles "
			"can't be counted: %s\n",
			probe.reason);
	event_list__done(&a->parsed);
	a->parsed = (struct event_list){0};
	return event_names__parse_ours(&a->what.names, &a->parsed, "cpu-clock", err);
}

/* Beside the others; not if one of them is it already. */
static int add_off_cpu(struct sampling_args *a, struct err *err)
{
	for (size_t i = 0; i < a->parsed.n; i++) {
		if (a->parsed.events[i].off_cpu)
			return 0;
	}
	return a->off_cpu ? event_names__parse_ours(&a->what.names, &a->parsed, "off-cpu", err) : 0;
}

/* Its samples come when the time is over, and another thread may have closed the window by then. */
static int check_off_cpu(const struct sampling_args *a, struct err *err)
{
	for (size_t i = 0; a->window.by_process && i < a->parsed.n; i++) {
		if (a->parsed.events[i].off_cpu)
			return err__usage(err, "--window-scope process: how long a thread has no "
					       "CPU (off-cpu) is known when it has one again, and "
					       "its process's window may be over by then; leave "
					       "one of them out");
	}
	return 0;
}

/* Of others an instruction says as little as where it stands. */
static int check_opcode(const struct sampling_args *a, struct err *err)
{
	for (size_t i = 0; (a->session.labels & LABEL_OPCODE) && i < a->events.n; i++) {
		const struct event *event = &a->events.events[i];

		if (!event->added && !event_pc_is_exact(event))
			return err__usage(err,
					  "opcode: %s interrupts some instructions later than what "
					  "it is about, so that of a sample isn't it; use "
					  "blockclass, which is that of the block of code, or only "
					  "events that are exact (cycles:pp, where the CPU has it; "
					  "page-faults)",
					  event__label(event));
	}
	return 0;
}

struct clock_need {
	const struct session_opts *session;
	bool each_pass;
};

static bool needs_clock(void *ctx, const struct event_list *events)
{
	const struct clock_need *need = ctx;

	(void)events; /* the session's */
	return session_needs_clock(need->session, need->each_pass);
}

int sampling_args__settle(struct sampling_args *a, bool each_pass, struct err *err)
{
	struct clock_need need = {&a->session, each_pass};
	const struct settle_opts opts = {
		.rate = a->rate,
		.budget_given = a->budget_given,
		.needs_clock = needs_clock,
		.ctx = &need,
	};
	int r = rate__check(&a->rate, err);

	if (r == 0)
		r = op_events__find(&a->what, &a->target, &a->parsed, &a->notes, err);
	if (r == 0)
		r = default_event(a, err);
	if (r == 0)
		r = add_off_cpu(a, err);
	if (r == 0)
		r = check_off_cpu(a, err);
	if (r < 0)
		return r;
	r = settle(&a->events, &a->plan, &a->parsed, &opts, &a->notes, err);
	return r < 0 ? r : check_opcode(a, err);
}

void sampling_args__done(struct sampling_args *a)
{
	event_list__done(&a->parsed);
	event_list__done(&a->events);
	event_args__done(&a->what);
	buf__done(&a->notes);
	plan__done(&a->plan);
	kernel_names__free(a->session.kernel);
	target_args__done(&a->target);
	window_args__done(&a->window);
}
