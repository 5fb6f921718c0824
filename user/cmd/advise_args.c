// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/advise_args.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/options.h"
#include "cmd/profiles.h"

/* Options without a letter. */
enum {
	OPT_LABEL = 256,
	OPT_ALL,
	OPT_MAX_SIZE,
	OPT_PASSES,
};

enum { DEFAULT_DURATION_S = 10 };
#define NS_PER_S 1000000000ULL

static const struct argp_option options[] = {
	FROM_OPTIONS,
	{"label", OPT_LABEL, "KEY=VALUE", 0,
	 "Samples with this label; repeatable, values of one key are alternatives", 0},
	{"all", OPT_ALL, 0, 0, "Also what was looked for and not found, and why", 0},
	{"json", 'j', 0, 0, "JSON", 0},
	{"max-size", OPT_MAX_SIZE, "SIZE", 0, "Of an uncompressed profile (default: 256M)", 0},
	{"passes", OPT_PASSES, 0, 0,
	 "Run COMMAND once for each set of events that fit into the counters together, instead of "
	 "multiplexing them",
	 1},
	{"output", 'o', "FILE", 0, "Keep the recording, as record -o does; may be repeated", 5},
	{"quiet", 'q', 0, 0, "Nothing on stderr of what is recorded and what it cost", 5},
	{0},
};

static int add_output(struct advise_args *a, const char *path)
{
	if (strcmp(path, "-") == 0)
		return err__usage(a->err, "-o -: standard output is for the findings; name a file");
	return record_args__add_output(&a->record, path);
}

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
	case OPT_PASSES:
		a->record.passes = true;
		return 0;
	case 'o':
		return add_output(a, arg);
	case 'q':
		a->record.sampling.quiet = true;
		return 0;
	default:
		return from__option(&a->from, key, arg);
	}
}

static void add_file(struct advise_args *a, const char *path)
{
	GROW(a->files, a->n_files, a->cap_files);
	a->files[a->n_files++] = (char *)path;
}

/* Behind -- stands a command, which is the target's business; words before it are files. */
static int take_word(struct advise_args *a, char *word, const struct argp_state *state)
{
	if (state->quoted && state->next > state->quoted)
		return ARGP_ERR_UNKNOWN;
	add_file(a, word);
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct advise_args *a = state->input;
	int r;

	if (key == ARGP_KEY_INIT) {
		state->child_inputs[0] = &a->record.sampling;
		return 0;
	}
	r = key == ARGP_KEY_ARG ? take_word(a, arg, state) : parse_option(a, key, arg);
	return r == ARGP_ERR_UNKNOWN ? ARGP_ERR_UNKNOWN : -r;
}

static const struct argp_child children[] = {{.argp = &sampling_argp}, {0}};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.args_doc = "FILE…|-\n--from DIR|URL\n-p PID|--container NAME|-a|-- COMMAND [ARG…]",
	.doc = "Say what stands out in a saved profile (record -o FILE.pb.gz), in an agent's "
	       "windows, or in a target, which is recorded for that: where, how sure that is, how "
	       "much there is to gain at most, and what to try.\v"
	       "Examples:\n"
	       "  pmubpf advise -p PID\n"
	       "  pmubpf advise -d 30 --container web -o web.pb.gz\n"
	       "  pmubpf advise -- CMD\n"
	       "  pmubpf advise --all --label comm=worker web.pb.gz\n"
	       "  pmubpf advise --from /var/lib/pmubpf --since 1h --container web\n\n"
	       "Without -d it is 10 seconds, or as long as COMMAND runs. With --from, --container "
	       "NAME is what windows have of that container alone.\n\n"
	       "Exit status: 0 done, with findings or without, 1 failed, 2 usage, 3 this machine "
	       "can't; with a COMMAND, its own.",
};

/* What says how to record has nothing to say to a file, nor to windows. */
static bool asks_for_recording(const struct advise_args *a)
{
	const struct sampling_args *s = &a->record.sampling;

	return target_args__any(&s->target) || s->target.duration_ns || s->what.n_texts ||
	       s->rate.freq_hz || s->rate.period || s->budget_given || s->off_cpu ||
	       a->record.n_outputs || a->record.passes || s->window.spec.kind != WINDOW_NONE;
}

/* Of windows it is a label. */
static void take_containers(struct advise_args *a)
{
	struct target_args *t = &a->record.sampling.target;

	for (size_t i = 0; i < t->n_containers; i++)
		selection__add_label(&a->selection, "container", t->containers[i]);
	t->n_containers = 0;
}

static int check_windows(struct advise_args *a)
{
	if (a->n_files)
		return err__usage(a->err, "--from DIR instead of files, not beside '%s'",
				  a->files[0]);
	take_containers(a);
	if (asks_for_recording(a))
		return err__usage(a->err,
				  "--from is about what an agent has recorded, and other options "
				  "ask for a recording: give one of them");
	return 0;
}

static int check_files(struct advise_args *a)
{
	if (asks_for_recording(a))
		return err__usage(a->err,
				  "'%s' is looked at as a saved profile, and other options "
				  "ask for a recording: give one of them (a command "
				  "stands behind --)",
				  a->files[0]);
	for (size_t i = 0, stdins = 0; i < a->n_files; i++) {
		stdins += strcmp(a->files[i], "-") == 0;
		if (stdins > 1)
			return err__usage(a->err, "standard input (-) can be read once");
	}
	return 0;
}

static int settle_recording(struct advise_args *a)
{
	struct target_args *target = &a->record.sampling.target;
	int r;

	if (!target_args__any(target))
		return err__usage(a->err, "which profile, or whom? (pmubpf advise FILE, - for "
					  "standard input; --from DIR; -p PID, --container NAME, "
					  "-a, -- COMMAND)");
	a->records = true;
	a->record.handed_over = true;
	if (!target->duration_ns && !target->command)
		target->duration_ns = DEFAULT_DURATION_S * NS_PER_S;
	r = record_args__settle(&a->record, "advise");
	for (size_t i = 0; r == 0 && i < a->record.n_outputs; i++) {
		if (a->record.outputs[i].format == format__named("pprof"))
			add_file(a, a->record.outputs[i].path);
	}
	return r;
}

int advise_args__parse(struct advise_args *a, int argc, char **argv, struct err *err)
{
	int r;

	*a = (struct advise_args){.err = err};
	record_args__init(&a->record, err);
	r = options__parse(&argp, argc, argv, ARGP_IN_ORDER, a);
	if (r < 0)
		return r;
	a->from.fleet.only = &a->selection;
	r = from__settle(&a->from, err);
	if (r < 0)
		return r;
	return a->from.dir ? check_windows(a) : a->n_files ? check_files(a) : settle_recording(a);
}

void advise_args__done(struct advise_args *a)
{
	selection__done(&a->selection);
	record_args__done(&a->record);
	free(a->files);
}
