/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line of `pmubpf stat`, parsed and checked as far as that goes without the kernel. */
#ifndef PMUBPF_CMD_STAT_ARGS_H
#define PMUBPF_CMD_STAT_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/event_args.h"
#include "cmd/alarms.h"
#include "cmd/target_args.h"
#include "cmd/window_args.h"
#include "collect/gates.h"
#include "pmu/event.h"
#include "pmu/window_spec.h"
#include "session/counting.h"

struct stat_args {
	struct event_args what;
	struct event_list events;
	struct target_args target;
	bool per_cpu, per_thread, per_cgroup;
	struct window_args window;
	double budget; /* percent of the CPUs' time that probes may take */ /* as given */
	struct window_spec per; /* WINDOW_NONE: no units of work */
	struct gates gates;     /* what these take */
	bool inside;            /* of --window: their sums are wanted */
	const char *by;         /* NULL: not by anything */
	enum counting_by by_what;
	bool named;      /* -e says which events */
	bool neighbours; /* of these, who ran while others waited */
	int limit;       /* of lines; 0: all; -1: not given */
	struct alarms alarms;
	uint64_t interval_ns; /* 0: only the whole */
	unsigned runs;
	bool json;
	const char *separator; /* NULL: no CSV */
	const char *output;    /* NULL: standard output */
	struct err *err;
};

/* Prints help and usage errors itself (argp) and exits then; else 0 or a negative errno with
 * err. */
int stat_args__parse(struct stat_args *args, int argc, char **argv, struct err *err);
void stat_args__done(struct stat_args *args);

#endif
