// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/record_out.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/block_hints.h"
#include "cmd/cmd.h"
#include "cmd/record_data.h"
#include "cmd/remarks.h"
#include "cmd/rescue.h"
#include "cmd/rows.h"
#include "cmd/units.h"
#include "pmubpf/budgets.h"
#include "prof/recorded.h"
#include "render/cost.h"
#include "render/escape.h"
#include "render/summary.h"
#include "render/wrap.h"
#include "session/signals.h"
#include "sym/places.h"
#include "sys/clock.h"
#include "sys/usage.h"

static const enum number_unit *unit_given(const struct record_args *a)
{
	return a->unit_given ? &a->unit : NULL;
}

int record_out__open(struct record_out *out, const struct record_args *args, char **argv,
		     struct err *err)
{
	/* it names what every user runs */
	const int how = OUTPUT_WHOLE | OUTPUT_PRIVATE;
	struct timespec now;
	int r;

	clock_gettime(CLOCK_REALTIME, &now);
	out->opened_ns = now_ns();
	out->args = args;
	out->argv = argv;
	held_up__begin(&out->held_up, &args->sampling.session.whom);
	out->start_ns = now.tv_sec * 1000000000LL + now.tv_nsec;
	out->measures = xcalloc(args->sampling.events.n, sizeof(*out->measures));
	out->files = xcalloc(args->n_outputs, sizeof(*out->files));
	r = units__choose(out->measures, &args->sampling.events, unit_given(args), err);
	for (size_t i = 0; r == 0 && i < args->n_outputs; i++)
		r = args->outputs[i].path ?
			    output__open(&out->files[i], args->outputs[i].path, how, err) :
			    output__check_stdout(err);
	return r < 0 ? r : output__open(&out->summary, args->summary, how, err);
}

void record_out__done(struct record_out *out)
{
	for (size_t i = 0; out->files && i < out->args->n_outputs; i++)
		output__done(&out->files[i]);
	output__done(&out->summary);
	held_up__done(&out->held_up);
	buf__done(&out->code);
	free(out->files);
	free(out->measures);
}

/* Text that writes each stack out may take as much as half of what stacks may take in memory. */
static struct format_opts show_opts(struct record_out *out)
{
	struct format_opts opts = out->args->show;

	opts.max_bytes = out->args->sampling.session.max_memory / BUDGET_OUTPUT_PART;
	opts.cut = &out->cut;
	opts.code = &out->code;
	return opts;
}

static int write_one(struct record_out *out, size_t i, const struct prof *prof, struct err *err)
{
	const struct record_args *a = out->args;
	const struct format_opts opts = show_opts(out);
	const struct format *format = a->outputs[i].format;
	struct output *o = &out->files[i];
	int r;

	if (o->file)
		output__empty(o);
	r = format->write(o->file ? o->file : stdout, prof, &opts);
	r = output__finish(o, r, err);
	if (r < 0 && output__is_regular(o)) /* a full disk: there may be others */
		rescue_profile(prof, format, &opts, o->path);
	return r;
}

/* Files first: that is a matter of moments, and no signal may cut it. Who reads a pipe may take for
 * ever. */
static int write_files(struct record_out *out, const struct prof *prof, struct err *err)
{
	int result = 0;

	for (int regular = 1; regular >= 0; regular--) {
		for (size_t i = 0; i < out->args->n_outputs; i++) {
			int r;

			if (output__is_regular(&out->files[i]) != regular)
				continue;
			if (!regular)
				signals__release(out->signals);
			r = write_one(out, i, prof, result == 0 ? err : NULL);
			if (result == 0)
				result = r;
		}
	}
	return result;
}

/* With -q, too: whoever reads the profile must know of files that attack their readers. */
static void warn_of(const struct set_aside *all)
{
	_cleanup_(buf__done) struct buf text = {0};

	for (size_t i = 0; i < all->n; i++) {
		buf__puts(&text, "pmubpf: warning: ");
		escape_name(&text, all->list[i].file);
		buf__printf(&text, " is set aside, without %s: the process that read it %s\n",
			    all->list[i].lost, all->list[i].why);
	}
	if (all->more)
		buf__printf(&text, "pmubpf: warning: and %" PRIu64 " more files are set aside\n",
			    all->more);
	if (text.len)
		fputs(text.data, stderr);
}

static int write_summary(struct record_out *out, const struct summary *summary, struct err *err)
{
	_cleanup_(buf__done) struct buf text = {0}, lines = {0};
	int r;

	if (!out->args->sampling.quiet) {
		if (out->args->handed_over) /* the rest is in the findings */
			cost__text(summary, &text);
		else
			summary__text(summary, &text);
		wrap_lines(&lines, text.data, terminal_width(stderr));
		fputs(lines.data, stderr);
		buf__clear(&text);
	}
	if (!out->summary.file)
		return 0;
	output__empty(&out->summary);
	summary__json(summary, &text);
	r = buf__write(&text, out->summary.file);
	return output__finish(&out->summary, r, err);
}

static struct prof *make_prof(const struct record_out *out, const struct session_result *result,
			      const struct names *names, const struct places *places,
			      const uint32_t *site_stacks, const struct summary *summary)
{
	size_t n = out->args->sampling.events.n;
	_cleanup_free_ const char **events = xcalloc(n, sizeof(*events));
	const struct recorded recorded = {
		.profile = result->profile,
		.files = result->files,
		.names = names,
		.places = places,
		.sites = result->sites,
		.contexts = result->contexts,
		.branches = result->branches,
		.site_stacks = site_stacks,
		.measures = out->measures,
		.events = events,
		.n_events = n,
		.no_symbols = out->args->no_symbols,
		.cgroups = result->cgroups,
		.want_language = out->args->sampling.session.labels & LABEL_LANGUAGE,
		.want_blockclass = out->args->sampling.session.labels & LABEL_BLOCKCLASS,
		.want_opcode = out->args->sampling.session.labels & LABEL_OPCODE,
		.want_cgroup = out->args->sampling.label_cgroup,
		.window = out->args->sampling.window.spec.name,
		.grid_ns = out->args->sampling.session.grid_ns,
		.window_calls = window_spec__is_any_call(&out->args->sampling.window.spec),
	};
	struct prof *prof;

	for (size_t i = 0; i < n; i++)
		events[i] = out->args->sampling.events.events[i].name;
	prof = prof__recorded(&recorded);
	prof->time_ns = out->start_ns;
	prof->duration_ns = (int64_t)result->duration_ns;
	if (recorded.grid_ns) { /* moments are counted from when counters began */
		prof->time_ns += (int64_t)(result->start_ns - out->opened_ns);
		add_remark_of_timeline(prof, recorded.grid_ns);
	}
	if (out->kept && out->kept->asked) {
		prof->time_ns += (int64_t)(out->kept->from_s * 1e9);
		prof->duration_ns = (int64_t)((out->kept->to_s - out->kept->from_s) * 1e9);
	}
	if (result->branches)
		add_remark_of_branches(prof, out->args->sampling.session.branch_filter);
	add_remarks(prof, summary);
	add_remarks_of_breakpoints(prof, summary->notes);
	add_remark_lines(prof, out->args->remarks.data);
	if (recorded.want_blockclass)
		add_block_hints(prof);
	held_up__remarks(&out->held_up, result->cgroups, prof);
	return prof;
}

static void gather_notes(const struct record_args *a, const struct session_result *result,
			 const struct debuginfod_work *work, struct buf *notes)
{
	buf__add(notes, a->sampling.notes.data, a->sampling.notes.len);
	buf__add(notes, result->notes.data, result->notes.len);
	if (work->asked)
		buf__printf(notes,
			    "debuginfod: %" PRIu64 " of %" PRIu64 " debug files found, in %.1f s\n",
			    work->found, work->asked, (double)work->ns / 1e9);
}

/* Another signal ends the naming, and what was recorded is written with the names that there
 * are. */
static int resolve(struct names *ret, const struct session_result *result,
		   const struct names_opts *opts, size_t max_memory, struct debuginfod *servers,
		   struct err *err)
{
	_cleanup_close_ int more = signals__more_fd();
	struct names_opts how = *opts;

	how.stop_fd = more;
	how.objects = result->objects;
	how.servers = servers;
	how.max_bytes = max_memory / BUDGET_NAMES_PART;
	return names__resolve(ret, result->profile, result->files, &how, err);
}

/* The named profile has all of it: two at a time would be twice the memory. */
static void forget_recording(struct session_result *result, struct names *names)
{
	if (!result->lent)
		result->profile = profile__free(result->profile);
	names__forget_locations(names);
}

/* NULL: nobody is asked. */
static struct debuginfod *servers_of(const struct record_args *a)
{
	if (a->debuginfod && !a->sampling.quiet)
		fputs("pmubpf: asking debuginfod servers for debug files of the files with most "
		      "samples (at most 90 s)\n",
		      stderr);
	return a->debuginfod ? debuginfod__new() : NULL;
}

/* Looking at data was work of a helper, too; and what was set aside while recording. */
static void add_places(struct names_work *work, const struct places *places,
		       const struct set_aside *aside)
{
	work->helper_ns += places->helper_ns;
	work->helper_failures += places->helper_failures + aside->n + aside->more;
}

/* Of a recording and its end. */
static struct cost cost_with_names(const struct session_result *result, const struct names *names)
{
	struct cost cost = result->cost;

	cost.after_ns += usage_cpu_ns(0) - result->cpu_ns + names->work.helper_ns;
	if (cost.helper_rss_bytes < names->work.helper_rss_bytes)
		cost.helper_rss_bytes = names->work.helper_rss_bytes;
	return cost;
}

/* Another signal ends that, and the files are written without. */
static void find_code(struct record_out *out, const struct prof *prof)
{
	_cleanup_close_ int more = signals__more_fd();
	const struct record_args *a = out->args;

	if (a->code.functions)
		page_code__find(&out->code, prof, &a->code, more, a->sampling.quiet);
}

/* What was recorded is given back before the files are written. */
static int write_profile(struct record_out *out, struct session_result *result, struct names *names,
			 const struct places *places, const uint32_t *sites,
			 const struct summary *summary, struct err *err)
{
	struct prof *prof;
	int r;

	if (summary->kept && !summary->kept->raised)
		return 0;
	prof = make_prof(out, result, names, places, sites, summary);

	forget_recording(result, names);
	find_code(out, prof);
	r = write_files(out, prof, err);
	if (out->taker) {
		int taken;

		signals__release(out->signals);
		taken = out->taker->take(out->taker->ctx, prof, r == 0 ? err : NULL);
		return r < 0 ? r : taken;
	}
	prof__free(prof);
	return r;
}

/* What was known before names. */
static struct summary summary_of(struct record_out *out, const struct session_result *result,
				 const struct passes *passes, bool *per_task)
{
	const struct record_args *a = out->args;

	for (size_t i = 0; i < a->sampling.events.n; i++)
		per_task[i] = result->scopes[i] == SCOPE_PER_TASK;
	return (struct summary){
		.ledger = &result->ledger,
		.events = &a->sampling.events,
		.rates = result->rates,
		.numbers = out->measures,
		.per_task = per_task,
		.plan = &a->sampling.plan,
		.passes = passes,
		.window = a->sampling.window.spec.name,
		.window_process = a->sampling.window.by_process,
		.longer_ns = a->sampling.window.opts.longer_ns,
		.slowest = a->sampling.window.opts.slowest,
		.loss = processor_watch__loss(&out->processor, "", now_ns()),
		.kept = out->kept && out->kept->asked ? out->kept : NULL,
		.duration_ns = result->duration_ns,
		.command_line = out->argv + 1,
	};
}

int record_out__write(struct record_out *out, struct session_result *result,
		      const struct passes *passes, struct err *err)
{
	const struct record_args *a = out->args;
	_cleanup_(names__done) struct names names = {0};
	_cleanup_free_ bool *per_task = xcalloc(a->sampling.events.n, sizeof(*per_task));
	_cleanup_(places__done) struct places places = {0};
	_cleanup_free_ uint32_t *sites = NULL;
	_cleanup_(debuginfod__done) struct debuginfod *servers = servers_of(a);
	_cleanup_(buf__done) struct buf notes = {0};
	struct summary summary = summary_of(out, result, passes, per_task);
	struct cost cost;
	int unnamed, r, w;

	held_up__end(&out->held_up);
	record_data__look(a, result, servers, &places);
	sites = sites__stacks(result->sites, result->profile);
	branch_records__in_profile(result->branches, result->profile);
	/* what was recorded is written all the same */
	unnamed = resolve(&names, result, &a->names, a->sampling.session.max_memory, servers, err);
	if (unnamed < 0)
		err = NULL;
	gather_notes(a, result, &names.work.downloads, &notes);
	record_data__look_at_types(a, result, &places, &names, &notes);
	summary.notes = notes.data;
	summary.frames = count_frames(result->profile, &names);
	frames_in_ledger(&summary.frames, &result->ledger.frames);
	add_places(&names.work, &places, &result->ledger.aside);
	summary.names = names.work;
	summary.opener = opener__work(a->sampling.session.opener);
	summary.aside = &names.aside;
	warn_of(&result->ledger.aside);
	warn_of(&names.aside);
	r = units__set_rates(out->measures, &a->sampling.events, &result->ledger, result->rates,
			     unit_given(a), err);
	if (r == 0)
		r = write_profile(out, result, &names, &places, sites, &summary, err);
	cost = cost_with_names(result, &names);
	summary.cost = &cost;
	summary.cut = &out->cut;
	summary.max_output = show_opts(out).max_bytes;
	w = write_summary(out, &summary, r == 0 ? err : NULL);
	if (unnamed < 0)
		return unnamed;
	return r < 0 ? r : w;
}
