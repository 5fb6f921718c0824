// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* pmubpf diff: two saved profiles, what differs and whether that may be chance. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/diff_args.h"
#include "cmd/output.h"
#include "cmd/profiles.h"
#include "render/diff.h"
#include "render/html.h"
#include "render/report.h"
#include "session/signals.h"

enum { TEXT_ROWS = 40, N_SIDES = 2 };

struct side {
	struct prof *whole, *prof;
	struct prof *picture; /* of one event, if it is asked for */
	struct compare_side compare;
	double sum; /* of the event, in the whole */
};

struct diff_run {
	const struct diff_args *args;
	char *const *command_line;
	struct side sides[N_SIDES];
	char *titles[N_SIDES];              /* of windows, in place of files */
	struct time_range covered[N_SIDES]; /* by windows of a folder */
	struct prof_key *keys;
	size_t n_keys;
	char *event, *unit;
	struct comparison *comparison;
	struct output output;
};

static void diff_run__done(struct diff_run *run)
{
	for (size_t i = 0; i < N_SIDES; i++) {
		prof__free(run->sides[i].whole);
		prof__free(run->sides[i].prof);
		prof__free(run->sides[i].picture);
		free(run->titles[i]);
	}
	prof_keys__free(run->keys, run->n_keys);
	comparison__free(run->comparison);
	output__done(&run->output);
	free(run->event);
	free(run->unit);
}

static const char *name_of(const struct diff_run *run, size_t side)
{
	return run->titles[side] ? run->titles[side] : run->args->files[side];
}

static double sum_of(const struct prof *p, size_t type)
{
	double sum = 0;

	for (size_t i = 0; type != PROF_NO_TYPE && i < p->n_samples; i++)
		sum += (double)prof__values(p, i)[type];
	return sum;
}

/* The event in that profile; the first, if none is named, names it for the other. */
static int find_event(struct diff_run *run, struct side *s, const char *file, struct err *err)
{
	struct prof_event *events;
	size_t n = prof__events(s->whole, &events), i = 0;
	int r = 0;

	if (!run->event)
		run->event = xstrdup(run->args->event ? run->args->event : events[0].name);
	while (i < n && strcmp(events[i].name, run->event) != 0)
		i++;
	if (i == n) {
		_cleanup_(buf__done) struct buf there = {0};

		for (i = 0; i < n; i++)
			buf__printf(&there, "%s%s", i ? ", " : "", events[i].name);
		r = err__usage(err, "'%s' has no event '%s'; it has: %s", file, run->event,
			       there.data);
	} else {
		s->compare.type = report_event__type(&events[i]);
		s->compare.samples = events[i].samples;
	}
	prof_events__free(events, n);
	return r;
}

static int check_unit(struct diff_run *run, const struct side *s, struct err *err)
{
	const char *unit = prof__text(s->whole, s->whole->types[s->compare.type].unit);

	if (!run->unit)
		run->unit = xstrdup(unit);
	if (strcmp(run->unit, unit) == 0)
		return 0;
	return err__set(err, -EINVAL, "'%s' is in %s on one side and in %s on the other",
			run->event, run->unit, unit);
}

static int function_total(const struct side *s, const char *function, const char *file, double *ret,
			  struct err *err)
{
	const struct selection selection = {.callees = function};
	struct prof *part = NULL;
	int r = prof__select(&part, s->whole, &selection, err);

	if (r < 0)
		return err__set(err, r, "'%s' has no function '%s'", file, function);
	*ret = sum_of(part, s->compare.type);
	prof__free(part);
	return 0;
}

static int settle_total(struct diff_run *run, size_t i, struct err *err)
{
	const struct diff_args *a = run->args;
	struct side *s = &run->sides[i];
	double samples = sum_of(s->whole, s->compare.samples);
	int r = 0;

	s->sum = sum_of(s->whole, s->compare.type);
	s->compare.weight = samples > 0 && s->sum > 0 ? s->sum / samples : 0;
	switch (a->normalize) {
	case BY_EVENT:
		s->compare.total = s->sum;
		break;
	case BY_TIME:
		s->compare.total = (double)s->whole->duration_ns / 1e9;
		break;
	case BY_SAMPLES:
		s->compare.total = samples;
		break;
	case BY_FUNCTION:
		r = function_total(s, a->function, name_of(run, i), &s->compare.total, err);
		break;
	case BY_NUMBERS:
		s->compare.total = a->numbers[i];
		break;
	}
	if (r == 0 && !(s->compare.total > 0))
		return err__set(err, -EINVAL,
				"'%s' has no total to be measured against (--normalize %s)",
				name_of(run, i), a->normalize_text);
	return r;
}

/* All events, if none is named. */
static int load_picture(struct diff_run *run, struct side *s, struct err *err)
{
	const char *event = run->args->event;
	const struct selection selection = {.events = &event, .n_events = 1};

	if (!run->args->html || !event)
		return 0;
	return prof__select(&s->picture, s->prof, &selection, err);
}

/* A file, or what windows have of a range and its labels, which is the whole then. */
static int load_whole(struct diff_run *run, size_t i, struct err *err)
{
	const struct diff_args *a = run->args;
	const struct diff_side *side = &a->sides[i];
	struct from from = side->from;
	struct prof *all, **whole = &run->sides[i].whole;
	int r;

	if (!a->dir)
		return profile__load(whole, a->files[i], &a->limits, err);
	from.ret_covered = &run->covered[i];
	r = from__load(&all, &run->titles[i], &from, &a->limits, err);
	if (r < 0)
		return r;
	if (!side->of.n_labels) {
		*whole = all;
		return 0;
	}
	r = prof__select(whole, all, &side->of, err);
	prof__free(all);
	if (r == 0 && !(*whole)->n_samples)
		r = err__set(err, -ENOENT, "%s: no sample has %s=%s%s", run->titles[i],
			     side->of.labels[0].key, side->of.labels[0].value,
			     side->of.n_labels > 1 ? " and the other labels" : "");
	return r;
}

static int load_side(struct diff_run *run, size_t i, struct err *err)
{
	const struct diff_args *a = run->args;
	struct side *s = &run->sides[i];
	int r = load_whole(run, i, err);

	if (r == 0) {
		profiles__demangle(s->whole);
		profiles__prune(&s->whole);
		r = find_event(run, s, name_of(run, i), err);
	}
	if (r == 0)
		r = check_unit(run, s, err);
	if (r == 0)
		r = settle_total(run, i, err);
	if (r == 0)
		r = prof__select(&s->prof, s->whole, &a->selection, err);
	if (r == 0)
		r = load_picture(run, s, err);
	s->compare.prof = s->prof;
	return r;
}

static bool overlap(const struct time_range *a, const struct time_range *b)
{
	return a->since_ns < b->until_ns && b->since_ns < a->until_ns;
}

/* Ranges that meet have the window in which they do on both sides. */
static void remark_shared_windows(const struct diff_run *run)
{
	const struct time_range *old = &run->covered[0], *new = &run->covered[1];
	const struct diff_side *sides = run->args->sides;
	int64_t since = new->since_ns > old->since_ns ? new->since_ns : old->since_ns;
	int64_t until = new->until_ns < old->until_ns ? new->until_ns : old->until_ns;

	if (overlap(old, new) && !overlap(&sides[0].from.range, &sides[1].from.range))
		fprintf(stderr,
			"pmubpf: %.1f s are in both: a window counts whole for each range that it "
			"overlaps\n",
			(double)(until - since) / 1e9);
}

static int compare(struct diff_run *run, struct err *err)
{
	const struct diff_args *a = run->args;
	struct compare_opts opts = {.stacks = a->stacks, .total = a->total};
	int r = load_side(run, 0, err);

	if (r == 0)
		r = load_side(run, 1, err);
	if (r == 0)
		remark_shared_windows(run);
	if (r == 0)
		r = prof_keys__parse(&run->keys, &run->n_keys, a->by ? a->by : "function",
				     run->sides[0].whole, err);
	if (r < 0)
		return r;
	opts.keys = run->keys;
	opts.n_keys = run->n_keys;
	run->comparison = comparison__new(&run->sides[0].compare, &run->sides[1].compare, &opts);
	if (a->fail_above >= 0 && !run->comparison->has_samples)
		return err__usage(
			err,
			"--fail-above: the profiles have no numbers of samples, so it can't be "
			"told which differences are chance");
	return 0;
}

static int write_rows(const struct diff_args *a, const struct diff *diff, FILE *file)
{
	_cleanup_(buf__done) struct buf text = {0};

	(a->folded ? diff__folded : a->json ? diff__json : diff__text)(diff, &text);
	profiles__tell_cut(*diff->n_cut, &a->limits);
	return buf__write(&text, file);
}

static int write_picture(const struct diff_run *run, FILE *file)
{
	const struct side *old = &run->sides[0], *new = &run->sides[1];

	return html__write(file, new->picture ? new->picture : new->prof,
			   old->picture ? old->picture : old->prof, NULL);
}

static int write_diff(struct diff_run *run, bool *ret_grown, struct err *err)
{
	const struct diff_args *a = run->args;
	size_t n_cut = 0;
	const struct diff diff = {
		.max_bytes = profiles__max_output(&a->limits),
		.n_cut = &n_cut,
		.command_line = run->command_line,
		.files = a->dir ? run->titles : a->files,
		.comparison = run->comparison,
		.event = run->event,
		.unit = run->unit,
		.normalized = a->normalize_text,
		.before = &run->sides[0].compare,
		.after = &run->sides[1].compare,
		.whole_before = run->sides[0].sum,
		.whole = {run->sides[0].whole, run->sides[1].whole},
		.stacks = a->stacks,
		.limit = a->limit >= 0 ? (size_t)a->limit :
			 a->json       ? 0 :
					 TEXT_ROWS,
		.min_share = a->min_share,
		.fail_above = a->fail_above,
	};
	FILE *file = run->output.file ? run->output.file : stdout;
	int r;

	*ret_grown = diff__has_grown(&diff);
	if (run->output.file)
		output__empty(&run->output);
	r = a->html ? write_picture(run, file) : write_rows(a, &diff, file);
	return output__finish(&run->output, r, err);
}

static int check_terminal(const struct diff_args *a, struct err *err)
{
	if (a->html && !a->output && isatty(STDOUT_FILENO))
		return err__usage(
			err,
			"--html is not written to a terminal: name a file with -o, or pipe it");
	return 0;
}

int cmd_diff(int argc, char **argv)
{
	_cleanup_(diff_args__done) struct diff_args args = {0};
	_cleanup_(diff_run__done) struct diff_run run = {.args = &args, .command_line = argv + 1};
	struct err err = {.exit_code = EXIT_FAILED};
	bool grown = false;
	int r;

	signals__ignore_of_files();
	r = diff_args__parse(&args, argc, argv, &err);
	if (r == 0)
		r = compare(&run, &err);
	if (r == 0)
		r = check_terminal(&args, &err);
	if (r == 0)
		r = output__open(&run.output, args.output, OUTPUT_WHOLE, &err);
	if (r == 0)
		r = write_diff(&run, &grown, &err);
	if (r < 0)
		return complain(&err);
	return grown ? EXIT_FAILED : EXIT_DONE;
}
