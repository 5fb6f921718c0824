// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* pmubpf stat: counts without sampling. stdout is data, stderr is talk. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/output.h"
#include "cmd/stat_args.h"
#include "cmd/target_cgroups.h"
#include "opener/opener.h"
#include "pmu/breakpoints.h"
#include "pmu/probe.h"
#include "render/stat.h"
#include "session/counting.h"
#include "sys/clock.h"

enum { TEXT_ROWS = 40 };

struct stat_run {
	const struct stat_args *args;
	struct alarms *alarms;
	bool alarmed; /* and that ends it */
	char *const *command_line;
	struct counting_opts opts;
	struct counting_result result;    /* of the run that is on */
	struct processor_watch processor; /* of the interval, or of all runs */
	struct output output;
	struct opener *opener;
	struct buf whom, notes;
	unsigned runs; /* that are in the sums */
	struct counts sums;
	struct spread *spreads, elapsed;
	uint64_t user_ns, system_ns;
	bool written;
	int error; /* of writing, and its sentence */
	struct err failed;
};

/* What the CPU's counters can't do here is left out, and noted: mostly all for one reason. */
static int default_hardware(struct event_list *events, const struct event_names *all,
			    struct buf *notes, struct err *err)
{
	static const char *const names[] = {"cycles", "instructions", "branches", "branch-misses"};
	char reason[256] = "";
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(names); i++) {
		_cleanup_(event_list__done) struct event_list one = {0};
		struct probe_result probe = {0};

		r = event_names__parse_ours(all, &one, names[i], err);
		if (r == 0)
			event__probe_count(&one.events[0], &probe);
		if (r == 0 && probe.ok)
			r = event_names__parse_ours(all, events, names[i], err);
		if (r < 0 || probe.ok)
			continue;
		if (strcmp(reason, probe.reason) == 0) {
			buf__printf(notes, ", %s", names[i]);
			continue;
		}
		if (*reason)
			buf__printf(notes, ": %s\n", reason);
		buf__printf(notes, "without %s", names[i]);
		snprintf(reason, sizeof(reason), "%s", probe.reason);
	}
	if (*reason)
		buf__printf(notes, ": %s\n", reason);
	return r;
}

/* perf's default set. */
static int default_events(struct event_list *events, const struct event_names *names,
			  struct buf *notes, struct err *err)
{
	int r = event_names__parse_ours(names, events,
					"task-clock,context-switches,cpu-migrations,page-faults",
					err);

	return r == 0 ? default_hardware(events, names, notes, err) : r;
}

/* What :u and :k were given for and don't do. */
static void note_clocks(const struct event_list *events, struct buf *notes)
{
	for (size_t i = 0; i < events->n; i++) {
		const struct event *event = &events->events[i];

		if (event__counts_all_code(event) &&
		    (event->attr.exclude_user || event->attr.exclude_kernel))
			buf__printf(notes,
				    "%s: the kernel's clock counters also count the code that :u "
				    "or :k leaves out\n",
				    event->name);
	}
}

static void put_ids(struct buf *out, const char *what, const pid_t *ids, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf__printf(out, "%s%s%d", out->len ? ", " : "", i ? "" : what, ids[i]);
}

/* The target in words, for the title. */
static void describe(const struct stat_args *a, struct buf *out)
{
	const struct target_args *t = &a->target;

	put_ids(out, "process ", t->pids, t->n_pids);
	put_ids(out, "thread ", t->tids, t->n_tids);
	for (size_t i = 0; i < t->n_containers; i++)
		buf__printf(out, "%s%s%s", out->len ? ", " : "", i ? "" : "container ",
			    t->containers[i]);
	for (size_t i = 0; !t->n_containers && i < t->n_cgroups; i++)
		buf__printf(out, "%s%s%s", out->len ? ", " : "", i ? "" : "cgroup ",
			    cgroup__path(&t->cgroups[i]));
	if (t->all && !t->n_cgroups)
		buf__puts(out, "the system");
	for (int i = 0; i < t->cpus.n; i++)
		buf__printf(out, "%s%d", i ? "," : out->len ? " on CPU " : "CPU ", t->cpus.cpu[i]);
	if (out->len)
		return;
	for (char *const *word = t->command; *word; word++)
		buf__printf(out, "%s%s", word == t->command ? "'" : " ", *word);
	buf__putc(out, '\'');
}

static int settle_cgroups(struct stat_args *a, struct opener *opener, struct err *err)
{
	struct alarm_targets *apart = &a->alarms.targets;
	struct target_args *t = &a->target;
	int r = target_cgroups__find(t, opener, err);
	size_t n = t->n_cgroups;

	for (size_t i = 0; r == 0 && i < apart->n; i++)
		r = target_cgroups__find(&apart->list[i].args, opener, err);
	for (size_t i = 0; r == 0 && a->per_cgroup && i < n; i++) {
		_cleanup_free_ struct cgroup_ref *below = NULL;
		size_t n_below = 0;

		r = cgroup__children(&t->cgroups[i], &below, &n_below, err);
		for (size_t k = 0; r == 0 && k < n_below; k++)
			target_cgroups__add(t, &below[k]);
	}
	return r;
}

/* What picks targets in programs knows one cgroup. */
static int check_units(const struct stat_args *a, struct err *err)
{
	const char *option = a->neighbours ? "--neighbours" : a->per.option;

	if ((a->per.kind == WINDOW_NONE && !a->neighbours) || a->target.n_cgroups < 2)
		return 0;
	return err__usage(err, "%s: of one cgroup or container at a time; these are %zu cgroups",
			  option, a->target.n_cgroups);
}

static void format(const struct stat_run *run, const struct stat_report *report, struct buf *out)
{
	if (run->args->json)
		stat__json(report, out);
	else if (run->args->separator)
		stat__csv(report, run->args->separator, out);
	else
		stat__text(report, out);
}

/* Of lines of --by; 0: all. */
static size_t limit_of(const struct stat_args *a)
{
	if (a->limit >= 0)
		return (size_t)a->limit;
	return a->json || a->separator ? 0 : TEXT_ROWS;
}

static int put(struct stat_run *run, struct stat_report *report)
{
	_cleanup_(buf__done) struct buf text = {0}, notes = {0};
	FILE *file = run->output.file ? run->output.file : stdout;

	if (run->error)
		return run->error;
	buf__add(&notes, run->notes.data, run->notes.len);
	buf__add(&notes, run->result.notes.data, run->result.notes.len);
	report->notes = notes.data;
	owner_lines__limit(&run->result.owner_lines, limit_of(run->args));
	format(run, report, &text);
	if (run->output.file && !run->written)
		output__empty(&run->output);
	run->written = true;
	run->error = buf__write(&text, file);
	if (run->error != -EPIPE)
		run->error = output__finish(&run->output, run->error, &run->failed);
	return run->error;
}

static struct stat_report report_of(const struct stat_run *run, const struct counts *counts)
{
	return (struct stat_report){
		.events = &run->result.events,
		.tried = run->result.tried,
		.counts = counts,
		.runs = 1,
		.whom = run->whom.data,
		.first = true,
		.command_line = run->command_line,
		.work = run->opts.per ? &run->result.work : NULL,
		.work_tried = run->result.work_tried,
		.per = run->args->per.name,
		.throttled_ns = run->result.throttled_ns,
		.gpu_ns = run->result.gpu_ns,
		.inside = run->args->inside,
		.longer_ns = run->args->window.opts.longer_ns,
		.owners = run->opts.by ? &run->result.owners : NULL,
		.owner_lines = &run->result.owner_lines,
		.owners_tried = run->result.owners_tried,
		.by = run->args->by,
	};
}

/* What is new of them is talk, whatever the format. */
static void add_to_alarms(struct stat_run *run, struct stat_report *report)
{
	_cleanup_(buf__done) struct buf talk = {0};
	unsigned raised = alarms__add(run->alarms, &run->result, &talk);

	alarms__say(&talk);
	report->alarms = run->alarms->news;
	report->n_alarms = run->alarms->n;
	run->alarmed = raised && run->alarms->exit;
}

/* Of this interval; of a second since when would say nothing. */
static struct processor_loss interval_loss(struct stat_run *run)
{
	struct processor_loss loss = processor_watch__cut(&run->processor, "", now_ns());

	loss.watched = false;
	return loss;
}

static int put_interval(void *ctx, const struct counts *counts)
{
	struct stat_run *run = ctx;
	struct stat_report report = report_of(run, counts);
	int r;

	report.interval = true;
	if (run->opts.processor)
		report.loss = interval_loss(run);
	report.first = !run->written;
	if (run->alarms->n)
		add_to_alarms(run, &report);
	r = put(run, &report);
	return r == 0 && run->alarmed ? -ECANCELED : r;
}

static int put_whole(struct stat_run *run)
{
	struct stat_report report = report_of(run, &run->sums);

	report.runs = run->runs;
	report.loss = processor_watch__loss(&run->processor, "", now_ns());
	report.has_usage = run->result.has_usage;
	report.user_ns = run->user_ns;
	report.system_ns = run->system_ns;
	if (run->args->runs > 1) {
		report.spreads = run->spreads;
		report.elapsed = &run->elapsed;
	}
	return put(run, &report);
}

static void add_run(struct stat_run *run)
{
	const struct counts *counts = &run->result.counts;
	size_t n = counts->n_rows * counts->n_events;

	if (!run->runs) {
		run->sums = counts__copy(counts);
		run->spreads = xcalloc(n, sizeof(*run->spreads));
	} else {
		counts__add(&run->sums, counts);
	}
	for (size_t i = 0; i < n; i++)
		spread__add(&run->spreads[i], count__scaled(&counts->cells[i]));
	spread__add(&run->elapsed, (double)(counts->to_ns - counts->from_ns) / 1e9);
	run->user_ns += run->result.user_ns;
	run->system_ns += run->result.system_ns;
	run->runs++;
}

static void set_opts(struct stat_run *run, struct stat_args *a)
{
	gates__note_skid(&a->gates, &run->notes);
	run->opts = (struct counting_opts){
		.events = &a->events,
		/* standard output carries counts and nothing else */
		.whom = target_args__target(&a->target, !a->output),
		.opener = run->opener,
		.per_cpu = a->per_cpu,
		.per_thread = a->per_thread,
		.interval_ns = a->interval_ns,
		.interval = a->interval_ns ? put_interval : NULL,
		.by = a->by_what,
		.neighbours = a->neighbours,
		.by_sibling = a->named,
		.per = a->per.kind == WINDOW_NONE ? NULL : &a->gates,
		.inside = a->inside,
		.longer_ns = a->window.opts.longer_ns,
		.budget = a->budget,
		/* only JSON has it of intervals, and there may be many of them and of CPUs */
		.processor = a->interval_ns && !a->json ? NULL : &run->processor,
		.beside = alarm_targets__beside(&a->alarms.targets),
		.n_beside = a->alarms.targets.n,
		.ctx = run,
	};
}

/* Negative if it failed; else *ret_status is the command's, and 1 ends the repetition. */
static int run_once(struct stat_run *run, int *ret_status, struct err *err)
{
	bool last = run->runs + 1 == run->args->runs, cut;
	int r;

	run->opts.more_follow = !last;
	r = counting__run(&run->opts, &run->result, err);
	if (r < 0)
		return r;
	cut = run->result.end == END_SIGNAL || run->result.end == END_READER;
	/* part of a run has no place in the mean of whole ones */
	if (!cut || !run->runs)
		add_run(run);
	if ((last || cut) && !run->args->interval_ns)
		put_whole(run);
	*ret_status = counting__wait(&run->result);
	if (cut)
		*ret_status = run->alarmed ? EXIT_ALARM : EXIT_DONE;
	counting_result__done(&run->result);
	return last || cut;
}

static bool names_processes(const struct target_args *t)
{
	return t->n_pids || t->n_tids || t->n_containers;
}

/* Only what looks at others' processes needs one. */
static int start_opener(struct stat_run *run, struct err *err)
{
	const struct alarm_targets *apart = &run->args->alarms.targets;
	bool by_cgroup = run->args->by_what == COUNTING_BY_CGROUP ||
			 run->args->by_what == COUNTING_BY_CONTAINER;

	/* probes of programs are put in again when privileges have gone */
	if (!names_processes(&run->args->target) && !by_cgroup && !apart->n &&
	    !gates__by_user(&run->args->gates))
		return 0;
	return opener__start(&run->opener, err);
}

static void stat_run__done(struct stat_run *run)
{
	output__done(&run->output);
	opener__free(run->opener);
	buf__done(&run->whom);
	buf__done(&run->notes);
	counts__done(&run->sums);
	free(run->spreads);
}

int cmd_stat(int argc, char **argv)
{
	_cleanup_(stat_args__done) struct stat_args args = {0};
	_cleanup_(stat_run__done) struct stat_run run = {.args = &args,
							 .failed.exit_code = EXIT_FAILED,
							 .alarms = &args.alarms,
							 .command_line = argv + 1};
	struct err err = {.exit_code = EXIT_FAILED};
	int r = stat_args__parse(&args, argc, argv, &err), status = EXIT_DONE;

	args.named = args.events.n;
	if (r == 0 && !args.named)
		r = default_events(&args.events, &args.what.names, &run.notes, &err);
	if (r == 0)
		r = event_list__check_breakpoints(&args.events, &err);
	if (r == 0)
		event_list__drop_missing(&args.events, &run.notes);
	if (r == 0)
		r = alarms__settle(&args.alarms, &args.what.names, &args.events,
				   args.per.kind == WINDOW_NONE ? NULL : args.per.name, &err);
	if (r == 0)
		r = alarms__expect(&args.alarms, &args.events, args.interval_ns, &run.notes, &err);
	note_clocks(&args.events, &run.notes);
	if (r == 0)
		r = alarm_run__start(&args.alarms.run, &err);
	if (r == 0)
		r = start_opener(&run, &err);
	if (r == 0)
		r = settle_cgroups(&args, run.opener, &err);
	if (r == 0)
		r = check_units(&args, &err);
	if (r == 0)
		r = output__open(&run.output, args.output, OUTPUT_WHOLE, &err);
	if (r == 0) {
		describe(&args, &run.whom);
		set_opts(&run, &args);
		do {
			r = run_once(&run, &status, &err);
		} while (r == 0);
	}
	alarms__end(&args.alarms);
	if (r >= 0 && run.error < 0 && run.error != -EPIPE)
		return complain(&run.failed);
	return r < 0 ? complain(&err) : status;
}
