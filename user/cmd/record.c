// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* pmubpf record: one recording, folded stacks. stdout is data, stderr is talk. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/output.h"
#include "cmd/record_args.h"
#include "out/summary.h"
#include "pmu/probe.h"
#include "pmu/way.h"
#include "session/passes.h"
#include "session/session.h"

/* Without -e: cycles where there is a PMU, else cpu-clock, and why. */
static int default_event(struct record_args *a, struct err *err)
{
	struct probe_result probe;
	int r;

	if (a->events.n)
		return 0;
	r = event_list__parse_with(&a->events, "cycles", &a->what.names.pmus, err);
	if (r < 0)
		return r;
	event__probe(&a->events.events[0], &probe);
	if (probe.ok && !probe.user_only && probe.way == EVENT_OVERFLOWS) {
		if (!a->quiet)
			fprintf(stderr, "pmubpf: no -e: sampling cycles, this machine has a PMU\n");
		return 0;
	}
	if (!a->quiet)
		fprintf(stderr,
			"pmubpf: no -e: sampling cpu-clock, because cycles can't be had: %s\n",
			probe.reason);
	event_list__done(&a->events);
	a->events = (struct event_list){0};
	return event_list__parse_with(&a->events, "cpu-clock", &a->what.names.pmus, err);
}

/* How each event is counted; with a clock to read those at that don't overflow. */
static int find_ways(struct record_args *a, struct err *err)
{
	event_list__find_ways(&a->events);
	if (!session_needs_clock(&a->session, a->passes))
		return 0;
	return event_list__add_clock(&a->events, err);
}

static enum number_unit default_unit(const struct event *event)
{
	return event->unit == UNIT_EVENTS ? NUMBER_EVENTS : NUMBER_TIME;
}

/* Lines begin with the event's name: two of one name could not be told apart. (Those of one text, for
 * several core PMUs, share their lines.) */
static int check_names(const struct event_list *list, struct err *err)
{
	for (size_t i = 0; i < list->n; i++) {
		for (size_t k = 0; k < i; k++) {
			if (list->events[i].lead != list->events[k].lead &&
			    strcmp(list->events[i].name, list->events[k].name) == 0)
				return err__usage(err, "-e: '%s' is given twice",
						  list->events[i].name);
		}
	}
	return 0;
}

/* The unit of each event's lines; time for an event that isn't time is refused before anything runs. */
static int choose_units(const struct record_args *a, struct folded_event *numbers, struct err *err)
{
	size_t shown = 0;

	for (size_t i = 0; i < a->events.n; i++) {
		const struct event *event = &a->events.events[i];

		if (a->unit_given && a->unit == NUMBER_TIME && event->unit == UNIT_EVENTS)
			return err__usage(
				err,
				"--unit time: '%s' counts %s, which no clock rate turns into "
				"time; use --unit events, or leave --unit out",
				event->name, event->counts);
		numbers[i].unit = a->unit_given && !event->added ? a->unit : default_unit(event);
		numbers[i].hidden = event->added;
		numbers[i].lead = event->lead == i ? NULL : &numbers[event->lead];
		shown += !event->added && event->lead == i;
	}
	for (size_t i = 0; i < a->events.n && shown > 1; i++)
		numbers[i].name = a->events.events[i].name;
	return 0;
}

/* After the recording the rates are known; a cycles event without one falls back to events. */
static int set_rates(const struct record_args *a, const struct session_result *result,
		     struct folded_event *numbers, struct err *err)
{
	for (size_t i = 0; i < a->events.n; i++) {
		numbers[i].scale = ledger_event__scale(&result->ledger.events[i]);
		if (numbers[i].unit != NUMBER_TIME || a->events.events[i].unit != UNIT_CYCLES)
			continue;
		numbers[i].rate = result->rates[i];
		if (result->rates[i].n || !result->ledger.events[i].aggregated)
			continue;
		if (a->unit_given)
			return err__set(
				err, -ENODATA,
				"--unit time: the clock rate of '%s' could neither be measured nor "
				"read; use --unit events",
				a->events.events[i].name);
		for (size_t k = 0; k < a->events.n; k++) {
			/* lines that are shared have one unit */
			if (a->events.events[k].lead == a->events.events[i].lead)
				numbers[k].unit = NUMBER_EVENTS;
		}
	}
	return 0;
}

static int write_folded(const struct record_args *a, const struct session_result *result,
			const struct names *names, const struct folded_event *numbers,
			struct output *out, struct err *err)
{
	struct folded_opts opts = {numbers, a->events.n, a->max_depth};
	int r;

	if (out->file)
		output__empty(out);
	r = folded__write(out->file ? out->file : stdout, result->profile, names, &opts);
	if (r == -EPIPE)
		return 0; /* `| head` has seen enough */
	if (r < 0 && out->file)
		output__empty(out);
	return r < 0 ? write_error(a->output, r, err) : 0;
}

static int write_summary(const struct record_args *a, const struct summary *summary,
			 struct output *out, struct err *err)
{
	_cleanup_(buf__done) struct buf text = {0};
	int r;

	if (!a->quiet) {
		summary__text(summary, &text);
		fputs(text.data, stderr);
		buf__clear(&text);
	}
	if (!out->file)
		return 0;
	output__empty(out);
	summary__json(summary, &text);
	if (fwrite(text.data, 1, text.len, out->file) == text.len && fflush(out->file) == 0)
		return 0;
	r = errno ? -errno : -EIO;
	output__empty(out);
	return write_error(a->summary, r, err);
}

struct outputs {
	struct output folded, summary;
};

static void outputs__done(struct outputs *outputs)
{
	output__done(&outputs->folded);
	output__done(&outputs->summary);
}

static int print_result(const struct record_args *a, const struct session_result *result,
			const struct passes *passes, struct folded_event *numbers,
			struct outputs *outputs, char **argv, struct err *err)
{
	_cleanup_(names__done) struct names names = {0};
	_cleanup_free_ bool *per_task = xcalloc(a->events.n, sizeof(*per_task));
	_cleanup_(buf__done) struct buf notes = {0};
	struct summary summary = {
		.ledger = &result->ledger,
		.events = &a->events,
		.rates = result->rates,
		.numbers = numbers,
		.per_task = per_task,
		.plan = &a->plan,
		.passes = passes,
		.duration_ns = result->duration_ns,
		.command_line = argv + 1,
	};
	int r, w;

	buf__add(&notes, a->notes.data, a->notes.len);
	buf__add(&notes, result->notes.data, result->notes.len);
	summary.notes = notes.data;

	if (a->names.debuginfod && !a->quiet)
		fputs("pmubpf: asking debuginfod servers for what hot files lack (at most 90 s)\n",
		      stderr);
	r = names__resolve(&names, result->profile, result->files, &a->names, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < a->events.n; i++)
		per_task[i] = result->scopes[i] == SCOPE_PER_TASK;
	summary.frames = count_frames(result->profile, &names);
	summary.names = names.work;
	if (names.work.downloads.asked) {
		buf__printf(&notes,
			    "debuginfod: %" PRIu64 " of %" PRIu64 " debug files found, in %.1f s\n",
			    names.work.downloads.found, names.work.downloads.asked,
			    (double)names.work.downloads.ns / 1e9);
		summary.notes = notes.data;
	}
	r = set_rates(a, result, numbers, err);
	if (r == 0)
		r = write_folded(a, result, &names, numbers, &outputs->folded, err);
	w = write_summary(a, &summary, &outputs->summary, r == 0 ? err : NULL);
	return r < 0 ? r : w;
}

static void print_tick(void *ctx, const struct session_tick *tick)
{
	static uint64_t before_ns, before_samples;
	uint64_t span = tick->elapsed_ns - before_ns;

	(void)ctx;
	if (span < 500000000)
		return;
	fprintf(stderr, "\r\033[K%.0f s, %" PRIu64 " samples (%.0f/s), %" PRIu64 " lost",
		(double)tick->elapsed_ns / 1e9, tick->samples,
		(double)(tick->samples - before_samples) / ((double)span / 1e9), tick->lost);
	before_ns = tick->elapsed_ns;
	before_samples = tick->samples;
}

static void end_live_line(const struct record_args *a)
{
	if (a->session.tick)
		fputs("\r\033[K", stderr);
}

/* One recording, or one for each set of events that fit together. The command's exit status, or ours. */
static int record_once(struct record_args *a, struct outputs *outputs, struct folded_event *numbers,
		       char **argv, struct err *err)
{
	struct session_result result;
	struct session *session;
	int r = session__record(&session, &a->session, &result, err), status;

	end_live_line(a);
	if (r < 0)
		return complain(err);
	r = print_result(a, &result, NULL, numbers, outputs, argv, err);
	status = r < 0 ? complain(err) : EXIT_DONE;
	if (result.end == END_SIGNAL || result.end == END_READER || r < 0)
		session__wait(session);
	else
		status = session__wait(session);
	session__free(session);
	session_result__done(&result);
	return status;
}

static int record_passes(struct record_args *a, struct outputs *outputs,
			 struct folded_event *numbers, char **argv, struct err *err)
{
	_cleanup_(passes__done) struct passes passes = {0};
	_cleanup_(session_result__done) struct session_result result = {0};
	int status = EXIT_DONE;
	int r = passes__record(&a->session, &a->plan, &result, &passes, &status, err);

	end_live_line(a);
	if (r == 0)
		r = print_result(a, &result, &passes, numbers, outputs, argv, err);
	if (r < 0)
		return complain(err);
	return result.end == END_SIGNAL || result.end == END_READER ? EXIT_DONE : status;
}

int cmd_record(int argc, char **argv)
{
	_cleanup_(record_args__done) struct record_args args = {0};
	_cleanup_(outputs__done) struct outputs outputs = {0};
	_cleanup_free_ struct folded_event *numbers = NULL;
	struct err err = {.exit_code = EXIT_FAILED};
	int r = record_args__parse(&args, argc, argv, &err);

	if (r == 0)
		r = rate__check(&args.rate, &err);
	if (r == 0)
		r = default_event(&args, &err);
	if (r == 0)
		r = check_names(&args.events, &err);
	if (r == 0)
		event_list__drop_missing(&args.events, &args.notes);
	if (r == 0)
		r = find_ways(&args, &err);
	if (r == 0)
		r = event_list__set_rates(&args.events, &args.rate, &err);
	if (r < 0)
		return complain(&err);
	event_list__settle_precise(&args.events);
	plan__ask(&args.plan, &args.events);
	numbers = xcalloc(args.events.n, sizeof(*numbers));
	r = choose_units(&args, numbers, &err);
	if (r == 0)
		r = output__open(&outputs.folded, args.output, &err);
	if (r == 0)
		r = output__open(&outputs.summary, args.summary, &err);
	if (r < 0)
		return complain(&err);
	if (isatty(STDERR_FILENO) && !args.quiet)
		args.session.tick = print_tick;
	return (args.passes ? record_passes : record_once)(&args, &outputs, numbers, argv, &err);
}
