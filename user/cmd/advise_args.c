// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/advise_args.h"

#include <argp.h>
#include <string.h>

#include "cmd/options.h"
#include "cmd/profiles.h"

/* Options without a letter. */
enum {
	OPT_LABEL = 256,
	OPT_ALL,
	OPT_MAX_SIZE,
};

static const struct argp_option options[] = {
	{"label", OPT_LABEL, "KEY=VALUE", 0,
	 "Samples with this label; repeatable, values of one key are alternatives", 0},
	{"all", OPT_ALL, 0, 0, "Also what was looked for and not found, and why", 0},
	{"json", 'j', 0, 0, "JSON", 0},
	{"max-size", OPT_MAX_SIZE, "SIZE", 0, "Of an uncompressed profile (default: 256M)", 0},
	{0},
};

static int parse_option(struct advise_args *a, int key, char *arg)
{
	switch (key) {
	case OPT_LABEL:
		return selection__parse_label(&a->selection, arg, a->err);
	case OPT_ALL:
		a->all = true;
		return 0;
	case 'j':
		a->json = true;
		return 0;
	case OPT_MAX_SIZE:
		return profiles__parse_limit(&a->limits, arg, a->err);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct advise_args *a = state->input;
	int r;

	if (key == ARGP_KEY_ARGS) {
		a->files = state->argv + state->next;
		a->n_files = (size_t)(state->argc - state->next);
		return 0;
	}
	r = parse_option(a, key, arg);
	return r == ARGP_ERR_UNKNOWN ? ARGP_ERR_UNKNOWN : -r;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "FILE…|-",
	.doc = "Say what stands out in a saved profile (record -o FILE.pb.gz), where, how sure "
	       "that is, how much there is to gain at most, and what to try.\v"
	       "Examples:\n"
	       "  pmubpf record -e cpu-clock,page-faults,context-switches,off-cpu -o p.pb.gz -- "
	       "CMD\n"
	       "  pmubpf advise p.pb.gz\n"
	       "  pmubpf advise --all --label comm=worker p.pb.gz\n\n"
	       "Exit status: 0 done, with findings or without, 1 failed, 2 usage.",
};

int advise_args__parse(struct advise_args *a, int argc, char **argv, struct err *err)
{
	int r;

	*a = (struct advise_args){.err = err};
	r = options__parse(&argp, argc, argv, 0, a);
	if (r < 0)
		return r;
	if (!a->n_files)
		return err__usage(err, "which profile? (pmubpf advise FILE, - for standard input)");
	for (size_t i = 0, stdins = 0; i < a->n_files; i++) {
		stdins += strcmp(a->files[i], "-") == 0;
		if (stdins > 1)
			return err__usage(err, "standard input (-) can be read once");
	}
	return 0;
}

void advise_args__done(struct advise_args *a)
{
	selection__done(&a->selection);
}
