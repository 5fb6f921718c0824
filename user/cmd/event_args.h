/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options that say what to count: -e, and where names come from. An argp parser, to be a child
 * of the subcommand's own, whose input is struct event_args (as in target_args.h).
 */
#ifndef PMUBPF_CMD_EVENT_ARGS_H
#define PMUBPF_CMD_EVENT_ARGS_H

#include <argp.h>

#include "base/err.h"
#include "pmu/event.h"
#include "pmu/event_names.h"

struct event_args {
	char **texts; /* of -e; borrowed from argv */
	size_t n_texts, cap_texts;
	char **ops; /* of these, what cmd/op_events.h took out */
	size_t n_ops, cap_ops;
	const char *db;   /* --event-db; NULL: the standard place */
	const char *file; /* --events; NULL: the standard ones */
	bool counting;    /* set before event_args__read: for stat, which samples nothing */
	struct event_names names;
};

extern const struct argp event_argp;
/* --events and --event-db alone, for a subcommand without -e; the same input. */
extern const struct argp event_names_argp;

/* Once all options are known: the names there are… */
int event_args__read_names(struct event_args *args, struct err *err);
/* …and the events of all -e. */
int event_args__read(struct event_args *args, struct event_list *ret, struct err *err);
void event_args__done(struct event_args *args);

#endif
