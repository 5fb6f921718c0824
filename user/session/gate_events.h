/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The events whose overflows open and close windows, opened. Of tasks that are named, and of a
 * command, each thread has its own count; of all others it is each CPU's.
 */
#ifndef PMUBPF_SESSION_GATE_EVENTS_H
#define PMUBPF_SESSION_GATE_EVENTS_H

#include <sys/types.h>

#include "base/err.h"
#include "collect/counters.h"
#include "collect/gates.h"
#include "session/target.h"
#include "session/tasks.h"

struct opener;

struct gate_events_opts {
	const struct gates *gates;
	struct gate_fds fds;
	const struct target *whom;
	const struct tasks *tasks;
	pid_t command;           /* 0: it is none of the targets */
	const struct cpus *cpus; /* where there are no tasks */
	struct opener *opener;
};

/* Attached and disabled. What opens windows is the last of the list. -errno with the sentence; ret
 * is to be closed in any case. */
int gate_events__open(struct counters *ret, const struct gate_events_opts *opts, struct err *err);
/* Those of a command that waits for its exec enable themselves. */
int gate_events__start(const struct counters *events, const struct target *whom, struct err *err);

#endif
