// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * pmubpf advise: what a profile says to do. A saved one needs neither root nor BPF, and may be any
 * machine's; that of a target is recorded as `record` does it.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "advise/advice.h"
#include "advise/say.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/advise_args.h"
#include "cmd/advise_record.h"
#include "cmd/cmd.h"
#include "cmd/output.h"
#include "cmd/profiles.h"
#include "cmd/recording.h"
#include "prof/sharing.h"
#include "render/escape.h"
#include "session/signals.h"
#include "ship/url.h"

struct advise_run {
	const struct advise_args *args;
	struct prof *whole, *prof;
	struct report report;
	struct advice advice;
	char *title;        /* of windows, in place of files */
	struct buf profile; /* how a command line names it */
};

static void advise_run__done(struct advise_run *run)
{
	advice__done(&run->advice);
	report__done(&run->report);
	prof__free(run->prof);
	prof__free(run->whole);
	buf__done(&run->profile);
	free(run->title);
}

/* A profile that says nothing of cache lines stays as it is. */
static void mark_sharing(struct advise_run *run)
{
	struct err none = {0};
	struct prof *marked;

	if (prof__mark_sharing(&marked, run->whole, &none) < 0)
		return;
	prof__free(run->whole);
	run->whole = marked;
}

/* For who looks closer: the same windows or file, and the same labels. */
static void name_profile(struct advise_run *run)
{
	const struct advise_args *a = run->args;

	if (a->from.dir)
		from__put_words(&a->from, &run->profile);
	else
		escape_word(&run->profile, a->n_files ? a->files[0] : "FILE.pb.gz");
	for (size_t i = 0; i < a->selection.n_labels; i++) {
		const struct label_filter *label = &a->selection.labels[i];
		_cleanup_free_ char *text = xasprintf("%s=%s", label->key, label->value);

		buf__puts(&run->profile, " --label ");
		escape_word(&run->profile, text);
	}
}

/* Of the whole profile, which there is. */
static int find(struct advise_run *run, struct err *err)
{
	const struct advise_args *a = run->args;
	int r;

	mark_sharing(run);
	r = prof__select(&run->prof, run->whole, &a->selection, err);
	if (r < 0)
		return r;
	run->report.files = run->title ? &run->title : a->files;
	run->report.n_files = run->title ? 1 : a->n_files;
	run->report.whole = run->whole;
	run->report.prof = run->prof;
	report__settle(&run->report);
	name_profile(run);
	advice__find(&run->advice, run->prof);
	return 0;
}

static int show(struct advise_run *run, struct err *err)
{
	const char *from = run->args->from.dir;
	const struct saying saying = {
		.report = &run->report,
		.advice = &run->advice,
		.all = run->args->all,
		.profile = run->profile.data,
		.no_code = from && ship_url__is(from),
		.windows = from,
	};
	_cleanup_(buf__done) struct buf text = {0};
	int r;

	if (run->args->json)
		saying__json(&saying, &text);
	else
		saying__text(&saying, &text);
	r = buf__write(&text, stdout);
	if (r == 0 && fflush(stdout) != 0)
		r = -errno;
	return r < 0 && r != -EPIPE ? write_error(NULL, r, err) : 0;
}

static int load(struct advise_run *run, struct err *err)
{
	const struct advise_args *a = run->args;

	if (!a->from.dir)
		return profiles__load(&run->whole, a->files, a->n_files, &a->limits, err);
	return from__load(&run->whole, &run->title, &a->from, &a->limits, err);
}

static int of_files(struct advise_run *run, struct err *err)
{
	int r = load(run, err);

	if (r < 0)
		return complain(err);
	profiles__demangle(run->whole);
	profiles__prune(&run->whole);
	r = find(run, err);
	if (r == 0)
		r = show(run, err);
	return r < 0 ? complain(err) : EXIT_DONE;
}

static int take(void *ctx, struct prof *prof, struct err *err)
{
	struct advise_run *run = ctx;
	int r;

	run->whole = prof;
	r = find(run, err);
	return r < 0 ? r : show(run, err);
}

/* Files that the recording is kept in are those to look closer at. */
static int of_target(struct advise_run *run, struct advise_args *a, char **argv,
		     struct signals *signals, struct err *err)
{
	const struct record_taker taker = {.take = take, .ctx = run};
	int r = advise_record__settle(a, err);

	if (r < 0)
		return complain(err);
	return recording__run(&a->record, argv, signals, &taker, err);
}

int cmd_advise(int argc, char **argv)
{
	_cleanup_(advise_args__done) struct advise_args args = {0};
	_cleanup_(advise_run__done) struct advise_run run = {.args = &args};
	struct signals signals = {.fd = -1};
	struct err err = {.exit_code = EXIT_FAILED};
	int r;

	signals__ignore_of_files();
	run.report.command_line = argv + 1;
	r = advise_args__parse(&args, argc, argv, &err);
	if (r == 0 && args.records)
		r = signals__catch(&signals, &err);
	if (r < 0)
		return complain(&err);
	return args.records ? of_target(&run, &args, argv, &signals, &err) : of_files(&run, &err);
}
