// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/ship_args.h"

#include <argp.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/num.h"
#include "cmd/options.h"
#include "cmd/share_arg.h"

/* Options without a letter. */
enum {
	OPT_FROM = 256,
	OPT_TO,
	OPT_STATE,
	OPT_HOST,
	OPT_STACKS,
	OPT_SHARE,
	OPT_ALL_LABELS,
	OPT_ONCE,
	OPT_CREDENTIALS,
	OPT_CA,
	OPT_TIMEOUT,
	OPT_SCHEMA,
};
enum { DEFAULT_TIMEOUT_S = 60 };

static const struct argp_option options[] = {
	{0, 0, 0, 0, "What goes where:", 1},
	{"from", OPT_FROM, "DIR", 0, "The windows that `pmubpf agent' has written", 0},
	{"to", OPT_TO, "URL", 0,
	 "clickhouse+http://HOST[:PORT]/DATABASE, or clickhouse+https; or "
	 "s3+http://HOST[:PORT]/BUCKET[/PREFIX][?region=REGION], or s3+https; or "
	 "pyroscope+http://HOST[:PORT][/PREFIX][?tenant=NAME], or pyroscope+https; or, by "
	 "OpenTelemetry's protocol (experimental), otlp+http://HOST[:PORT][/PREFIX], or otlp+https",
	 0},
	{"state", OPT_STATE, "DIR", 0,
	 "Where it is written down how far was sent (default: systemd's $STATE_DIRECTORY)", 0},
	{"once", OPT_ONCE, 0, 0, "End when all that is there was sent", 0},
	{0, 0, 0, 0, "Rows:", 2},
	{"host", OPT_HOST, "NAME", 0, "What this host is called (default: as the kernel says)", 0},
	{"stacks", OPT_STACKS, "N", 0,
	 "At most N different stacks of a window, the rest is [other] (default: 20000)", 0},
	{"share", OPT_SHARE, "PERCENT", 0,
	 "So many of the windows, which count for all: for large fleets (100, 50, 25, 20, 10, 5, "
	 "4, 2 or 1; default: 100)",
	 0},
	{"all-labels", OPT_ALL_LABELS, 0, 0, "Those of processes, threads, CPUs and addresses, too",
	 0},
	{0, 0, 0, 0, "The server:", 3},
	{"credentials", OPT_CREDENTIALS, "FILE", 0,
	 "USER:PASSWORD is its first line (default: systemd's credential `clickhouse', "
	 "`s3', `pyroscope' or `otlp')",
	 0},
	{"ca", OPT_CA, "FILE", 0, "Certificates that sign the server's (default: the system's)", 0},
	{"timeout", OPT_TIMEOUT, "SECONDS", 0, "How long an answer may take (default: 60)", 0},
	{"schema", OPT_SCHEMA, "FORM", 0,
	 "Print the tables, and end: clickhouse (one server) or clickhouse-cluster", 0},
	{"quiet", 'q', 0, 0, "Say nothing but what goes wrong", 0},
	{0},
};

static int parse_more(struct ship_args *a, int key, char *arg)
{
	switch (key) {
	case OPT_STACKS:
		if (num__parse_int(arg, 1, INT32_MAX, &a->stacks) < 0)
			return err__usage(a->err, "--stacks '%s' is not a number from 1 on", arg);
		return 0;
	case OPT_SHARE:
		return share_arg__parse(arg, &a->one_of, a->err);
	case OPT_TIMEOUT:
		if (num__parse_int(arg, 1, 3600, &a->timeout_s) < 0)
			return err__usage(a->err, "--timeout '%s' is not a number from 1 to 3600",
					  arg);
		return 0;
	case OPT_ALL_LABELS:
		a->all_labels = true;
		return 0;
	case OPT_ONCE:
		a->once = true;
		return 0;
	case 'q':
		a->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		return err__usage(a->err, "'%s': windows are named by their folder, with --from",
				  arg);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct ship_args *a = state->input;
	const struct {
		int key;
		const char **at;
	} texts[] = {
		{OPT_FROM, &a->from},
		{OPT_TO, &a->to},
		{OPT_STATE, &a->state},
		{OPT_HOST, &a->host},
		{OPT_CREDENTIALS, &a->credentials},
		{OPT_CA, &a->ca},
		{OPT_SCHEMA, &a->schema},
	};
	int r;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if (key == texts[i].key) {
			*texts[i].at = arg;
			return 0;
		}
	}
	r = parse_more(a, key, arg);
	return r == ARGP_ERR_UNKNOWN ? ARGP_ERR_UNKNOWN : -r;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.doc = "Send the windows that `pmubpf agent' has written to ClickHouse, each once, "
	       "or their files to S3, or their profiles to Pyroscope or OpenTelemetry.\v"
	       "Examples:\n"
	       "  pmubpf ship --schema clickhouse | clickhouse-client -n -d pmubpf\n"
	       "  pmubpf ship --from /var/lib/pmubpf --state /var/lib/pmubpf-ship \\\n"
	       "    --to clickhouse+http://127.0.0.1:8123/pmubpf\n"
	       "  pmubpf report --from clickhouse+http://127.0.0.1:8123/pmubpf --since 1h\n\n"
	       "Exit status: 0 done, 1 failed, 2 usage, 3 this machine can't.",
};

static int check(struct ship_args *a)
{
	if (a->schema && (a->from || a->to || a->once))
		return err__usage(a->err, "--schema prints tables, and sends nothing");
	if (a->schema)
		return 0;
	if (!a->from || !a->to)
		return err__usage(a->err, "which windows, and where to? (pmubpf ship --from DIR "
					  "--state DIR --to clickhouse+http://HOST:PORT/DATABASE)");
	if (!a->state)
		a->state = getenv("STATE_DIRECTORY");
	if (!a->state)
		return err__usage(a->err, "--state: name a folder in which it can be written down "
					  "how far was sent");
	return 0;
}

int ship_args__parse(struct ship_args *a, int argc, char **argv, struct err *err)
{
	int r;

	*a = (struct ship_args){.timeout_s = DEFAULT_TIMEOUT_S, .err = err};
	r = options__parse(&argp, argc, argv, 0, a);
	return r < 0 ? r : check(a);
}
