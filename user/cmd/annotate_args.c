// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/annotate_args.h"

#include <argp.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/options.h"
#include "cmd/profiles.h"
#include "sym/debuginfod.h"

/* Options without a letter. */
enum {
	OPT_FILE = 256,
	OPT_LABEL,
	OPT_SYMBOLS,
	OPT_SOURCE,
	OPT_ALL,
	OPT_MAX_SIZE,
	OPT_CONTAINER,
	OPT_DEBUGINFOD,
};

static const struct argp_option options[] = {
	{0, 0, 0, 0, "Which windows:", 1},
	FROM_OPTIONS,
	{0, 0, 0, 0, "Which samples:", 2},
	{"event", 'e', "NAME", 0, "This event only; repeatable", 0},
	{"label", OPT_LABEL, "KEY=VALUE", 0,
	 "With this label; repeatable, values of one key are alternatives", 0},
	{"container", OPT_CONTAINER, "NAME", 0, "Of that container: --label container=NAME", 0},
	{"file", OPT_FILE, "FILE", 0,
	 "The function of that name in FILE: a path, its last part, or the beginning of a build-id",
	 0},
	{0, 0, 0, 0, "Where things are:", 3},
	{"symbols", OPT_SYMBOLS, "DIR", 0,
	 "The file with the instructions is in DIR, and has the build-id", 0},
	{"source", OPT_SOURCE, "DIR", 0,
	 "Sources are in DIR, by as much of the end of their paths as there is", 0},
	{"debuginfod", OPT_DEBUGINFOD, 0, 0,
	 "Ask the servers in DEBUGINFOD_URLS for the file's debug file, if it has no lines and "
	 "there is none here",
	 0},
	{0, 0, 0, 0, "Output:", 4},
	{"all", OPT_ALL, 0, 0, "All instructions and lines, not only those near samples", 0},
	{"json", 'j', 0, 0, "JSON", 0},
	{"max-size", OPT_MAX_SIZE, "SIZE", 0, "Of an uncompressed profile (default: 256M)", 0},
	{0},
};

static int parse_option(struct annotate_args *a, int key, char *arg)
{
	struct selection *s = &a->selection;

	switch (key) {
	case 'e':
		GROW(s->events, s->n_events, s->cap_events);
		s->events[s->n_events++] = arg;
		return 0;
	case OPT_LABEL:
		return selection__parse_label(s, arg, a->err);
	case OPT_FILE:
		a->file = arg;
		return 0;
	case OPT_SYMBOLS:
		a->symbols = arg;
		return 0;
	case OPT_SOURCE:
		a->source = arg;
		return 0;
	case OPT_DEBUGINFOD:
		a->debuginfod = true;
		return 0;
	case OPT_ALL:
		a->all = true;
		return 0;
	case 'j':
		a->json = true;
		return 0;
	case OPT_MAX_SIZE:
		return profiles__parse_limit(&a->limits, arg, a->err);
	case OPT_CONTAINER:
		selection__add_label(s, "container", arg);
		fleet_from__add_container(&a->from.fleet, arg);
		return 0;
	default:
		return from__option(&a->from, key, arg);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct annotate_args *a = state->input;
	int r;

	if (key == ARGP_KEY_ARGS) {
		a->function = state->argv[state->next];
		a->files = state->argv + state->next + 1;
		a->n_files = (size_t)(state->argc - state->next - 1);
		return 0;
	}
	r = parse_option(a, key, arg);
	return r == ARGP_ERR_UNKNOWN ? ARGP_ERR_UNKNOWN : -r;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "FUNCTION FILE…|-|--from DIR",
	.doc = "Show a function's source lines and instructions with the samples of each, from a "
	       "saved profile (record -o FILE.pb.gz).\v"
	       "Examples:\n"
	       "  pmubpf annotate work p.pb.gz\n"
	       "  pmubpf annotate -e cycles -e dcache-miss --file libz.so.1 inflate p.pb.gz\n"
	       "  pmubpf annotate --source ~/src/app work p.pb.gz\n"
	       "  pmubpf annotate --from /var/lib/pmubpf --since 1h work\n\n"
	       "Exit status: 0 done, 1 failed, 2 usage.",
};

static int check(const struct annotate_args *a)
{
	if (a->function && a->from.dir && a->n_files)
		return err__usage(a->err, "--from DIR instead of files, not beside '%s'",
				  a->files[0]);
	if (!a->function || !*a->function || (!a->n_files && !a->from.dir))
		return err__usage(a->err,
				  "which function of which profile? (pmubpf annotate FUNCTION "
				  "FILE, - for standard input)");
	for (size_t i = 0, stdins = 0; i < a->n_files; i++) {
		stdins += strcmp(a->files[i], "-") == 0;
		if (stdins > 1)
			return err__usage(a->err, "standard input (-) can be read once");
	}
	return a->debuginfod ? debuginfod__check(a->err) : 0;
}

int annotate_args__parse(struct annotate_args *a, int argc, char **argv, struct err *err)
{
	int r;

	*a = (struct annotate_args){.err = err};
	r = options__parse(&argp, argc, argv, 0, a);
	if (r == 0)
		r = from__settle(&a->from, err);
	return r < 0 ? r : check(a);
}

void annotate_args__done(struct annotate_args *a)
{
	selection__done(&a->selection);
}
