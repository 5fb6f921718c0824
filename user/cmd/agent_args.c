// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/agent_args.h"

#include <argp.h>
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

static const struct argp_option options[] = {
	{0, 0, 0, 0, "The windows:", 5},
	{"dir", OPT_DIR, "DIR", 0, "The folder that they are written to; is made if it isn't there",
	 0},
	{"every", OPT_EVERY, "TIME", 0, "How long a window is, from 1s to 1h (default: 60s)", 0},
	{"keep", OPT_KEEP, "TIME", 0, "For how long they are kept (default: 7d)", 0},
	{"max-disk", OPT_MAX_DISK, "SIZE", 0,
	 "How much room all of them may take, from 64K; the oldest go first (default: 1G)", 0},
	{"label", OPT_LABEL, "LABELS", 0, "Tell samples apart by these labels, too, as for record",
	 0},
	{"quiet", 'q', 0, 0, "Say nothing but what goes wrong", 0},
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
	case 'q':
		a->sampling.quiet = true;
		return 0;
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
		return 0;
	}
	r = parse_option(a, key, arg);
	return r == ARGP_ERR_UNKNOWN ? ARGP_ERR_UNKNOWN : -r;
}

static const struct argp_child children[] = {{.argp = &sampling_argp}, {0}};

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

int agent_args__parse(struct agent_args *a, int argc, char **argv, struct err *err)
{
	struct rate *rate = &a->sampling.rate;
	int r;

	*a = (struct agent_args){
		.every_ns = 60 * SECOND_NS,
		.keep_ns = 7 * DAY_NS,
		.max_disk = (uint64_t)1 << 30,
		.err = err,
	};
	sampling_args__init(&a->sampling, err);
	a->sampling.session.max_memory = AGENT_MEMORY;
	a->sampling.session.labels = LABEL_PID | LABEL_CGROUP | LABEL_UNWIND_STATUS | LABEL_WINDOW;
	r = options__parse(&argp, argc, argv, ARGP_IN_ORDER, a);
	if (r < 0)
		return r;
	if (!a->dir || !*a->dir)
		return err__usage(err, "where to? (pmubpf agent --dir DIR)");
	a->rate_given = rate->freq_hz || rate->period || rate->preset;
	if (!a->rate_given)
		rate->freq_hz = AGENT_HZ;
	a->sampling.target.all |= !target_args__any(&a->sampling.target);
	r = sampling_args__read(&a->sampling, false);
	return r < 0 ? r : sampling_args__check(&a->sampling, "agent");
}

/* A clock's rate is a period as well; and one that nobody has named may become lower, so that the
 * budget holds. */
int agent_args__settle(struct agent_args *a, struct err *err)
{
	struct event_list *events = &a->sampling.events;
	int r = sampling_args__settle(&a->sampling, false, err);

	for (size_t i = 0; r == 0 && !a->rate_given && i < events->n; i++) {
		struct event *event = &events->events[i];

		if (event->mode != EVENT_OVERFLOWS || event->unit != UNIT_NS || !event->attr.freq ||
		    event->rate_given)
			continue;
		event->attr.freq = 0;
		event->attr.sample_period = period__prime(SECOND_NS / AGENT_HZ);
		event->adaptive = true;
	}
	return r;
}

void agent_args__done(struct agent_args *a)
{
	sampling_args__done(&a->sampling);
}
