// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/flight.h"
#include "cmd/record_regions.h"
#include "cmd/watched.h"
#include "opener/opener.h"
#include "pmu/branch_filter.h"
#include "pmu/skid.h"
#include "session/passes.h"
#include "session/session.h"
#include "session/signals.h"

static int check_data(const struct record_args *a, struct err *err)
{
	if (!(a->sampling.session.labels & LABEL_DATA))
		return a->sampling.session.allocs ?
			       err__usage(err, "--alloc: add --data, whose samples get the sites") :
			       0;
	for (size_t i = 0; i < a->sampling.events.n; i++) {
		if (event_skid(&a->sampling.events.events[i]))
			return 0;
	}
	return err__usage(
		err, "--data: no event here says what data it is about; page-faults, "
		     "alignment-faults and breakpoints (mem:ADDR) do, of a PMU those "
		     "that `pmubpf list EVENT' says have a data address; clocks (cpu-clock) and "
		     "caches' counters (dtlb-miss) say it as candidates");
}

static int check_branches(const struct record_args *a, struct err *err)
{
	const struct session_opts *s = &a->sampling.session;

	return s->branch_filter ? event_list__check_branches(s->events, s->branch_filter, err) : 0;
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
	if (a->sampling.session.tick)
		fputs("\r\033[K", stderr);
}

/* One recording, or one for each set of events that fit together. The command's exit status, or
 * ours. */
static int record_once(struct record_args *a, struct record_out *out,
		       struct record_regions *regions, struct err *err)
{
	struct session_result result;
	struct session *session;
	struct kept kept = {0};
	int status;
	int r = a->alarms.n ? flight__record(&session, a, &result, &kept, err) :
		a->regions  ? record_regions__record(regions, &session, &result, err) :
			      session__record(&session, &a->sampling.session, &result, err);

	end_live_line(a);
	if (r < 0)
		return complain(err);
	out->kept = &kept;
	r = record_out__write(out, &result, NULL, err);
	out->kept = NULL;
	if (r == 0 && a->regions)
		r = record_regions__status(regions, err);
	if (a->sampling.session.whom.command)
		signals__release(out->signals); /* it may take for ever to end; all else is done */
	status = r < 0 ? complain(err) : EXIT_DONE;
	if (session_cut_short(result.end) || r < 0)
		session__wait(session);
	else
		status = session__wait(session);
	session__free(session);
	session_result__done(&result);
	return a->alarms.exit && kept.raised && r >= 0 ? EXIT_ALARM : status;
}

static int record_passes(struct record_args *a, struct record_out *out, struct err *err)
{
	_cleanup_(passes__done) struct passes passes = {0};
	_cleanup_(session_result__done) struct session_result result = {0};
	int status = EXIT_DONE;
	int r = passes__record(&a->sampling.session, &a->sampling.plan, &result, &passes, &status,
			       err);

	end_live_line(a);
	if (r == 0)
		r = record_out__write(out, &result, &passes, err);
	if (r < 0)
		return complain(err);
	return session_cut_short(result.end) ? EXIT_DONE : status;
}

static void free_opener(struct opener **o)
{
	opener__free(*o);
}

int recording__run(struct record_args *args, char **argv, struct signals *signals,
		   const struct record_taker *taker, struct err *err)
{
	_cleanup_(record_out__done) struct record_out out = {.signals = signals, .taker = taker};
	_cleanup_(record_regions__done) struct record_regions regions = {.args = args};
	_cleanup_(free_opener) struct opener *opener = NULL;
	int r = sampling_args__settle(&args->sampling, args->passes, err);

	if (r == 0)
		r = check_data(args, err);
	if (r == 0)
		r = check_branches(args, err);
	if (r == 0)
		r = watched_find(&args->alarms, &args->sampling, &args->watched, err);
	args->sampling.session.signals = signals;
	if (r == 0 && args->regions)
		r = record_regions__start(&regions, err);
	if (r == 0)
		r = opener__start(&opener, err); /* before there is anything it must not have */
	args->sampling.session.opener = opener;
	args->sampling.session.processor = &out.processor;
	if (r == 0)
		r = record_out__open(&out, args, argv, err);
	if (r < 0)
		return complain(err);
	if (isatty(STDERR_FILENO) && !args->sampling.quiet)
		args->sampling.session.tick = print_tick;
	r = args->passes ? record_passes(args, &out, err) : record_once(args, &out, &regions, err);
	alarms__end(&args->alarms);
	return r;
}
