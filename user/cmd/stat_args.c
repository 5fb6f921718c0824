// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/stat_args.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "cmd/alarm_args.h"
#include "cmd/options.h"

/* Options without a letter. */
enum {
	OPT_PER_THREAD = 256,
	OPT_PER_CGROUP,
	OPT_PER,
	OPT_BY,
	OPT_NEIGHBOURS,
	OPT_LIMIT,
	OPT_ALARM,
	OPT_BUDGET,
};

enum { MS = 1000000, MAX_INTERVAL_MS = 1000000000, MAX_RUNS = 1000000 };

static const struct argp_option options[] = {
	{0, 0, 0, 0, "What to count:", 1},
	{0, 0, 0, 0, "What to tell apart:", 5},
	{"per-cpu", 'A', 0, 0, "A row for each CPU", 0},
	{"no-aggr", 0, 0, OPTION_ALIAS, 0, 0},
	{"per-thread", OPT_PER_THREAD, 0, 0,
	 "A row for each thread of -p and -t that there is at the start", 0},
	{"per-cgroup", OPT_PER_CGROUP, 0, 0, "A row for each -G and for each cgroup right below it",
	 0},
	{"by", OPT_BY, "WHOM", 0,
	 "Besides, whose the counts of whole CPUs are, told at each switch: process, comm, "
	 "cgroup or container; with -p of those processes and of everybody else",
	 0},
	{"neighbours", OPT_NEIGHBOURS, 0, 0,
	 "Besides, who had the CPU while threads of the target waited for it, ready to run, and "
	 "how long, by container or what --by says",
	 0},
	{"per", OPT_PER, "[NAME=]loop|run|syscall|u:FUNC|A..B|A", 0,
	 "Besides, what one unit of work costs: each count in each window of a thread's time, as "
	 "for record --window, or from one time that A is met to the next (a tracepoint, or an "
	 "event with a period)",
	 0},
	{"budget", OPT_BUDGET, "PERCENT", 0,
	 "Of all CPUs' time, what probes in programs may take at most that begin and end windows "
	 "and units (u:, usdt:; default: 1); beyond it they are in place for slices of time only; "
	 "0: any",
	 0},
	{"interval", 'I', "MS", 0, "Counts of every MS milliseconds, or 1s, 2m", 0},
	{"repeat", 'r', "N", 0, "Run the COMMAND N times: mean and spread", 0},
	{0, 0, 0, 0, "Output:", 6},
	{"output", 'o', "FILE", 0,
	 "Into FILE instead of standard output, which stays the COMMAND's then", 0},
	{"limit", OPT_LIMIT, "N", 0,
	 "At most N lines of --by; 0: all (default: 40 of text, else all)", 0},
	{"json", 'j', 0, 0, "JSON; with -I a line for each interval", 0},
	{"field-separator", 'x', "SEP", 0, "Fields separated by SEP, in perf's columns", 0},
	{0, 0, 0, 0, "Alarms:", 10},
	{"alarm", OPT_ALARM, "'Y ~ X'", 0,
	 "With -I: say when event Y is no more what event X (or windows: units of --per) explains, "
	 "as learnt from the intervals before; a term may name its target: EVENT{container=NAME}",
	 0},
	{0},
};

static int parse_number(struct stat_args *a, const char *what, const char *text, int max, int *ret)
{
	if (num__parse_int(text, 1, max, ret) < 0)
		return err__usage(a->err, "%s '%s' is not a whole number from 1 to %d", what, text,
				  max);
	return 0;
}

static int parse_interval(struct stat_args *a, const char *text)
{
	if (num__parse_time(text, MS, &a->interval_ns) == 0 && a->interval_ns >= MS &&
	    a->interval_ns / MS <= MAX_INTERVAL_MS)
		return 0;
	return err__usage(a->err, "-I '%s' is not a time from 1 to %d ms, such as 100, 100ms or 1s",
			  text, MAX_INTERVAL_MS);
}

static int parse_per(struct stat_args *a, const char *text)
{
	if (a->per.kind != WINDOW_NONE)
		return err__usage(a->err, "--per is given twice: one kind of unit at a time");
	return window_spec__parse(&a->per, "--per", true, text, a->err);
}

static int parse_by(struct stat_args *a, const char *text)
{
	static const char *const names[] = {
		[COUNTING_BY_PROCESS] = "process",
		[COUNTING_BY_COMM] = "comm",
		[COUNTING_BY_CGROUP] = "cgroup",
		[COUNTING_BY_CONTAINER] = "container",
	};

	for (size_t i = COUNTING_BY_PROCESS; i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i], text) != 0)
			continue;
		a->by = text;
		a->by_what = (enum counting_by)i;
		return 0;
	}
	return err__usage(a->err, "--by '%s' is none of process, comm, cgroup, container", text);
}

static int parse_limit(struct stat_args *a, const char *text)
{
	if (num__parse_int(text, 0, INT_MAX, &a->limit) == 0)
		return 0;
	return err__usage(a->err, "--limit '%s' is not a number of lines (0: all)", text);
}

static int parse_valued(struct stat_args *a, int key, char *arg)
{
	int number, r;

	switch (key) {
	case OPT_PER:
		return parse_per(a, arg);
	case OPT_BY:
		return parse_by(a, arg);
	case OPT_LIMIT:
		return parse_limit(a, arg);
	case OPT_BUDGET:
		return parse_budget(&a->budget, arg, a->err);
	case OPT_ALARM:
		alarm_args__ask(&a->alarms, arg);
		return 0;
	case 'I':
		return parse_interval(a, arg);
	case 'r':
		r = parse_number(a, "-r", arg, MAX_RUNS, &number);
		if (r == 0)
			a->runs = (unsigned)number;
		return r;
	case 'x':
		if (!*arg)
			return err__usage(a->err, "-x '': what separates the fields? (-x,)");
		a->separator = strcmp(arg, "\\t") == 0 ? "\t" : arg;
		return 0;
	case 'o':
		a->output = strcmp(arg, "-") == 0 ? NULL : arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct stat_args *a = state->input;
	int r;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->what;
		state->child_inputs[1] = &a->target;
		state->child_inputs[2] = &a->window;
		state->child_inputs[3] = &a->alarms;
		return 0;
	case 'A':
		a->per_cpu = true;
		return 0;
	case OPT_PER_THREAD:
		a->per_thread = true;
		return 0;
	case OPT_PER_CGROUP:
		a->per_cgroup = true;
		return 0;
	case OPT_NEIGHBOURS:
		a->neighbours = true;
		return 0;
	case 'j':
		a->json = true;
		return 0;
	default:
		r = parse_valued(a, key, arg);
		return r == ARGP_ERR_UNKNOWN ? ARGP_ERR_UNKNOWN : -r;
	}
}

static const struct argp_child children[] = {{.argp = &event_argp, .group = 1},
					     {.argp = &target_argp},
					     {.argp = &window_argp},
					     {.argp = &alarm_argp},
					     {0}};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.args_doc = "[[--] COMMAND [ARG…]]",
	.doc = "Count events of a target, without sampling.\v"
	       "Examples:\n"
	       "  pmubpf stat -- make -j2\n"
	       "  pmubpf stat -e page-faults,context-switches -I 1000 -p PID\n"
	       "  pmubpf stat -a -A -d 5 --json > counts.json\n"
	       "  pmubpf stat -a --by process -e task-clock,page-faults -d 5\n"
	       "  pmubpf stat --per loop -e page-faults -p PID -d 10\n\n"
	       "Periods and rates in -e mean nothing here: nothing is sampled. Without -e: "
	       "task-clock, context-switches, cpu-migrations, page-faults, and where there is a "
	       "PMU cycles, instructions, branches, branch-misses.\n\n"
	       "The counts go to standard output, and what a COMMAND writes there goes to standard "
	       "error; with -o it keeps its standard output.\n\n"
	       "Exit status: 0 done, 1 failed, 2 usage, 3 nothing can be counted here, 4 an "
	       "alarm (--alarm-exit); with a COMMAND, its own.",
};

/* A unit is a thread's, wherever it runs, and one filter says whose. */
static bool is_switch(const struct window_probe *probe)
{
	return probe->kind == PROBE_TRACEPOINT && strcmp(probe->group, "sched") == 0 &&
	       strcmp(probe->name, "sched_switch") == 0;
}

static bool counts_switches(const struct gate_probe *probe)
{
	enum { SW_CGROUP_SWITCHES = 11 };
	const struct event *event = probe->event;

	return event && event->attr.type == PERF_TYPE_SOFTWARE &&
	       (event->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		event->attr.config == SW_CGROUP_SWITCHES);
}

static int no_unit_of_switches(struct stat_args *a)
{
	return err__usage(a->err,
			  "%s '%s': counts are set aside at a switch, so no unit can begin or "
			  "end at one; use run, from when a thread gets a CPU until it loses it",
			  a->per.option, a->per.name);
}

static int check_per(struct stat_args *a)
{
	const struct target_args *t = &a->target;
	int r;
	const char *other = a->runs > 1   ? "-r" :
			    a->per_cpu    ? "-A" :
			    a->per_thread ? "--per-thread" :
			    a->per_cgroup ? "--per-cgroup" :
			    t->cpus.n     ? "-C" :
					    NULL;

	if (a->per.kind == WINDOW_NONE)
		return window_args__refine(&a->window, &a->gates);
	if (other)
		return err__usage(a->err, "%s and %s exclude each other", a->per.option, other);
	if (is_switch(&a->per.from) || is_switch(&a->per.to))
		return no_unit_of_switches(a);
	r = gates__settle(&a->gates, &a->per, &a->what.names, 0, a->err);
	if (r == 0 && (counts_switches(&a->gates.opens) || counts_switches(&a->gates.closes)))
		return no_unit_of_switches(a);
	return r < 0 ? r : window_args__refine(&a->window, &a->gates);
}

/* What is said of windows for samples and can't be had of counts. */
static int check_window(struct stat_args *a)
{
	struct window_args *w = &a->window;
	int r = window_args__check_alone(w);

	if (r < 0 || w->spec.kind == WINDOW_NONE)
		return r;
	if (a->per.kind != WINDOW_NONE)
		return err__usage(a->err,
				  "--window and --per exclude each other: --per prints what "
				  "is inside of one window on average, as well");
	if (w->after_ns)
		return err__usage(a->err,
				  "--after is of samples: counters are read at both ends of "
				  "a window and not between; --longer leaves short windows "
				  "out");
	if (w->by_process && w->opts.longer_ns)
		return err__usage(a->err,
				  "--window-scope process: counts of several threads can't be "
				  "given back where their window turns out to be short; leave "
				  "--longer out");
	if (w->opts.slowest)
		return err__usage(a->err,
				  "--slowest is of samples: of counts sums are kept and not "
				  "each window's; --longer leaves short windows out");
	a->per = w->spec;
	w->spec = (struct window_spec){0};
	a->inside = true;
	return 0;
}

/* What waits may be anybody; who ran meanwhile is told by programs that know one of them. */
static int check_neighbours(struct stat_args *a)
{
	const struct target_args *t = &a->target;
	const char *other = a->runs > 1   ? "-r" :
			    a->per_cpu    ? "-A" :
			    a->per_thread ? "--per-thread" :
			    a->per_cgroup ? "--per-cgroup" :
			    t->n_tids     ? "-t" :
					    NULL;

	if (!a->by)
		parse_by(a, "container");
	if (other)
		return err__usage(a->err, "--neighbours and %s exclude each other", other);
	if (!(t->all || t->cpus.n || t->n_pids || t->n_cgroups || t->n_containers))
		return err__usage(a->err,
				  "--neighbours: say whose waits, by -a, -C CPUS, -p PID, -G "
				  "CGROUP or --container NAME (a COMMAND beside them sets "
				  "the time)");
	if (t->n_pids > 1)
		return err__usage(a->err, "--neighbours: of one process at a time; these are %zu",
				  t->n_pids);
	return 0;
}

/* It is about CPUs, and about processes on them. */
static int check_by(struct stat_args *a)
{
	const struct target_args *t = &a->target;
	const char *other = a->runs > 1     ? "-r" :
			    a->per_cpu      ? "-A" :
			    a->per_thread   ? "--per-thread" :
			    t->n_tids       ? "-t" :
			    t->n_cgroups    ? "-G" :
			    t->n_containers ? "--container" :
					      NULL;

	if (a->neighbours)
		return check_neighbours(a);
	if (a->by_what == COUNTING_BY_NONE)
		return a->limit < 0 ? 0 : err__usage(a->err, "--limit is of lines of --by");
	if (other)
		return err__usage(a->err, "--by and %s exclude each other", other);
	if (!t->all && !t->cpus.n && !t->n_pids)
		return err__usage(a->err, "--by tells apart what whole CPUs counted: give -a, -C "
					  "CPUS or -p PID (a COMMAND beside them sets the time)");
	if (t->n_pids && a->by_what != COUNTING_BY_PROCESS)
		return err__usage(a->err, "-p goes with --by process: it picks its rows");
	return 0;
}

static int check_alarms(struct stat_args *a)
{
	if (a->alarms.n_texts && !a->interval_ns)
		return err__usage(a->err,
				  "--alarm looks at each interval: say how long they are (-I 1s)");
	return alarms__check(&a->alarms, a->err);
}

static int check(struct stat_args *a)
{
	const struct target_args *t = &a->target;
	int r = target_args__check(t, "stat");

	if (r < 0)
		return r;
	if (a->json && a->separator)
		return err__usage(a->err, "--json and -x exclude each other");
	if (a->per_thread && !t->n_pids && !t->n_tids)
		return err__usage(
			a->err, "--per-thread goes with -p or -t: the threads of a COMMAND aren't "
				"there yet when counting begins, and count in the one that starts "
				"them; attach with -p PID --per-thread when they run");
	if (a->per_cgroup && !t->n_cgroups && !t->n_containers)
		return err__usage(a->err, "--per-cgroup: say where, by -G CGROUP (/ for all) or "
					  "--container NAME");
	if (a->runs > 1 && !t->command)
		return err__usage(a->err, "-r repeats a COMMAND, and there is none");
	if (a->runs > 1 && a->interval_ns)
		return err__usage(a->err, "-r and -I exclude each other");
	r = check_alarms(a);
	if (r == 0)
		r = check_by(a);
	if (r == 0)
		r = check_window(a);
	return r < 0 ? r : check_per(a);
}

int stat_args__parse(struct stat_args *a, int argc, char **argv, struct err *err)
{
	int r;

	*a = (struct stat_args){
		.target = {.err = err, .many_cgroups = true},
		.runs = 1,
		.window = {.err = err},
		.alarms = {.option = "--alarm"},
		.limit = -1,
		.budget = DEFAULT_BUDGET,
		.err = err,
	};
	r = options__parse(&argp, argc, argv, ARGP_IN_ORDER, a);
	a->what.counting = true;
	if (r == 0)
		r = event_args__read(&a->what, &a->events, err);
	return r < 0 ? r : check(a);
}

void stat_args__done(struct stat_args *a)
{
	event_list__done(&a->events);
	gates__done(&a->gates);
	window_spec__done(&a->per);
	window_args__done(&a->window);
	event_args__done(&a->what);
	target_args__done(&a->target);
	alarms__done(&a->alarms);
}
