// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * `pmubpf list`: which events there are, and which of them this machine has. Each is tried by
 * opening it, so the list is as good as the machine, and needs no root. The keys of --json are a
 * promise; `help` below documents them.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/list.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "pmu/event_db.h"

static const struct argp_option argp_options[] = {
	{"json", 'j', NULL, 0, "Print a JSON array, one object per event", 0},
	{"verbose", 'v', NULL, 0,
	 "Also what each event is, why it is not here, and all cache events; with an EVENT, all "
	 "there is to know of it",
	 0},
	{0},
};

static const char help[] =
	"Lists the events that `pmubpf record -e` takes: your own, the well-known ones, then what "
	"this machine's PMUs offer. Each is tried: HERE says whether it can be sampled by this "
	"user on "
	"this machine. PERIOD is the default period, a prime."
	"\v"
	"PATTERN is a part of a name, or a glob (*, ?, []); case does not matter. An EVENT is "
	"whatever "
	"-e takes; with -v it is tried out: its mapping, how often it overflows, the precise "
	"levels "
	"that the kernel takes, whether it yields a data address, how many of it count at once.\n"
	"\n"
	"Raw events (rNNNN, cpu/event=0x3c,umask=1/) work too, and modifiers behind a name: "
	":u :k :p (user code, kernel code, precise).\n"
	"\n"
	"Keys of --json: name; list (\"user\", \"well-known\", \"pmu\" or \"database\"); title; "
	"maps_to; pmu; counts (what "
	"one count is); unit (\"events\", \"cycles\" or \"ns\"); period; database_name, counters "
	"(that can count it), errata, taken_alone (to be counted with no other), by the event "
	"database; available; collection_mode (\"overflows\", \"read\" at those of a clock, "
	"\"system\"); "
	"user_only "
	"(only with the kernel excluded, for lack of privilege); reason (why not available, else "
	"null). Where sysfs describes an event that needs further terms, what is not known is "
	"null. With -v and an EVENT also: type, config, config1 (hexadecimal texts); periods (of "
	"the presets hi, on, lo); overflows_per_s (of a CPU that is busy with it, null if that "
	"depends on the program), overflows_basis, overflows_now (measured for 0.1 s on all CPUs, "
	"or "
	"null); precise (the levels that the kernel takes); address (\"always\", \"precise\" or "
	"\"never\"); at_once (how many of it count together, null if not known; 32 stands for any "
	"number); advice (what to do if it is not available).\n"
	"\n"
	"Exit status: 0 done, 1 nothing matches or writing failed, 2 usage.";

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct list_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->what;
		return 0;
	case 'j':
		options->json = true;
		return 0;
	case 'v':
		options->verbose = true;
		return 0;
	case ARGP_KEY_ARG:
		if (options->pattern)
			argp_error(state, "one PATTERN at most; '%s' is a second", arg);
		options->pattern = arg;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* A reader that has seen enough (| head) is no failure. */
static int write_out(const struct buf *out)
{
	if (fwrite(out->data, 1, out->len, stdout) == out->len && fflush(stdout) == 0)
		return EXIT_DONE;
	if (errno == EPIPE)
		return EXIT_DONE;
	fprintf(stderr, "pmubpf list: can't write to stdout: %s\n", strerror(errno));
	return EXIT_FAILED;
}

/* What is in the database and not in the table. */
static void say_database(const struct list_options *options, struct buf *out)
{
	const struct event_db *db = options->what.names.db;

	if (db && !options->pattern && !options->verbose)
		buf__printf(out,
			    "\nThe event database %s names %zu more (%s): pmubpf list PATTERN, "
			    "or -v for all.\n",
			    db->dir, db->n, db->cpu);
	if (*options->what.names.db_trouble.text)
		complain(&options->what.names.db_trouble);
}

static int list_events(const struct list_options *options, const struct err *no_event)
{
	_cleanup_(rows__done) struct rows rows = {.names = &options->what.names};
	_cleanup_(buf__done) struct buf out = {0};

	rows__collect(&rows, options);
	if (options->json) {
		rows__put_json(&out, &rows);
	} else {
		rows__put_table(&out, &rows, options->verbose);
		say_database(options, &out);
	}
	if (!rows.n && !options->json) {
		struct err err = {0};

		err__set(&err, 0, "no event matches '%s'%s%s", options->pattern,
			 *no_event->text ? "; " : "; without a pattern it shows all",
			 no_event->text);
		complain(&err);
	}
	if (out.len && write_out(&out) != EXIT_DONE)
		return EXIT_FAILED;
	return rows.n ? EXIT_DONE : EXIT_FAILED;
}

static int show_cards(const struct list_options *options, const struct event_list *events)
{
	_cleanup_(buf__done) struct buf out = {0};

	if (options->json)
		cards__put_json(&out, events);
	else
		cards__put_text(&out, events);
	return write_out(&out);
}

static void list_options__done(struct list_options *options)
{
	event_args__done(&options->what);
}

int cmd_list(int argc, char **argv)
{
	static const struct argp_child children[] = {{.argp = &event_names_argp}, {0}};
	static const struct argp argp = {.options = argp_options,
					 .parser = parse_option,
					 .children = children,
					 .args_doc = "[PATTERN|EVENT]",
					 .doc = help};
	_cleanup_(event_list__done) struct event_list events = {0};
	_cleanup_(list_options__done) struct list_options options = {0};
	struct err err = {0};

	if (options__parse(&argp, argc, argv, 0, &options))
		return EXIT_USAGE;
	if (event_args__read_names(&options.what, &err) < 0)
		return complain(&err);
	if (options.verbose && options.pattern &&
	    event_names__parse(&options.what.names, &events, options.pattern, &err) == 0)
		return show_cards(&options, &events);
	return list_events(&options, &err);
}
