// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/symbolize_args.h"

#include <argp.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cmd/options.h"
#include "cmd/profiles.h"
#include "sym/debuginfod.h"

/* Options without a letter. */
enum {
	OPT_SYMBOLS = 256,
	OPT_DEBUGINFOD,
	OPT_MAX_SIZE,
};

static const struct argp_option options[] = {
	{0, 0, 0, 0, "Which windows:", 1},
	FROM_OPTIONS,
	{0, 0, 0, 0, "Where names are:", 2},
	{"symbols", OPT_SYMBOLS, "DIR", 0,
	 "Files in DIR, before those that are installed here; may be repeated", 0},
	{"debuginfod", OPT_DEBUGINFOD, 0, 0,
	 "Ask the servers of DEBUGINFOD_URLS for what isn't here", 0},
	{0, 0, 0, 0, "Other:", 3},
	{"max-size", OPT_MAX_SIZE, "SIZE", 0,
	 "Of an uncompressed window, or of a server's reply (default: 256M)", 0},
	{"quiet", 'q', 0, 0, "Say nothing but what goes wrong", 0},
	{0},
};

static int parse_option(struct symbolize_args *a, int key, char *arg)
{
	switch (key) {
	case OPT_SYMBOLS:
		GROW(a->dirs, a->n_dirs, a->cap_dirs);
		a->dirs[a->n_dirs++] = arg;
		return 0;
	case OPT_DEBUGINFOD:
		a->debuginfod = true;
		return 0;
	case OPT_MAX_SIZE:
		return profiles__parse_limit(&a->limits, arg, a->err);
	case 'q':
		a->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		return err__usage(a->err,
				  "'%s': windows are named by their folder or server, with --from "
				  "(of a file: pmubpf report --symbols DIR)",
				  arg);
	default:
		return from__option(&a->from, key, arg);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	int r = parse_option(state->input, key, arg);

	return r == ARGP_ERR_UNKNOWN ? ARGP_ERR_UNKNOWN : -r;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.doc = "Name the functions of windows that have addresses without names, by files with "
	       "their build-ids: those of an agent's folder, or what was sent to ClickHouse.\v"
	       "Examples:\n"
	       "  pmubpf symbolize --from /var/lib/pmubpf --since 1d\n"
	       "  pmubpf symbolize --from clickhouse+http://ch:8123/pmubpf --symbols ~/build\n"
	       "  DEBUGINFOD_URLS=https://debuginfod.debian.net \\\n"
	       "    pmubpf symbolize --debuginfod --from clickhouse+http://ch:8123/pmubpf\n\n"
	       "Exit status: 0 done, 1 failed, 2 usage.",
};

static int check(const struct symbolize_args *a)
{
	const char *from = a->from.dir;

	if (!from)
		return err__usage(a->err, "which windows? (pmubpf symbolize --from DIR, or --from "
					  "clickhouse+http://HOST:PORT/DATABASE)");
	if (ship_url__is_s3(from))
		return err__usage(a->err,
				  "objects of S3 stay what they are: symbolize the folder before "
				  "it is sent (report --symbols DIR names what a report shows)");
	return a->debuginfod ? debuginfod__check(a->err) : 0;
}

int symbolize_args__parse(struct symbolize_args *a, int argc, char **argv, struct err *err)
{
	int r;

	*a = (struct symbolize_args){.err = err};
	r = options__parse(&argp, argc, argv, 0, a);
	if (r == 0)
		r = from__settle(&a->from, err);
	return r < 0 ? r : check(a);
}

void symbolize_args__done(struct symbolize_args *a)
{
	free(a->dirs);
}
