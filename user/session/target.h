/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whom to count, and for how long: the same for a recording and for a counting. */
#ifndef PMUBPF_SESSION_TARGET_H
#define PMUBPF_SESSION_TARGET_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "pmubpf/record.h"
#include "sys/cgroup.h"
#include "sys/cpus.h"

/* All borrowed. Exactly one says whom, except that command may come with any other, and then only
 * sets the duration. */
struct target {
	const pid_t *pids;
	size_t n_pids;
	const pid_t *tids;
	size_t n_tids;
	bool all;
	const struct cpus *cpus;          /* NULL: every CPU that is online */
	const struct cgroup_ref *cgroups; /* a recording takes one at most */
	size_t n_cgroups;
	char *const *containers; /* names, prefixes of ids, or pods */
	size_t n_containers;
	char *const *command; /* NULL: none */
	int command_stdout;   /* descriptor for its standard output; -1: ours */
	int reader_fd;        /* a pipe: when its reader goes, it ends; -1: none */
	bool inherit;
	uint64_t duration_ns; /* 0: until the target ends or a signal comes */
};

/* With -a, -C, -G or containers everything there is counted, and a command only sets the
 * duration. */
static inline bool target__any_process(const struct target *t)
{
	return t->all || t->n_cgroups || t->n_containers || (t->cpus && !t->n_pids && !t->n_tids);
}

/* Beside processes and threads that are given by their ids it only sets the duration, too. */
static inline bool target__is_command(const struct target *t)
{
	return t->command && !target__any_process(t) && !t->n_pids && !t->n_tids;
}

/* Of what runs on CPUs, what is asked for: how programs tell. */
enum pmb_filter target__filter(const struct target *target);
/* The cgroup that is asked for (NULL: none), in a program's words. hierarchy: of the cgroups that
 * samples are labelled with, where none was asked for; NULL: they aren't. */
int target__set_cgroup(const struct cgroup_ref *cgroup, const char *hierarchy,
		       struct pmb_config *cfg, struct err *err);

#endif
