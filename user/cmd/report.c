// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* pmubpf report: a saved profile, as rows. Neither root nor BPF, and any machine's profile. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/output.h"
#include "cmd/profiles.h"
#include "cmd/report_args.h"
#include "cmd/report_branches.h"
#include "cmd/report_layout.h"
#include "cmd/rows.h"
#include "model/labels.h"
#include "prof/keys.h"
#include "prof/regions.h"
#include "prof/sharing.h"
#include "prof/symbolize.h"
#include "render/data_objects.h"
#include "render/regions.h"
#include "render/report.h"
#include "session/signals.h"

enum { TEXT_ROWS = 40, MOST_BEGINS = 64 };
#define TREE_SHARE 0.5

struct report_run {
	const struct report_args *args;
	struct prof *whole, *prof;
	struct prof_key *keys;
	size_t n_keys;
	struct group_opts opts;
	const char **begins; /* labels that folded lines begin with; NULL-terminated, or NULL */
	struct group *group;
	struct output output;
	struct report report;
	struct layout_report layout;
	struct regions regions;
	struct branch_table branches;
	struct branch_binary binary;
	char *title; /* of windows, in place of files */
};

static void report_run__done(struct report_run *run)
{
	report_layout__done(&run->layout);
	regions__done(&run->regions);
	branch_table__done(&run->branches);
	report__done(&run->report);
	group__free(run->group);
	free(run->begins);
	prof_keys__free(run->keys, run->n_keys);
	prof__free(run->prof);
	prof__free(run->whole);
	free(run->title);
	output__done(&run->output);
}

static void settle_shape(struct report_run *run)
{
	const struct report_args *a = run->args;
	struct group_opts *o = &run->opts;

	if (a->tree)
		o->shape = a->selection.callers ? GROUP_CALLERS : GROUP_CALLS;
	o->keys = run->keys;
	o->n_keys = run->n_keys;
	o->min_share = a->min_share >= 0 ? a->min_share : a->tree ? TREE_SHARE : 0;
	if (a->limit >= 0)
		o->limit = (size_t)a->limit;
	else
		o->limit = a->json || a->csv || a->tree ? 0 : TEXT_ROWS;
}

/* Who takes part in which line comes before which function does. */
#define SHARED_BY "sharing,cache_line,thread,data_access,data_offset"

static int group(struct report_run *run, struct err *err)
{
	const struct report_args *a = run->args;
	const char *by = a->by ? a->by : a->selection.shared && !a->tree ? SHARED_BY : "function";
	int r = prof_keys__parse(&run->keys, &run->n_keys, by, run->whole, err);

	run->opts.keys = run->keys;
	run->opts.n_keys = run->n_keys;
	if (r == 0)
		r = rows__sort_by(&run->opts, a->sort, a->tree, run->prof, err);
	if (r < 0)
		return r;
	settle_shape(run);
	run->group = group__new(run->prof, &run->opts);
	return 0;
}

/* Keys of --folded lines: what a sample has as a whole. */
static int begin_lines(struct report_run *run, struct err *err)
{
	const char *by = run->args->by;
	int r;

	if (!by)
		return 0;
	r = prof_keys__parse(&run->keys, &run->n_keys, by, run->whole, err);
	if (r < 0)
		return r;
	if (run->n_keys > MOST_BEGINS)
		return err__usage(err, "--by: more than %d labels", MOST_BEGINS);
	run->begins = xcalloc(run->n_keys + 1, sizeof(*run->begins));
	for (size_t i = 0; i < run->n_keys; i++) {
		const struct prof_key *key = &run->keys[i];

		if (key->kind == KEY_EVENT ||
		    (prof_key__is_of_frames(key) && !label__of_word(key->word)))
			return err__usage(err,
					  "--by %s: folded lines begin with labels, which a sample "
					  "has as a whole",
					  key->word);
		run->begins[i] = key->kind == KEY_PROCESS ? "pid" : key->word;
	}
	return 0;
}

static void set_profiles(struct report_run *run)
{
	run->report.files = run->title ? &run->title : run->args->files;
	run->report.n_files = run->title ? 1 : run->args->n_files;
	run->report.whole = run->whole;
	run->report.prof = run->prof;
}

static int find_layout(struct report_run *run, struct err *err)
{
	set_profiles(run);
	report__settle(&run->report);
	return report_layout__find(&run->layout, &run->report, run->args->layout, err);
}

static int write_layout(struct report_run *run, FILE *file)
{
	_cleanup_(buf__done) struct buf text = {0};

	if (run->args->json)
		layout_report__json(&run->layout, &text);
	else
		layout_report__text(&run->layout, &text);
	return buf__write(&text, file);
}

static int find_regions(struct report_run *run, struct err *err)
{
	set_profiles(run);
	report__settle(&run->report);
	regions__find(&run->regions, run->whole);
	if (!run->regions.n)
		return err__usage(err, "--regions: no sample of the profile says where its data "
				       "lies; `pmubpf record --data' with an event that has data "
				       "addresses makes such a profile");
	return 0;
}

/* Of a list: --limit, or what a screen has. */
static size_t rows_to_show(const struct report_args *a)
{
	if (a->limit >= 0)
		return (size_t)a->limit;
	return a->json ? 0 : TEXT_ROWS;
}

static int write_regions(struct report_run *run, FILE *file)
{
	const struct report_args *a = run->args;
	_cleanup_(buf__done) struct buf text = {0};
	const struct regions_report r = {
		.report = &run->report,
		.regions = &run->regions,
		.factor = a->factor > 0 ? a->factor : REGIONS_FACTOR,
		.limit = rows_to_show(a),
	};

	if (a->json)
		regions_report__json(&r, &text);
	else
		regions_report__text(&r, &text);
	return buf__write(&text, file);
}

static int find_objects(struct report_run *run, struct err *err)
{
	set_profiles(run);
	report__settle(&run->report);
	for (size_t i = 0; i < run->whole->n_samples; i++) {
		if (prof__label(run->whole, run->whole->samples[i].labels, "data_class"))
			return 0;
	}
	return err__usage(err, "--objects: no sample of the profile is about data; `pmubpf record "
			       "--data' makes such a profile");
}

static int write_objects(struct report_run *run, FILE *file)
{
	_cleanup_(buf__done) struct buf text = {0};
	const struct objects_report r = {.report = &run->report, .limit = rows_to_show(run->args)};

	if (run->args->json)
		objects_report__json(&r, &text);
	else
		objects_report__text(&r, &text);
	return buf__write(&text, file);
}

static int find_branches(struct report_run *run, struct err *err)
{
	set_profiles(run);
	report__settle(&run->report);
	return report_branches__find(&run->branches, &run->binary, run->whole, run->args, err);
}

static int write_report(struct report_run *run, FILE *file)
{
	const struct report_args *a = run->args;
	_cleanup_(buf__done) struct buf text = {0};
	bool flat = run->opts.shape == GROUP_KEYS;
	bool to_terminal = !a->output && isatty(STDOUT_FILENO);
	size_t n_cut = 0;

	for (size_t i = 0; i < run->n_keys; i++)
		flat &= !prof_key__is_of_frames(&run->keys[i]);
	flat |= run->opts.shape == GROUP_CALLERS; /* the self of a caller says nothing there */
	set_profiles(run);
	run->report.group = run->group;
	run->report.keys = run->keys;
	run->report.n_keys = run->n_keys;
	run->report.shape = run->opts.shape;
	run->report.flat = flat;
	run->report.confidence = a->confidence;
	run->report.width = a->output ? 0 : terminal_width(stdout);
	run->report.color = to_terminal && !getenv("NO_COLOR");
	run->report.max_bytes = profiles__max_output(&a->limits);
	run->report.n_cut = &n_cut;
	report__settle(&run->report);
	if (a->json)
		report__json(&run->report, &text);
	else if (a->csv)
		report__csv(&run->report, &text);
	else
		report__text(&run->report, &text);
	profiles__tell_cut(n_cut, &a->limits);
	return buf__write(&text, file);
}

static size_t count_negative(const struct prof *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_samples; i++) {
		const int64_t *values = prof__values(p, i);
		bool below = false;

		for (size_t t = 0; t < p->n_types; t++)
			below |= values[t] < 0;
		n += below;
	}
	return n;
}

/* Differences have some. */
static void tell_negative(const struct report_run *run)
{
	const struct format *format = run->args->format;
	size_t n = format && format->positive ? count_negative(run->prof) : 0;

	if (n)
		fprintf(stderr,
			"pmubpf: --%s has no negative values: those of %zu of %zu samples are left "
			"out (--folded, --html and --pprof keep them)\n",
			format->name, n, run->prof->n_samples);
}

static void tell_cut(const struct report_run *run, const struct room_cut *cut)
{
	if (cut->lines)
		fprintf(stderr,
			"pmubpf: --%s: the %" PRIu64
			" rarest stacks did not fit into %.1f MB and are "
			"[other]; --max-size allows more\n",
			run->args->format->name, cut->lines,
			(double)profiles__max_output(&run->args->limits) / 1e6);
}

static int write_out(struct report_run *run, struct err *err)
{
	const struct report_args *a = run->args;
	FILE *file = run->output.file ? run->output.file : stdout;
	struct room_cut cut = {0};
	_cleanup_(buf__done) struct buf code = {0};
	const struct format_opts opts = {
		.unit = -1,
		.by = run->begins,
		.inlined = true,
		.max_bytes = profiles__max_output(&a->limits),
		.cut = &cut,
		.code = &code,
	};
	int r;

	if (a->format && a->format->whole && !a->output && isatty(STDOUT_FILENO))
		return err__usage(
			err, "--%s is not written to a terminal: name a file with -o, or pipe it",
			a->format->name);
	tell_negative(run);
	if (a->code.functions)
		page_code__find(&code, run->prof, &a->code, -1, false);
	if (run->output.file)
		output__empty(&run->output);
	r = a->format   ? a->format->write(file, run->prof, &opts) :
	    a->layout   ? write_layout(run, file) :
	    a->regions  ? write_regions(run, file) :
	    a->objects  ? write_objects(run, file) :
	    a->branches ? report_branches__write(&run->branches, &run->report, a, &run->binary,
						 file) :
			  write_report(run, file);
	tell_cut(run, &cut);
	return output__finish(&run->output, r, err);
}

/* What has no file there keeps its addresses; how many that are goes to standard error. */
static int symbolize(struct report_run *run, struct err *err)
{
	const struct symbol_files where = {.dirs = &run->args->symbols, .n_dirs = 1};
	struct symbolized did;
	struct sym *sym;
	int r;

	if (!run->args->symbols)
		return 0;
	r = sym__new(&sym, err);
	if (r < 0)
		return r;
	sym__want(sym, true, true, false);
	r = prof__symbolize(&run->whole, &where, sym, &did, err);
	sym__free(sym);
	if (r == 0)
		fprintf(stderr,
			"pmubpf: --symbols: %zu of %zu files found, %zu of %zu addresses named\n",
			did.found, did.mappings, did.named, did.locations);
	return r;
}

static int mark_sharing(struct report_run *run, struct err *err)
{
	struct prof *marked;
	int r;

	if (!run->args->selection.shared)
		return 0;
	r = prof__mark_sharing(&marked, run->whole, err);
	if (r < 0)
		return r;
	prof__free(run->whole);
	run->whole = marked;
	return 0;
}

static int load(struct report_run *run, struct err *err)
{
	const struct report_args *a = run->args;

	if (a->from.dir)
		return from__load(&run->whole, &run->title, &a->from, &a->limits, err);
	return profiles__load(&run->whole, a->files, a->n_files, &a->limits, err);
}

int cmd_report(int argc, char **argv)
{
	_cleanup_(report_args__done) struct report_args args = {0};
	_cleanup_(report_run__done) struct report_run run = {.args = &args};
	struct err err = {.exit_code = EXIT_FAILED};
	int r;

	signals__ignore_of_files();
	run.report.command_line = argv + 1;
	r = report_args__parse(&args, argc, argv, &err);
	if (r == 0)
		r = load(&run, &err);
	if (r == 0)
		r = symbolize(&run, &err);
	if (r == 0)
		profiles__demangle(run.whole);
	/* who reads a pprof file leaves them out himself */
	if (r == 0 && (!args.format || args.format != format__named("pprof")))
		profiles__prune(&run.whole);
	if (r == 0)
		r = mark_sharing(&run, &err);
	if (r == 0)
		r = prof_keys__check_labels(run.whole, &args.selection, &err);
	if (r == 0)
		r = prof__select(&run.prof, run.whole, &args.selection, &err);
	if (r == 0)
		r = args.format   ? begin_lines(&run, &err) :
		    args.layout   ? find_layout(&run, &err) :
		    args.regions  ? find_regions(&run, &err) :
		    args.objects  ? find_objects(&run, &err) :
		    args.branches ? find_branches(&run, &err) :
				    group(&run, &err);
	if (r == 0)
		r = output__open(&run.output, args.output, OUTPUT_WHOLE, &err);
	if (r == 0)
		r = write_out(&run, &err);
	return r < 0 ? complain(&err) : EXIT_DONE;
}
