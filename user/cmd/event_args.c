// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/event_args.h"

#include <stdlib.h>

#include "base/mem.h"

/* Options without a letter, apart from those of the subcommands. */
enum {
	OPT_EVENTS = 2048,
	OPT_EVENT_DB,
};

static const struct argp_option names_options[] = {
	{"events", OPT_EVENTS, "FILE", 0,
	 "Names of your own events, instead of ~/.config/pmubpf/events and /etc/pmubpf/events", 0},
	{"event-db", OPT_EVENT_DB, "DIR", 0,
	 "A copy of github.com/intel/perfmon: its names for -e, and what it knows of events", 0},
	{0},
};

static error_t parse_names(int key, char *arg, struct argp_state *state)
{
	struct event_args *a = state->input;

	switch (key) {
	case OPT_EVENTS:
		a->file = arg;
		return 0;
	case OPT_EVENT_DB:
		a->db = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp event_names_argp = {.options = names_options, .parser = parse_names};

static const struct argp_option options[] = {
	{"event", 'e', "EVENT[,EVENT...]", 0,
	 "Event by alias (dcache-miss), perf's name, pmu/term=val/, rNNNN, mem:ADDR[/LEN][:rwx], "
	 "the "
	 "CPU maker's name (EVENT:UMASK, by libpfm4) or one of your own; "
	 "name:u :k :p modifiers; {a,b} a group that counts together; name/period=N/ or "
	 "name/freq=HZ/ for a rate of its own",
	 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct event_args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = a;
		return 0;
	case 'e':
		GROW(a->texts, a->n_texts, a->cap_texts);
		a->texts[a->n_texts++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{.argp = &event_names_argp}, {0}};
const struct argp event_argp = {.options = options, .parser = parse, .children = children};

int event_args__read_names(struct event_args *a, struct err *err)
{
	return event_names__read(&a->names, a->file, a->db, err);
}

int event_args__read(struct event_args *a, struct event_list *ret, struct err *err)
{
	int r = event_args__read_names(a, err);

	a->names.counting = a->counting;
	for (size_t i = 0; r == 0 && i < a->n_texts; i++)
		r = event_names__parse(&a->names, ret, a->texts[i], err);
	return r;
}

void event_args__done(struct event_args *a)
{
	event_names__done(&a->names);
	free(a->ops);
	free(a->texts);
}
