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
#include "pmu/event_db.h"

/* Options without a letter. */
enum {
	OPT_SUMMARY = 256,
	OPT_UNIT,
	OPT_USER_ONLY,
	OPT_KERNEL_ONLY,
	OPT_MAX_DEPTH,
	OPT_ADDR,
	OPT_PER_CPU,
	OPT_PER_TASK,
	OPT_RATE,
	OPT_PASSES,
	OPT_EVENTS,
	OPT_EVENT_DB,
};

enum { DEFAULT_RING_BYTES = 1024 * 1024 };

static const struct argp_option options[] = {
	{0, 0, 0, 0, "What to count:", 1},
	{"event", 'e', "EVENT[,EVENT…]", 0,
	 "Event by alias (dcache-miss), perf's name, pmu/term=val/, rNNNN, mem:ADDR[/LEN][:rwx], the "
	 "CPU maker's name (EVENT:UMASK, by libpfm4) or one of your own; "
	 "name:u :k :p modifiers; name/period=N/ or name/freq=HZ/ for a rate of its own. Default: "
	 "cycles where there is a PMU, else cpu-clock",
	 0},
	{"events", OPT_EVENTS, "FILE", 0,
	 "Names of your own events, instead of ~/.config/pmubpf/events and /etc/pmubpf/events", 0},
	{"event-db", OPT_EVENT_DB, "DIR", 0,
	 "A copy of github.com/intel/perfmon: its names for -e, and what it knows of events", 0},
	{"freq", 'F', "HZ", 0, "Overflows per second, for events that name no rate", 0},
	{"count", 'c', "COUNT", 0, "One overflow every COUNT events, for events that name no rate",
	 0},
	{"rate", OPT_RATE, "lo|on|hi", 0,
	 "An overflow about every 100, 10 or 1 ms (hi, the default), for events that name no rate",
	 0},
	{"passes", OPT_PASSES, 0, 0,
	 "Run COMMAND once for each set of events that fit into the counters together, instead of "
	 "multiplexing them",
	 0},
	{0, 0, 0, 0, "Whom:", 2},
	{"pid", 'p', "PID[,PID…]", 0, "Processes, their threads and children", 0},
	{"tid", 't', "TID[,TID…]", 0, "Threads, and what they start", 0},
	{"all-cpus", 'a', 0, 0, "The whole system; COMMAND then only sets the duration", 0},
	{"cpu", 'C', "CPUS", 0,
	 "Only these CPUs (0-3,8), everything on them unless -p or -t is given", 0},
	{"cgroup", 'G', "CGROUP", 0, "A cgroup and those below it, by path", 0},
	{"no-inherit", 'i', 0, 0, "Don't follow new threads and children", 0},
	{"per-cpu", OPT_PER_CPU, 0, 0, "One event per CPU, targets chosen in BPF", 0},
	{"per-task", OPT_PER_TASK, 0, 0, "One event per task, so that other programs feel nothing",
	 0},
	{0, 0, 0, 0, "How long:", 3},
	{"duration", 'd', "SECONDS", 0, "End after so many seconds (a COMMAND then gets SIGTERM)",
	 0},
	{0, 0, 0, 0, "Output:", 4},
	{"output", 'o', "FILE", 0, "Folded stacks into FILE instead of stdout", 0},
	{"summary", OPT_SUMMARY, "FILE", 0, "The totals as JSON into FILE", 0},
	{"unit", OPT_UNIT, "samples|events|time", 0,
	 "The number at the end of a line: overflows, events, or nanoseconds. Default: time for cycles "
	 "and clocks, events for the rest",
	 0},
	{"user-only", OPT_USER_ONLY, 0, 0, "Leave kernel frames out (samples stay)", 0},
	{"kernel-only", OPT_KERNEL_ONLY, 0, 0, "Leave user frames out (samples stay)", 0},
	{"max-depth", OPT_MAX_DEPTH, "N", 0, "At most N frames a line, from the leaf", 0},
	{"addr", OPT_ADDR, "page", OPTION_ARG_OPTIONAL,
	 "A last frame [0x…]: the data address, or its page, of events that have one", 0},
	{"mmap-pages", 'm', "PAGES|SIZE", 0, "Ring buffer per CPU: pages, or bytes with B, K, M, G",
	 0},
	{"quiet", 'q', 0, 0, "No live line and no summary on stderr", 0},
	{0},
};

static int parse_ids(const char *option, char *text, pid_t **list, size_t *n, size_t *cap,
		     struct err *err)
{
	char *word;
	int id;

	while ((word = strsep(&text, ","))) {
		if (num__parse_int(word, 1, INT32_MAX, &id) < 0)
			return err__usage(err, "%s: '%s' is not a process or thread id", option,
					  word);
		GROW(*list, *n, *cap);
		(*list)[(*n)++] = id;
	}
	return 0;
}

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
	a->max_depth = (unsigned)depth;
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

static int parse_scope(struct record_args *a, enum session_scope scope)
{
	if (a->session.scope != SCOPE_AUTO && a->session.scope != scope)
		return err__usage(a->err, "--per-cpu and --per-task exclude each other");
	a->session.scope = scope;
	return 0;
}

static int parse_cpus(struct record_args *a, const char *text)
{
	cpus__done(&a->cpus);
	if (cpus__parse(text, &a->cpus) < 0)
		return err__usage(a->err, "-C '%s' is not a list of CPUs such as 0-3,8", text);
	return 0;
}

static int parse_duration(struct record_args *a, const char *text)
{
	int r = num__parse_seconds(text, &a->session.duration_ns);

	if (r == -ERANGE)
		return err__usage(a->err, "-d '%s' is too long", text);
	if (r < 0)
		return err__usage(a->err, "-d '%s' is not a number of seconds above 0", text);
	return 0;
}

static int parse_target(struct record_args *a, int key, char *arg)
{
	switch (key) {
	case 'p':
		return parse_ids("-p", arg, &a->pids, &a->session.n_pids, &a->cap_pids, a->err);
	case 't':
		return parse_ids("-t", arg, &a->tids, &a->session.n_tids, &a->cap_tids, a->err);
	case 'C':
		return parse_cpus(a, arg);
	case 'G':
		if (!*arg)
			return err__usage(a->err, "-G '': name a cgroup (/ is the whole system)");
		if (a->cgroup.dir)
			return err__usage(a->err, "-G can be given once");
		return cgroup__resolve(arg, &a->cgroup, a->err);
	case OPT_PER_CPU:
		return parse_scope(a, SCOPE_PER_CPU);
	case OPT_PER_TASK:
		return parse_scope(a, SCOPE_PER_TASK);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int parse_valued(struct record_args *a, int key, char *arg)
{
	switch (key) {
	case 'e':
		GROW(a->event_texts, a->n_texts, a->cap_texts);
		a->event_texts[a->n_texts++] = arg;
		return 0;
	case OPT_EVENTS:
		a->events_file = arg;
		return 0;
	case OPT_EVENT_DB:
		a->event_db = arg;
		return 0;
	case 'F':
		return parse_positive(a, "-F", arg, &a->rate.freq_hz);
	case 'c':
		return parse_positive(a, "-c", arg, &a->rate.period);
	case OPT_RATE:
		return parse_rate(a, arg);
	case 'd':
		return parse_duration(a, arg);
	case 'm':
		return parse_ring(a, arg);
	case OPT_UNIT:
		return parse_unit(a, arg);
	case OPT_MAX_DEPTH:
		return parse_depth(a, arg);
	case OPT_ADDR:
		return parse_addr(a, arg);
	default:
		return parse_target(a, key, arg);
	}
}

static int parse_option(struct record_args *a, int key, char *arg)
{
	switch (key) {
	case 'a':
		a->session.all = true;
		return 0;
	case 'i':
		a->session.inherit = false;
		return 0;
	case 'q':
		a->quiet = true;
		return 0;
	case 'o':
		a->output = strcmp(arg, "-") == 0 ? NULL : arg;
		return 0;
	case OPT_PASSES:
		a->passes = true;
		return 0;
	case OPT_SUMMARY:
		a->summary = arg;
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

	if (key == ARGP_KEY_ARG) {
		/* the first word that isn't an option begins the command: the rest is its business */
		a->session.command = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	}
	r = parse_option(a, key, arg);
	return r == ARGP_ERR_UNKNOWN ? ARGP_ERR_UNKNOWN : -r;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[[--] COMMAND [ARG…]]",
	.doc = "Sample counter overflows of a target and print collapsed stacks.\v"
	       "Examples:\n"
	       "  pmubpf record -e dcache-miss -p PID -d 10 | flamegraph.pl > cache.svg\n"
	       "  pmubpf record -F 999 -o out.folded -- ./program args\n"
	       "  pmubpf record -a -e cpu-clock,page-faults -d 5 --summary totals.json > out.folded\n\n"
	       "Exit status: 0 done, 1 failed, 2 usage, 3 this machine can't; with a COMMAND, its own.",
};

static int check(struct record_args *a)
{
	const struct session_opts *s = &a->session;
	int targets = (s->n_pids || s->n_tids) + s->all + (s->cgroup != NULL);

	if (targets > 1 && !(s->all && s->cgroup && targets == 2))
		return err__usage(a->err, "-p/-t, -a and -G each say whom: give one of them");
	if (s->command && (s->n_pids || s->n_tids))
		return err__usage(a->err, "-p/-t and a COMMAND each say whom: give one of them");
	if (!targets && !s->command && !s->cpus)
		return err__usage(a->err,
				  "say whom: -p PID, -t TID, -a, -C CPUS, -G CGROUP or a COMMAND "
				  "(see pmubpf record --help)");
	if (a->passes && !s->command)
		return err__usage(a->err, "--passes needs a COMMAND to run several times");
	if (s->scope == SCOPE_PER_TASK && (s->all || s->cgroup || s->cpus))
		return err__usage(
			a->err, "--per-task goes with -p, -t or a COMMAND, not with -a, -C or -G");
	if (a->summary && a->output && strcmp(a->summary, a->output) == 0)
		return err__usage(a->err, "-o and --summary name the same file");
	if (a->summary && strcmp(a->summary, "-") == 0)
		return err__usage(a->err,
				  "--summary -: standard output is for the stacks; name a file");
	if (!s->want_user && !s->want_kernel)
		return err__usage(a->err, "--user-only and --kernel-only leave nothing together");
	return 0;
}

static int parse_events(struct record_args *a)
{
	int r = event_db_use(a->event_db, a->err);

	if (r == 0)
		r = event_names__read(&a->names, a->events_file, a->err);
	for (size_t i = 0; r == 0 && i < a->n_texts; i++)
		r = event_names__parse(&a->names, &a->events, a->event_texts[i], a->err);
	return r;
}

int record_args__parse(struct record_args *a, int argc, char **argv, struct err *err)
{
	static char name[] = "pmubpf record"; /* argp's messages begin with it */
	int r;

	*a = (struct record_args){
		.session = {.inherit = true,
			    .want_user = true,
			    .want_kernel = true,
			    .max_frames = PMB_MAX_FRAMES,
			    .ring_bytes = DEFAULT_RING_BYTES,
			    .command_stdout = -1,
			    .reader_fd = -1},
		.err = err,
	};
	argp_err_exit_status = EXIT_USAGE;
	argv[0] = name;
	r = -argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, a);
	if (r == 0)
		r = parse_events(a);
	if (r < 0)
		return r;
	a->session.events = &a->events;
	a->session.pids = a->pids;
	a->session.tids = a->tids;
	a->session.cpus = a->cpus.n ? &a->cpus : NULL;
	a->session.cgroup = a->cgroup.dir ? &a->cgroup : NULL;
	if (!a->output) {
		/* stdout carries folded stacks and nothing else: the command's words go to stderr */
		a->session.command_stdout = STDERR_FILENO;
		a->session.reader_fd = STDOUT_FILENO;
	}
	return check(a);
}

void record_args__done(struct record_args *a)
{
	event_list__done(&a->events);
	event_names__done(&a->names);
	free(a->event_texts);
	plan__done(&a->plan);
	free(a->pids);
	free(a->tids);
	cpus__done(&a->cpus);
	cgroup__done(&a->cgroup);
}
