// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/agent_args.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "cmd/options.h"
#include "model/labels.h"

/* Options without a letter. */
enum {
	OPT_DIR = 256,
	OPT_EVERY,
	OPT_KEEP,
	OPT_MAX_DISK,
	OPT_LABEL,
	OPT_CONFIG,
	OPT_SCHEMA,
};

#define SECOND_NS 1000000000ULL
#define DAY_NS (24 * 3600 * SECOND_NS)
#define LEAST_EVERY_NS SECOND_NS
#define MOST_EVERY_NS (3600 * SECOND_NS)
#define MOST_KEEP_NS (10 * 365 * DAY_NS)
#define LEAST_DISK ((uint64_t)64 << 10)
#define MOST_DISK ((uint64_t)1 << 50)
/* What costs a host little, and says enough of an hour: docs/design/0034-agent.md. */
enum { AGENT_HZ = 49 };
/* Of stacks and names: at that rate a window has few, and names that are kept are asked again. */
#define AGENT_MEMORY ((size_t)32 << 20)
/* 0.25 % of a CPU, of two: half of what programs that start may cost where 2,000 do each minute. */
enum { AGENT_LOOKS_PART = 8 };

static const struct argp_option options[] = {
	{0, 0, 0, 0, "The windows:", 6},
	{"dir", OPT_DIR, "DIR", 0, "The folder that they are written to; is made if it isn't there",
	 0},
	{"every", OPT_EVERY, "TIME", 0, "How long a window is, from 1s to 1h (default: 60s)", 0},
	{"keep", OPT_KEEP, "TIME", 0, "For how long they are kept (default: 7d)", 0},
	{"max-disk", OPT_MAX_DISK, "SIZE", 0,
	 "How much room all of them may take, from 64K; the oldest go first (default: 1G)", 0},
	{"label", OPT_LABEL, "LABELS", 0, "Tell samples apart by these labels, too, as for record",
	 0},
	{"config", OPT_CONFIG, "FILE", 0,
	 "Options, a line each, as name = value; SIGHUP reads them again (default: " AGENT_CONFIG
	 ", if it is there)",
	 0},
	{"quiet", 'q', 0, 0, "Say nothing but what goes wrong", 0},
	{"schema", OPT_SCHEMA, "FORM", 0,
	 "Print the tables of ClickHouse that --to fills (clickhouse: of one server, "
	 "clickhouse-cluster: of many), and end",
	 0},
	{0},
};

static int parse_span(struct agent_args *a, const char *option, const char *text, uint64_t least,
		      uint64_t most, uint64_t *ret)
{
	if (num__parse_time(text, SECOND_NS, ret) == 0 && *ret >= least && *ret <= most)
		return 0;
	if (most == MOST_EVERY_NS)
		return err__usage(a->err, "%s '%s' is not a time from 1s to 1h", option, text);
	return err__usage(a->err, "%s '%s' is not a time such as 12h or 7d", option, text);
}

static int add_label(struct agent_args *a, const char *word)
{
	unsigned labels = label__of_word(word);

	if (!labels)
		return err__usage(a->err, "--label '%s': no label is called so", word);
	if (labels & (LABEL_DATA | LABEL_ADDR))
		return err__usage(a->err,
				  "--label '%s': what samples are about is looked at behind a "
				  "recording: `pmubpf record --data'",
				  word);
	sampling_args__want_label(&a->sampling, word);
	return 0;
}

static int parse_labels(struct agent_args *a, char *text)
{
	char *word;
	int r = 0;

	while (r == 0 && (word = strsep(&text, ",")))
		r = add_label(a, word);
	return r;
}

static int parse_option(struct agent_args *a, int key, char *arg)
{
	switch (key) {
	case OPT_DIR:
		a->dir = arg;
		return 0;
	case OPT_EVERY:
		return parse_span(a, "--every", arg, LEAST_EVERY_NS, MOST_EVERY_NS, &a->every_ns);
	case OPT_KEEP:
		return parse_span(a, "--keep", arg, 1, MOST_KEEP_NS, &a->keep_ns);
	case OPT_MAX_DISK:
		if (num__parse_size(arg, &a->max_disk) < 0 || a->max_disk < LEAST_DISK ||
		    a->max_disk > MOST_DISK)
			return err__usage(a->err, "--max-disk '%s' is not a size from 64K (as 1G)",
					  arg);
		return 0;
	case OPT_LABEL:
		return parse_labels(a, arg);
	case OPT_CONFIG: /* was read before */
		return 0;
	case 'q':
		a->sampling.quiet = true;
		return 0;
	case OPT_SCHEMA:
		return a->schema ? 0 :
				   err__usage(a->err, "--schema prints tables: it belongs on "
						      "the command line");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct agent_args *a = state->input;
	int r;

	if (key == ARGP_KEY_INIT) {
		state->child_inputs[0] = &a->sampling;
		state->child_inputs[1] = &a->to;
		state->child_inputs[2] = &a->metrics;
		state->child_inputs[3] = &a->alarm;
		return 0;
	}
	r = parse_option(a, key, arg);
	return r == ARGP_ERR_UNKNOWN ? ARGP_ERR_UNKNOWN : -r;
}

static const struct argp_child children[] = {{.argp = &sampling_argp},
					     {.argp = &agent_to_argp},
					     {.argp = &agent_metrics_argp},
					     {.argp = &agent_alarm_argp},
					     {0}};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.args_doc = "--dir DIR",
	.doc = "Record all the time, at a low rate, and keep what was recorded as a window of a "
	       "minute each in DIR.\v"
	       "Examples:\n"
	       "  pmubpf agent --dir /var/lib/pmubpf --keep 7d --max-disk 1G\n"
	       "  pmubpf report --by container /var/lib/pmubpf/*.pb.gz\n\n"
	       "Without a target it is the whole system, without -e cycles where there is a PMU, "
	       "else cpu-clock, without a rate 49 samples of each CPU a second. --max-memory is "
	       "32M here.\n\n"
	       "Exit status: 0 ended by a signal or its target, 1 failed, 2 usage, 3 this machine "
	       "can't.",
};

static void init(struct agent_args *a, struct err *err)
{
	a->every_ns = 60 * SECOND_NS;
	a->keep_ns = 7 * DAY_NS;
	a->max_disk = (uint64_t)1 << 30;
	a->err = err;
	a->to.err = a->metrics.err = err;
	agent_alarm_args__init(&a->alarm, err);
	sampling_args__init(&a->sampling, err);
	a->sampling.session.max_memory = AGENT_MEMORY;
	a->sampling.session.looks_part = AGENT_LOOKS_PART;
	a->sampling.session.patient = true;
	a->sampling.session.labels = LABEL_PID | LABEL_CGROUP | LABEL_UNWIND_STATUS | LABEL_WINDOW;
}

/* Once the words are parsed. */
static int check(struct agent_args *a)
{
	struct rate *rate = &a->sampling.rate;
	int r;

	if (!a->dir || !*a->dir)
		return err__usage(a->err, "where to? (pmubpf agent --dir DIR)");
	a->rate_given = rate->freq_hz || rate->period || rate->preset;
	if (!a->rate_given) {
		rate->freq_hz = AGENT_HZ;
		rate->own = true;
	}
	a->sampling.target.all |= !target_args__any(&a->sampling.target);
	r = agent_to__check(&a->to);
	if (r == 0)
		r = agent_alarm_args__check(&a->alarm);
	if (r == 0)
		r = sampling_args__read(&a->sampling, false);
	return r < 0 ? r : sampling_args__check(&a->sampling, "agent");
}

/* What was said of an option may be of one that stands in the file. */
static int of_file(const struct agent_args *a, const struct config_file *file, int r,
		   struct err *err)
{
	_cleanup_free_ char *text = r < 0 && file->n ? xstrdup(err->text) : NULL;

	if (text)
		snprintf(err->text, sizeof(err->text), "with the options of '%s': %.900s",
			 a->config, text);
	return r;
}

static int read_file(const struct agent_args *a, struct config_file *ret, struct err *err)
{
	int r = config_file__read(ret, a->config, &argp, err);

	if (r == -ENOENT && (a->config_given || a->file.n))
		return err__set(err, r, "can't read '%s': %s", a->config, strerror(ENOENT));
	return r == -ENOENT ? 0 : r;
}

int agent_args__parse(struct agent_args *a, int argc, char **argv, struct err *err)
{
	int r;

	*a = (struct agent_args){.argc = argc, .argv = argv};
	init(a, err);
	a->schema = config_words__option(&argp, argc, argv, "schema");
	if (a->schema) /* whatever the file says */
		return options__parse(&argp, argc, argv, ARGP_IN_ORDER, a);
	a->config = config_words__option(&argp, argc, argv, "config");
	a->config_given = a->config;
	if (!a->config)
		a->config = AGENT_CONFIG;
	r = read_file(a, &a->file, err);
	if (r < 0)
		return r;
	config_words__make(&a->words, &a->file, &argp, argc, argv, agent_to_belongs);
	r = options__parse(&argp, (int)a->words.n, a->words.words, ARGP_IN_ORDER, a);
	if (r == 0)
		r = check(a);
	return of_file(a, &a->file, r, err);
}

/* ---------------------------------------------------------------- the file, read again */

static bool is_live(const struct agent_args *a, const char *name)
{
	static const char *const live[] = {
		"every", "keep",   "max-disk", "quiet",   "to",       "credentials", "ca",
		"host",  "stacks", "share",    "metrics", "textfile", "lookahead",   "detail-share",
	};

	if (strcmp(name, "state") == 0)
		return !a->to.state_is_open;
	for (size_t i = 0; i < ARRAY_SIZE(live); i++) {
		if (strcmp(live[i], name) == 0)
			return true;
	}
	return false;
}

static bool has_line_before(const struct config_file *f, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(f->lines[i].name, name) == 0)
			return true;
	}
	return false;
}

static void refuse_changes(const struct agent_args *a, const struct config_file *in,
			   const struct config_file *file, const struct config_file *other,
			   struct buf *news)
{
	for (size_t i = 0; i < in->n; i++) {
		const char *name = in->lines[i].name;

		if (is_live(a, name) || has_line_before(in, i, name) ||
		    (other && has_line_before(other, other->n, name)) ||
		    config_file__same(&a->file, file, name))
			continue;
		buf__printf(news,
			    "'%s' stays as it was: events, targets and folders are opened at the "
			    "start; restart the agent for what '%s' says now\n",
			    name, a->config);
	}
}

/* Whether all of it is fit for a start. */
static int try(const struct agent_args *a, const struct config_file *file, struct agent_args *ret,
	       struct err *err)
{
	int r;

	*ret = (struct agent_args){0};
	config_words__make(&ret->live, file, &argp, a->argc, a->argv, agent_to_belongs);
	init(ret, err);
	r = -argp_parse(&argp, (int)ret->live.n, ret->live.words, ARGP_IN_ORDER | ARGP_SILENT, NULL,
			ret);
	if (r == 0)
		r = check(ret);
	return of_file(a, file, r, err);
}

int agent_args__read_again(const struct agent_args *a, struct agent_args *ret, struct buf *news,
			   struct err *err)
{
	_cleanup_(config_file__done) struct config_file file = {0};
	int r = read_file(a, &file, err);

	*ret = (struct agent_args){0};
	if (r == 0)
		r = try(a, &file, ret, err);
	if (r < 0) {
		agent_args__done(ret);
		return r;
	}
	refuse_changes(a, &a->file, &file, NULL, news);
	refuse_changes(a, &file, &file, &a->file, news);
	return 0;
}

void agent_args__take(struct agent_args *a, struct agent_args *now)
{
	bool state_is_open = a->to.state_is_open;
	struct err *err = a->err;

	a->every_ns = now->every_ns;
	a->keep_ns = now->keep_ns;
	a->max_disk = now->max_disk;
	a->sampling.quiet = now->sampling.quiet;
	a->to = now->to;
	a->to.state_is_open = state_is_open;
	a->metrics = now->metrics;
	a->alarm.detail = now->alarm.detail;
	a->to.err = a->metrics.err = err;
	config_words__done(&a->live);
	a->live = now->live;
	now->live = (struct config_words){0};
}

/* ---------------------------------------------------------------- what is opened */

/* A clock's rate is a period as well, so that it can be another one; and one that nobody has named
 * may become lower, so that the budget holds. */
static void settle_clocks(struct agent_args *a)
{
	struct event_list *events = &a->sampling.events;

	for (size_t i = 0; i < events->n; i++) {
		struct event *event = &events->events[i];
		uint64_t hz = event->attr.sample_freq;

		if (event->mode != EVENT_OVERFLOWS || event->unit != UNIT_NS || !event->attr.freq ||
		    event->rate_given || (a->rate_given && !a->alarm.any_when))
			continue;
		event->attr.freq = 0;
		event->attr.sample_period = period__prime(SECOND_NS / hz);
		event->adaptive |= !a->rate_given;
	}
}

int agent_args__settle(struct agent_args *a, struct err *err)
{
	int r = sampling_args__settle(&a->sampling, false, err);

	if (r < 0)
		return r;
	settle_clocks(a);
	r = agent_alarm_args__settle(&a->alarm, &a->sampling.events);
	return r < 0 ? r : watched_find(&a->alarm.alarms, &a->sampling, &a->alarm.watched, err);
}

void agent_args__done(struct agent_args *a)
{
	sampling_args__done(&a->sampling);
	agent_alarm_args__done(&a->alarm);
	config_file__done(&a->file);
	config_words__done(&a->words);
	config_words__done(&a->live);
}
