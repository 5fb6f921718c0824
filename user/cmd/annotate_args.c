// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/annotate_args.h"

#include <argp.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
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
	OPT_JITDUMP,
	OPT_BRANCHES,
	OPT_BUDGET,
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
	{0, 0, 0, 0, "Jumps of a running process instead of samples:", 3},
	{"branches", OPT_BRANCHES, 0, 0,
	 "How often each conditional jump of FUNCTION is taken, by probes in the process of -p", 0},
	{"pid", 'p', "PID", 0, "That process", 0},
	{"duration", 'd', "SECONDS", 0,
	 "End after so many seconds, or 500ms, 2m, 1h (default: when the process ends, or Ctrl-C)",
	 0},
	{"budget", OPT_BUDGET, "PERCENT", 0,
	 "Take the probes out for a while when they cost more of the CPUs (default: 1; 0: never)",
	 0},
	{0, 0, 0, 0, "Where things are:", 4},
	{"symbols", OPT_SYMBOLS, "DIR", 0,
	 "The file with the instructions is in DIR, and has the build-id", 0},
	{"jitdump", OPT_JITDUMP, "FILE", 0,
	 "The function's code, which a JIT has made, is in FILE: a jit-PID.dump of that process",
	 0},
	{"source", OPT_SOURCE, "DIR", 0,
	 "Sources are in DIR, by as much of the end of their paths as there is", 0},
	{"debuginfod", OPT_DEBUGINFOD, 0, 0,
	 "Ask the servers in DEBUGINFOD_URLS for the file's debug file, if it has no lines and "
	 "there is none here",
	 0},
	{0, 0, 0, 0, "Output:", 5},
	{"all", OPT_ALL, 0, 0, "All instructions and lines, not only those near samples", 0},
	{"json", 'j', 0, 0, "JSON", 0},
	{"max-size", OPT_MAX_SIZE, "SIZE", 0, "Of an uncompressed profile (default: 256M)", 0},
	{0},
};

static int parse_pid(struct annotate_args *a, const char *text)
{
	int pid;

	if (a->pid)
		return err__usage(a->err, "-p: the probes go into one process");
	if (num__parse_int(text, 1, INT32_MAX, &pid) < 0)
		return err__usage(a->err, "-p: '%s' is not a process id", text);
	a->pid = pid;
	return 0;
}

/* What --branches has. */
static int branches_option(struct annotate_args *a, int key, char *arg)
{
	switch (key) {
	case OPT_BRANCHES:
		a->branches = true;
		return 0;
	case 'p':
		return parse_pid(a, arg);
	case 'd':
		return parse_duration(&a->duration_ns, arg, a->err);
	case OPT_BUDGET:
		a->budget_given = true;
		return parse_budget(&a->budget, arg, a->err);
	default:
		return from__option(&a->from, key, arg);
	}
}

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
	case OPT_JITDUMP:
		a->jitdump = arg;
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
		return 0;
	default:
		return branches_option(a, key, arg);
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
	.args_doc = "FUNCTION FILE…|-|--from DIR|--branches -p PID",
	.doc = "Show a function's source lines and instructions with the samples of each, from a "
	       "saved profile (record -o FILE.pb.gz).\v"
	       "Examples:\n"
	       "  pmubpf annotate work p.pb.gz\n"
	       "  pmubpf annotate -e cycles -e dcache-miss --file libz.so.1 inflate p.pb.gz\n"
	       "  pmubpf annotate --source ~/src/app work p.pb.gz\n"
	       "  pmubpf annotate --from /var/lib/pmubpf --since 1h work\n"
	       "  sudo pmubpf annotate --branches work -p 1234 -d 10\n\n"
	       "Exit status: 0 done, 1 failed, 2 usage, 3 this machine or this user can't.",
};

static int check_branches(const struct annotate_args *a)
{
	const struct selection *s = &a->selection;

	if (!a->function || !*a->function || !a->pid)
		return err__usage(a->err, "--branches: which function of which process? (pmubpf "
					  "annotate --branches FUNCTION -p PID)");
	if (a->n_files || a->from.dir || s->n_events || s->n_labels)
		return err__usage(a->err, "--branches is of a process (-p), not of samples: no "
					  "profile, --from, -e, --label or --container beside it");
	if (a->symbols || a->debuginfod)
		return err__usage(a->err, "--branches: the file is the one that the process has: "
					  "no --symbols or --debuginfod beside it");
	return 0;
}

static int check(const struct annotate_args *a)
{
	if (a->branches)
		return check_branches(a);
	if (a->pid || a->duration_ns || a->budget_given)
		return err__usage(a->err, "-p, -d and --budget are of --branches; a saved profile "
					  "has its samples already");
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

	*a = (struct annotate_args){.budget = DEFAULT_BUDGET, .err = err};
	r = options__parse(&argp, argc, argv, 0, a);
	a->from.fleet.only = &a->selection;
	if (r == 0)
		r = from__settle(&a->from, err);
	return r < 0 ? r : check(a);
}

void annotate_args__done(struct annotate_args *a)
{
	selection__done(&a->selection);
}
