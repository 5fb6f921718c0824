/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options for target and duration: -p -t -a -C -G --container -i -d and the COMMAND, the
 * same for every subcommand that counts. An argp parser, to be a child of the subcommand's own,
 * whose input (struct target_args) the parent hands over at ARGP_KEY_INIT:
 *
 * 	case ARGP_KEY_INIT: state->child_inputs[0] = &args->target; return 0;
 */
#ifndef PMUBPF_CMD_TARGET_ARGS_H
#define PMUBPF_CMD_TARGET_ARGS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "session/target.h"
#include "sys/cgroup.h"
#include "sys/cpus.h"

struct target_args {
	pid_t *pids, *tids;
	size_t n_pids, cap_pids;
	size_t n_tids, cap_tids;
	bool all;
	struct cpus cpus; /* n 0: not given */
	struct cgroup_ref *cgroups;
	size_t n_cgroups, cap_cgroups;
	char **containers; /* borrowed from argv */
	size_t n_containers, cap_containers;
	bool many_cgroups; /* set before parsing: -G may be repeated */
	bool no_inherit;
	uint64_t duration_ns; /* 0: not given */
	char *const *command; /* NULL: none; borrowed from argv */
	struct err *err;
};

extern const struct argp target_argp;

/* One as text: pid, tid, cgroup, container; `value` is kept. -ENOENT: another key. */
int target_args__add(struct target_args *args, const char *key, char *value);
/* Whether any was given, or a command. */
bool target_args__any(const struct target_args *args);
/* Whether they go together and name the target at all; `subcommand` is for the hint. */
int target_args__check(const struct target_args *args, const char *subcommand);
/* The same for session/. stdout_is_data: the command's own words go to standard error then, and it
 * ends when the reader of standard output goes. */
struct target target_args__target(const struct target_args *args, bool stdout_is_data);
void target_args__done(struct target_args *args);

#endif
