/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options that say what is sampled, of whom, and how: the same for every subcommand that
 * samples. An argp parser, to be a child of the subcommand's own, whose input is a struct
 * sampling_args (as in target_args.h).
 */
#ifndef PMUBPF_CMD_SAMPLING_ARGS_H
#define PMUBPF_CMD_SAMPLING_ARGS_H

#include <argp.h>
#include <stdbool.h>

#include "cmd/event_args.h"
#include "cmd/target_args.h"
#include "cmd/window_args.h"
#include "pmu/event.h"
#include "pmu/plan.h"
#include "session/session.h"

struct sampling_args {
	struct event_args what;
	struct event_list parsed; /* as the options say */
	struct event_list events; /* made of them by settling: pmu/settle.h */
	struct rate rate;
	bool budget_given;
	bool off_cpu;     /* --off-cpu */
	struct plan plan; /* and with them */
	struct session_opts session;
	struct target_args target;
	struct window_args window;
	struct buf notes;  /* what was found out before the recording */
	bool quiet;        /* nothing is said of the event that was chosen */
	bool label_cgroup; /* the path of a cgroup, besides the container's name */
	struct err *err;
};

extern const struct argp sampling_argp;

/* What isn't said otherwise; before parsing. */
void sampling_args__init(struct sampling_args *args, struct err *err);
/* A word of --label or --by: what is called so is recorded; nothing else is. */
void sampling_args__want_label(struct sampling_args *args, const char *word);
/* Once all options are known: the events of -e, and whom; stdout_is_data as in target_args.h. */
int sampling_args__read(struct sampling_args *args, bool stdout_is_data);
/* Whether they go together; `subcommand` is for the hint. */
int sampling_args__check(struct sampling_args *args, const char *subcommand);
/* From what was parsed to what is opened, with an event where none was named. each_pass: they will
 * be recorded in passes. */
int sampling_args__settle(struct sampling_args *args, bool each_pass, struct err *err);
void sampling_args__done(struct sampling_args *args);

#endif
