// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/target_args.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "cmd/options.h"

/* Without a letter, apart from the options of the subcommands. */
enum { OPT_CONTAINER = 3072 };

static const struct argp_option options[] = {
	{0, 0, 0, 0, "Target (beside any of these a COMMAND only sets the duration):", 2},
	{"pid", 'p', "PID[,PID...]", 0, "Processes, their threads and children", 0},
	{"tid", 't', "TID[,TID...]", 0, "Threads, and what they start", 0},
	{"all-cpus", 'a', 0, 0, "The whole system", 0},
	{"cpu", 'C', "CPUS", 0,
	 "Only these CPUs (0-3,8), everything on them unless -p or -t is given", 0},
	{"cgroup", 'G', "CGROUP", 0, "A cgroup and those below it, by path", 0},
	{"container", OPT_CONTAINER, "NAME", 0,
	 "A container (or pod, or service) by name or by the first digits of its id (record: also "
	 "one "
	 "that starts later); may be repeated",
	 0},
	{"no-inherit", 'i', 0, 0, "Don't follow new threads and children", 0},
	{0, 0, 0, 0, "How long:", 3},
	{"duration", 'd', "SECONDS", 0,
	 "End after so many seconds, or 500ms, 2m, 1h (a COMMAND then gets SIGTERM)", 0},
	{0},
};

static int parse_ids(const char *option, char *text, pid_t **list, size_t *n, size_t *cap,
		     struct err *err)
{
	char *word;
	int id;

	while ((word = strsep(&text, ","))) {
		if (num__parse_int(word, 1, INT32_MAX, &id) < 0)
			return err__usage(err, "%s: '%s' is not a process or thread id", option,
					  word);
		GROW(*list, *n, *cap);
		(*list)[(*n)++] = id;
	}
	return 0;
}

static int parse_cpus(struct target_args *t, const char *text)
{
	cpus__done(&t->cpus);
	if (cpus__parse(text, &t->cpus) < 0)
		return err__usage(t->err, "-C '%s' is not a list of CPUs such as 0-3,8", text);
	return 0;
}

static int parse_cgroup(struct target_args *t, const char *text)
{
	int r;

	if (!*text)
		return err__usage(t->err, "-G '': name a cgroup (/ is the whole system)");
	if (t->n_cgroups && !t->many_cgroups)
		return err__usage(t->err, "-G can be given once");
	GROW(t->cgroups, t->n_cgroups, t->cap_cgroups);
	r = cgroup__resolve(text, &t->cgroups[t->n_cgroups], t->err);
	if (r == 0)
		t->n_cgroups++;
	return r;
}

static int parse_container(struct target_args *t, char *text)
{
	if (!*text)
		return err__usage(t->err, "--container '': name one");
	GROW(t->containers, t->n_containers, t->cap_containers);
	t->containers[t->n_containers++] = text;
	return 0;
}

static int parse_option(struct target_args *t, int key, char *arg)
{
	switch (key) {
	case 'p':
		return parse_ids("-p", arg, &t->pids, &t->n_pids, &t->cap_pids, t->err);
	case 't':
		return parse_ids("-t", arg, &t->tids, &t->n_tids, &t->cap_tids, t->err);
	case 'a':
		t->all = true;
		return 0;
	case 'C':
		return parse_cpus(t, arg);
	case 'G':
		return parse_cgroup(t, arg);
	case OPT_CONTAINER:
		return parse_container(t, arg);
	case 'i':
		t->no_inherit = true;
		return 0;
	case 'd':
		return parse_duration(&t->duration_ns, arg, t->err);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct target_args *t = state->input;
	int r;

	if (key == ARGP_KEY_ARG) {
		/* the first word that isn't an option begins the command: the rest is its
		 * business */
		t->command = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	}
	r = parse_option(t, key, arg);
	return r == ARGP_ERR_UNKNOWN ? ARGP_ERR_UNKNOWN : -r;
}

const struct argp target_argp = {.options = options, .parser = parse};

int target_args__add(struct target_args *t, const char *key, char *value)
{
	static const struct {
		const char *key;
		int option;
	} keys[] = {{"pid", 'p'}, {"tid", 't'}, {"cgroup", 'G'}, {"container", OPT_CONTAINER}};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strcmp(keys[i].key, key) == 0)
			return parse_option(t, keys[i].option, value);
	}
	return -ENOENT;
}

bool target_args__any(const struct target_args *t)
{
	return t->n_pids || t->n_tids || t->all || t->n_cgroups || t->n_containers || t->command ||
	       t->cpus.n;
}

int target_args__check(const struct target_args *t, const char *subcommand)
{
	bool tasks = t->n_pids || t->n_tids;
	int targets = tasks + t->all + (t->n_cgroups > 0) + (t->n_containers > 0);

	if (targets > 1 && !(t->all && !tasks && targets == 2))
		return err__usage(
			t->err,
			"-p/-t, -a, -G and --container each name a target: give one of them");
	if (!target_args__any(t))
		return err__usage(
			t->err,
			"no target is named: give -p PID, -t TID, -a, -C CPUS, -G CGROUP, "
			"--container NAME or a COMMAND (see pmubpf %s --help)",
			subcommand);
	return 0;
}

struct target target_args__target(const struct target_args *t, bool stdout_is_data)
{
	return (struct target){
		.pids = t->pids,
		.n_pids = t->n_pids,
		.tids = t->tids,
		.n_tids = t->n_tids,
		.all = t->all,
		.cpus = t->cpus.n ? &t->cpus : NULL,
		.cgroups = t->cgroups,
		.n_cgroups = t->n_cgroups,
		.containers = t->containers,
		.n_containers = t->n_containers,
		.command = t->command,
		.command_stdout = stdout_is_data ? STDERR_FILENO : -1,
		.reader_fd = stdout_is_data ? STDOUT_FILENO : -1,
		.inherit = !t->no_inherit,
		.duration_ns = t->duration_ns,
	};
}

void target_args__done(struct target_args *t)
{
	free(t->pids);
	free(t->tids);
	cpus__done(&t->cpus);
	for (size_t i = 0; i < t->n_cgroups; i++)
		cgroup__done(&t->cgroups[i]);
	free(t->cgroups);
	free(t->containers);
}
