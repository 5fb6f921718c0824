// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* pmubpf record: one recording, folded stacks. stdout is data, stderr is talk. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/record_args.h"
#include "out/summary.h"
#include "pmu/probe.h"
#include "session/session.h"

static int complain(const struct err *err)
{
	fprintf(stderr, "pmubpf: %s\n", err->text);
	return err->exit_code;
}

/* Without -e: cycles where there is a PMU, else cpu-clock, and why. */
static int default_event(struct record_args *a, struct err *err)
{
	struct probe_result probe;
	int r;

	if (a->events.n)
		return 0;
	r = event_list__parse(&a->events, "cycles", NULL, err);
	if (r < 0)
		return r;
	event__probe(&a->events.events[0], &probe);
	if (probe.ok && !probe.user_only) {
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
	return event_list__parse(&a->events, "cpu-clock", NULL, err);
}

static enum number_unit default_unit(const struct event *event)
{
	return event->unit == UNIT_EVENTS ? NUMBER_EVENTS : NUMBER_TIME;
}

/* The unit of each event's lines; time for an event that isn't time is refused before anything runs. */
static int choose_units(const struct record_args *a, struct folded_event *numbers, struct err *err)
{
	for (size_t i = 0; i < a->events.n; i++) {
		const struct event *event = &a->events.events[i];

		if (a->unit_given && a->unit == NUMBER_TIME && event->unit == UNIT_EVENTS)
			return err__usage(
				err,
				"--unit time: '%s' counts %s, which no clock rate turns into "
				"time; use --unit events, or leave --unit out",
				event->name, event->counts);
		numbers[i].unit = a->unit_given ? a->unit : default_unit(event);
		numbers[i].name = a->events.n > 1 ? event->name : NULL;
	}
	return 0;
}

/* After the recording the rates are known; a cycles event without one falls back to events. */
static int set_rates(const struct record_args *a, const struct session_result *result,
		     struct folded_event *numbers, struct err *err)
{
	for (size_t i = 0; i < a->events.n; i++) {
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
		numbers[i].unit = NUMBER_EVENTS;
	}
	return 0;
}

/* Opened before the recording, so that a bad name costs no recording; emptied only when written. */
static int open_output(const char *path, FILE **ret, struct err *err)
{
	_cleanup_close_ int fd = -1;

	if (!path)
		return 0;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return err__set(err, -errno, "can't write '%s': %s", path, strerror(errno));
	*ret = fdopen(fd, "w");
	if (!*ret)
		return err__set(err, -errno, "can't write '%s': %s", path, strerror(errno));
	TAKE_FD(fd);
	return 0;
}

static int write_error(const char *path, int r, struct err *err)
{
	return err__set(err, r, "can't write %s: %s", path ? path : "to standard output",
			strerror(-r));
}

/* Only a regular file has something to empty. */
static void empty_file(FILE *file)
{
	struct stat st;

	if (fstat(fileno(file), &st) == 0 && S_ISREG(st.st_mode) && ftruncate(fileno(file), 0) < 0)
		return; /* then the write that follows fails, too, and says so */
}

static int write_folded(const struct record_args *a, const struct session_result *result,
			const struct names *names, const struct folded_event *numbers, FILE *file,
			struct err *err)
{
	struct folded_opts opts = {numbers, a->events.n, a->max_depth};
	int r;

	if (file)
		empty_file(file);
	r = folded__write(file ? file : stdout, result->profile, names, &opts);
	if (r == -EPIPE)
		return 0; /* `| head` has seen enough */
	return r < 0 ? write_error(a->output, r, err) : 0;
}

static int write_summary(const struct record_args *a, const struct summary *summary, FILE *file,
			 struct err *err)
{
	_cleanup_(buf__done) struct buf text = {0};

	if (!a->quiet) {
		summary__text(summary, &text);
		fputs(text.data, stderr);
		buf__clear(&text);
	}
	if (!file)
		return 0;
	empty_file(file);
	summary__json(summary, &text);
	if (fwrite(text.data, 1, text.len, file) != text.len || fflush(file) == EOF)
		return write_error(a->summary, errno ? -errno : -EIO, err);
	return 0;
}

struct outputs {
	FILE *folded, *summary; /* NULL: stdout; not wanted */
};

static int print_result(const struct record_args *a, const struct session_result *result,
			struct folded_event *numbers, const struct outputs *outputs, char **argv,
			struct err *err)
{
	_cleanup_(names__done) struct names names = {0};
	_cleanup_free_ bool *per_task = xcalloc(a->events.n, sizeof(*per_task));
	struct summary summary = {
		.ledger = &result->ledger,
		.events = &a->events,
		.rates = result->rates,
		.numbers = numbers,
		.per_task = per_task,
		.duration_ns = result->duration_ns,
		.command_line = argv,
		.notes = result->notes.data,
	};
	int r, w;

	r = names__resolve(&names, result->profile, result->files, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < a->events.n; i++)
		per_task[i] = result->scopes[i] == SCOPE_PER_TASK;
	summary.frames = count_frames(result->profile, &names);
	r = set_rates(a, result, numbers, err);
	if (r == 0)
		r = write_folded(a, result, &names, numbers, outputs->folded, err);
	w = write_summary(a, &summary, outputs->summary, r == 0 ? err : NULL);
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

static int record(struct record_args *a, const struct outputs *outputs,
		  struct folded_event *numbers, char **argv, struct err *err)
{
	bool live = isatty(STDERR_FILENO) && !a->quiet;
	struct session_result result;
	struct session *session;
	int r, status;

	if (live)
		a->session.tick = print_tick;
	r = session__record(&session, &a->session, &result, err);
	if (live)
		fputs("\r\033[K", stderr);
	if (r < 0)
		return complain(err);
	r = print_result(a, &result, numbers, outputs, argv, err);
	status = r < 0 ? complain(err) : EXIT_DONE;
	if (result.end == END_SIGNAL || result.end == END_READER || r < 0)
		session__wait(session);
	else
		status = session__wait(session);
	session__free(session);
	session_result__done(&result);
	return status;
}

int cmd_record(int argc, char **argv)
{
	_cleanup_(record_args__done) struct record_args args = {0};
	_cleanup_fclose_ FILE *folded = NULL, *summary = NULL;
	_cleanup_free_ struct folded_event *numbers = NULL;
	struct err err = {.exit_code = EXIT_FAILED};
	int r = record_args__parse(&args, argc, argv, &err);

	if (r == 0)
		r = default_event(&args, &err);
	if (r == 0)
		r = event_list__set_rates(&args.events, args.freq_hz, args.period, &err);
	if (r < 0)
		return complain(&err);
	numbers = xcalloc(args.events.n, sizeof(*numbers));
	r = choose_units(&args, numbers, &err);
	if (r == 0)
		r = open_output(args.output, &folded, &err);
	if (r == 0)
		r = open_output(args.summary, &summary, &err);
	if (r < 0)
		return complain(&err);
	return record(&args, &(struct outputs){folded, summary}, numbers, argv, &err);
}
