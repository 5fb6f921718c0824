// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* pmubpf advise: what a saved profile says to do. Neither root nor BPF; any machine's profile. */
#include <errno.h>
#include <unistd.h>

#include "advise/advice.h"
#include "advise/say.h"
#include "base/cleanup.h"
#include "cmd/advise_args.h"
#include "cmd/cmd.h"
#include "cmd/output.h"
#include "cmd/profiles.h"
#include "prof/sharing.h"
#include "session/signals.h"

struct advise_run {
	const struct advise_args *args;
	struct prof *whole, *prof;
	struct report report;
	struct advice advice;
};

static void advise_run__done(struct advise_run *run)
{
	advice__done(&run->advice);
	report__done(&run->report);
	prof__free(run->prof);
	prof__free(run->whole);
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

static int load(struct advise_run *run, struct err *err)
{
	const struct advise_args *a = run->args;
	int r = profiles__load(&run->whole, a->files, a->n_files, &a->limits, err);

	if (r < 0)
		return r;
	profiles__demangle(run->whole);
	profiles__prune(&run->whole);
	mark_sharing(run);
	r = prof__select(&run->prof, run->whole, &a->selection, err);
	if (r < 0)
		return r;
	run->report.files = a->files;
	run->report.n_files = a->n_files;
	run->report.whole = run->whole;
	run->report.prof = run->prof;
	report__settle(&run->report);
	advice__find(&run->advice, run->prof);
	return 0;
}

static int show(struct advise_run *run, struct err *err)
{
	const struct saying saying = {&run->report, &run->advice, run->args->all};
	_cleanup_(buf__done) struct buf text = {0};
	int r;

	if (run->args->json)
		saying__json(&saying, &text);
	else
		saying__text(&saying, &text);
	r = buf__write(&text, stdout);
	return r < 0 && r != -EPIPE ? write_error(NULL, r, err) : 0;
}

int cmd_advise(int argc, char **argv)
{
	_cleanup_(advise_args__done) struct advise_args args = {0};
	_cleanup_(advise_run__done) struct advise_run run = {.args = &args};
	struct err err = {.exit_code = EXIT_FAILED};
	int r;

	signals__ignore_of_files();
	run.report.command_line = argv + 1;
	r = advise_args__parse(&args, argc, argv, &err);
	if (r == 0)
		r = load(&run, &err);
	if (r == 0)
		r = show(&run, &err);
	return r < 0 ? complain(&err) : EXIT_DONE;
}
