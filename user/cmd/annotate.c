// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * pmubpf annotate: a function's lines and instructions, with the samples of each.
 *
 * The hard thing: a profile names files, and debug information names sources, any of them. So once
 * the profile is read, and a kernel function's bytes are, everything is opened with the rights of
 * who called sudo.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/text.h"
#include "cmd/annotate_args.h"
#include "cmd/annotate_branches.h"
#include "cmd/annotate_code.h"
#include "cmd/annotate_kernel.h"
#include "cmd/cmd.h"
#include "cmd/output.h"
#include "cmd/profiles.h"
#include "prof/keys.h"
#include "render/code.h"
#include "render/escape.h"
#include "session/signals.h"
#include "sym/debuginfod.h"
#include "sys/caller.h"

struct annotate_run {
	const struct annotate_args *args;
	struct prof *whole, *prof;
	struct report report;
	struct code_functions functions;
	struct code_points points;
	struct annotate_code code;
	struct sources sources;
	struct code_view view;
	char *title; /* of windows, in place of files */
	struct annotate_kernel kernel;
	struct debuginfod *servers; /* NULL: nobody is asked */
};

static void annotate_run__done(struct annotate_run *run)
{
	code_view__done(&run->view);
	sources__done(&run->sources);
	annotate_code__done(&run->code);
	code_points__done(&run->points);
	code_functions__done(&run->functions);
	report__done(&run->report);
	prof__free(run->prof);
	prof__free(run->whole);
	free(run->title);
	annotate_kernel__done(&run->kernel);
	debuginfod__done(&run->servers);
}

/* ---- which function */

/* --file: a path, its last part, the beginning of a build-id, or the source's name. */
static bool is_in(const struct prof *p, const struct code_function *f, const char *wanted)
{
	const char *file = prof__text(p, f->file), *id = prof__text(p, f->build_id);
	size_t len = strlen(wanted);

	return strcmp(file, wanted) == 0 || strcmp(base_name(file), wanted) == 0 ||
	       (len >= 4 && strncasecmp(id, wanted, len) == 0) ||
	       strcmp(prof__text(p, f->source), wanted) == 0;
}

static void put_function(const struct annotate_run *run, const struct code_function *f,
			 struct buf *out)
{
	const struct prof *p = run->prof;
	const struct prof_event *e = &run->report.events[0];

	buf__puts(out, "\n  ");
	escape_name(out, code_function__text(f, p));
	buf__puts(out, "  ");
	if (!f->called && f->system && f->system != f->name) {
		escape_name(out, prof__text(p, f->system));
		buf__puts(out, "  ");
	}
	escape_name(out, prof__text(p, f->file));
	if (f->build_id)
		buf__printf(out, "  %.12s", prof__text(p, f->build_id));
	if (f->source) {
		buf__puts(out, "  ");
		escape_name(out, prof__text(p, f->source));
	}
	buf__printf(out, "  %" PRId64 " ", f->values[report_event__type(e)]);
	escape_name(out, e->name);
}

/* Several lines, which complain() would make one of. */
static int refuse_several(const struct annotate_run *run, size_t n, struct err *err)
{
	enum { MOST = 20 };
	_cleanup_(buf__done) struct buf text = {0};
	size_t shown = 0;

	for (size_t i = 0; i < run->functions.n && shown < MOST; i++) {
		const struct code_function *f = &run->functions.list[i];

		if (run->args->file && !is_in(run->prof, f, run->args->file))
			continue;
		put_function(run, f, &text);
		shown++;
	}
	if (n > shown)
		buf__printf(&text, "\n  … and %zu more", n - shown);
	fprintf(stderr, "pmubpf: %zu functions are called so:%s\n", n, text.data);
	return err__usage(
		err, "which one? Give its name as the linker has it, if there is one above, or "
		     "in full; --file says of which file, by its path, build-id or "
		     "source");
}

static int refuse_inlined(const struct annotate_run *run, struct err *err)
{
	const struct code_functions *f = &run->functions;
	_cleanup_(buf__done) struct buf hosts = {0};
	size_t n = f->n_hosts < ARRAY_SIZE(f->hosts) ? f->n_hosts : ARRAY_SIZE(f->hosts);

	for (size_t i = 0; i < n; i++) {
		buf__puts(&hosts, i ? ", " : "");
		escape_name(&hosts, prof__text(run->prof, f->hosts[i]));
	}
	return err__usage(err,
			  "'%s' has no code of its own: it was inlined into %s%s; annotate that",
			  run->args->function, hosts.data, f->n_hosts > n ? " and others" : "");
}

static bool is_leaf(const struct prof *p, const char *name)
{
	for (size_t i = 0; i < p->n_samples; i++) {
		const uint32_t *locations;
		size_t n = prof__stack_locations(p, p->samples[i].stack, &locations);
		const struct prof_location *l = n ? &p->locations[locations[0]] : NULL;

		for (uint32_t k = 0; l && k < l->n_lines; k++) {
			uint32_t function = p->lines[l->first_line + k].function;

			if (strcmp(prof__text(p, prof__function_name(p, function)), name) == 0)
				return true;
		}
	}
	return false;
}

static int refuse_unknown(const struct annotate_run *run, struct err *err)
{
	const struct prof *p = run->prof;
	_cleanup_(nearest__done) struct nearest nearest;
	_cleanup_(buf__done) struct buf names = {0};
	bool elsewhere = false;

	nearest__init(&nearest, run->args->function);
	for (uint32_t i = 1; i < p->n_functions; i++) {
		const char *name = prof__text(p, prof__function_name(p, i));

		elsewhere |= strcmp(name, run->args->function) == 0;
		nearest__offer(&nearest, name, NULL);
		if (strrchr(name, ':')) /* without what it is a member of */
			nearest__offer(&nearest, strrchr(name, ':') + 1, name);
	}
	if (elsewhere && !is_leaf(p, run->args->function))
		return err__usage(err,
				  "'%s' has no samples of its own, only what it calls (`pmubpf "
				  "report --tree --callees %s' shows that)",
				  run->args->function, run->args->function);
	if (*run->args->function == '[')
		return err__usage(err,
				  "'%s' is no function with code in a file: name one as `pmubpf "
				  "report' has it, or the code of a file that has no names as "
				  "[FILE] or [FILE]+0xADDRESS",
				  run->args->function);
	nearest__format(&nearest, &names);
	return err__usage(err, "the profile has no function '%s'%s%s%s", run->args->function,
			  names.len ? " (near: " : "", names.len ? names.data : "",
			  names.len ? ")" : "; `pmubpf report' lists them");
}

static int choose(struct annotate_run *run, struct err *err)
{
	struct code_function *found = NULL;
	size_t n = 0;

	if (!run->report.n_events)
		return err__usage(err, "the profile has no events");
	code_functions__find(&run->functions, run->prof, run->args->function,
			     report_event__type(&run->report.events[0]));
	for (size_t i = 0; i < run->functions.n; i++) {
		struct code_function *f = &run->functions.list[i];

		if (run->args->file && !is_in(run->prof, f, run->args->file))
			continue;
		found = found ? found : f;
		n++;
	}
	if (n > 1)
		return refuse_several(run, n, err);
	if (!n && run->functions.n)
		return err__usage(err, "no file '%s' has a function '%s' with samples",
				  run->args->file, run->args->function);
	if (!n)
		return run->functions.n_hosts ? refuse_inlined(run, err) : refuse_unknown(run, err);
	if (run->args->jitdump && found->kind != PROF_JIT)
		return err__usage(err, "--jitdump: '%s' is not code that a JIT has made",
				  run->args->function);
	found->dumped = run->args->jitdump;
	run->view.function = found;
	return 0;
}

/* ---- the view */

static int write_view(struct annotate_run *run, struct err *err)
{
	_cleanup_(buf__done) struct buf text = {0};
	int r;

	if (run->args->json)
		code_view__json(&run->view, &text);
	else
		code_view__text(&run->view, &text);
	r = buf__write(&text, stdout);
	return r < 0 && r != -EPIPE ? write_error(NULL, r, err) : 0;
}

/* Where the function around an address begins and ends says its file. */
static void keep_one(struct annotate_run *run)
{
	const struct listing *l = run->code.n ? run->code.listings : NULL;
	uint64_t near = run->view.function->near;

	code_points__keep(&run->points, run->prof, l ? l->file_off : near,
			  l ? l->file_off + l->size : near + 1);
}

static int show(struct annotate_run *run, struct err *err)
{
	struct code_view *v = &run->view;
	struct annotate_where where = {
		.dir = run->args->symbols,
		.jitdump = run->args->jitdump,
	};

	if (run->args->debuginfod)
		where.servers = run->servers = debuginfod__new();
	code_points__find(&run->points, run->prof, v->function);
	if (v->function->kind == PROF_KERNEL)
		annotate_kernel__find(&run->code, &run->kernel, &run->points, &v->notes);
	else
		annotate_code__find(&run->code, run->prof, v->function, &run->points, &where,
				    &v->notes);
	if (v->function->one)
		keep_one(run);
	run->sources.dir = run->args->source;
	run->sources.only_dir = v->function->in_container;
	run->sources.only_public = geteuid() == 0;
	run->sources.built = run->code.changed;
	v->report = &run->report;
	v->points = &run->points;
	v->path = run->code.path;
	v->base = run->code.base;
	v->sources = &run->sources;
	v->all = run->args->all;
	code_view__build(v, run->code.listings, run->code.n);
	return write_view(run, err);
}

static int load(struct annotate_run *run, struct err *err)
{
	const struct annotate_args *a = run->args;
	int r = a->from.dir ? from__load(&run->whole, &run->title, &a->from, &a->limits, err) :
			      profiles__load(&run->whole, a->files, a->n_files, &a->limits, err);

	if (r < 0)
		return r;
	annotate_kernel__take(&run->kernel, run->whole, a->function, NULL);
	r = caller_open_as();
	if (r < 0)
		return err__set(err, r, "can't take the rights of who called sudo: %s",
				strerror(-r));
	profiles__demangle(run->whole);
	profiles__prune(&run->whole);
	r = prof_keys__check_labels(run->whole, &a->selection, err);
	if (r == 0)
		r = prof__select(&run->prof, run->whole, &a->selection, err);
	if (r < 0)
		return r;
	run->report.files = run->title ? &run->title : a->files;
	run->report.n_files = run->title ? 1 : a->n_files;
	run->report.whole = run->whole;
	run->report.prof = run->prof;
	run->report.confidence = true;
	run->report.color = !a->json && isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	report__settle(&run->report);
	return 0;
}

int cmd_annotate(int argc, char **argv)
{
	_cleanup_(annotate_args__done) struct annotate_args args = {0};
	_cleanup_(annotate_run__done) struct annotate_run run = {.args = &args};
	struct err err = {.exit_code = EXIT_FAILED};
	int r;

	signals__ignore_of_files();
	run.report.command_line = argv + 1;
	r = annotate_args__parse(&args, argc, argv, &err);
	if (r == 0 && args.branches)
		return annotate_branches(&args, argv + 1, &err) < 0 ? complain(&err) : EXIT_DONE;
	if (r == 0)
		r = load(&run, &err);
	if (r == 0)
		r = choose(&run, &err);
	if (r == 0)
		r = show(&run, &err);
	return r < 0 ? complain(&err) : EXIT_DONE;
}
