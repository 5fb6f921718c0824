// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/alarm_args.h"

#include "base/mem.h"

enum { OPT_ALARM_EXIT = 7168, OPT_ALARM_RUN, OPT_BASELINE };

static const struct argp_option exit_options[] = {
	{"alarm-exit", OPT_ALARM_EXIT, 0, 0,
	 "Exit status 4 if there was an alarm; stat ends with it", 10},
	{0},
};

static const struct argp_option options[] = {
	{"alarm-run", OPT_ALARM_RUN, "PROGRAM", 0,
	 "Run PROGRAM at each alarm, as who called this (sudo), with the figures in its "
	 "environment and nothing else; killed after 10 s",
	 10},
	{"baseline", OPT_BASELINE, "FILE", 0,
	 "What is usual is what FILE has, of an earlier stat -I --json: alarms are judged from the "
	 "first interval, and nothing is learnt",
	 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct alarms *alarms = state->input;

	switch (key) {
	case OPT_ALARM_RUN:
		alarms->run.program = arg;
		return 0;
	case OPT_BASELINE:
		alarms->baseline = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_exit(int key, char *arg, struct argp_state *state)
{
	struct alarms *alarms = state->input;

	(void)arg;
	if (key == ARGP_KEY_INIT)
		state->child_inputs[0] = alarms;
	if (key != OPT_ALARM_EXIT)
		return ARGP_ERR_UNKNOWN;
	alarms->exit = true;
	return 0;
}

const struct argp alarm_what_argp = {.options = options, .parser = parse};
static const struct argp_child children[] = {{.argp = &alarm_what_argp}, {0}};
const struct argp alarm_argp = {
	.options = exit_options,
	.parser = parse_exit,
	.children = children,
};

void alarm_args__ask(struct alarms *alarms, const char *text)
{
	GROW(alarms->texts, alarms->n_texts, alarms->cap_texts);
	alarms->texts[alarms->n_texts++] = text;
}
