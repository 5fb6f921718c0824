/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line of `pmubpf agent`, parsed and checked as far as that goes without the kernel. */
#ifndef PMUBPF_CMD_AGENT_ARGS_H
#define PMUBPF_CMD_AGENT_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/agent_alarms.h"
#include "cmd/agent_metrics.h"
#include "cmd/agent_to.h"
#include "cmd/config_file.h"
#include "cmd/sampling_args.h"

#define AGENT_CONFIG "/etc/pmubpf/agent.conf"

struct agent_args {
	struct sampling_args sampling;
	const char *schema; /* NULL; else nothing else is looked at */
	const char *dir;
	uint64_t every_ns; /* of a window */
	uint64_t keep_ns;
	uint64_t max_disk; /* bytes */
	bool rate_given;   /* else it is the agent's, and the budget may lower it */
	struct agent_to to;
	struct agent_metrics_args metrics;
	struct agent_alarm_args alarm;
	const char *config;
	bool config_given;
	struct config_file file;   /* as it was at the start */
	struct config_words words; /* it, and the command line */
	struct config_words live;  /* what to and metrics point into, once it was read again */
	int argc;                  /* that alone; borrowed */
	char **argv;
	struct err *err;
};

/* As record_args__parse; with the options of the file, if there is one. */
int agent_args__parse(struct agent_args *args, int argc, char **argv, struct err *err);
/* What was parsed to what is opened, at the agent's rate where none was named. */
int agent_args__settle(struct agent_args *args, struct err *err);
/*
 * Reads the file again: all of it as at a start, into *ret, of which the caller takes or gives up
 * what can change while it is recorded. Of what can't, *news gets a sentence each. A negative errno
 * with the sentence: something in it is wrong.
 */
int agent_args__read_again(const struct agent_args *args, struct agent_args *ret, struct buf *news,
			   struct err *err);
/* From now on it is so: every_ns, keep_ns, max_disk, quiet, to, metrics, and how long it is in
 * detail. The rest stays the caller's. */
void agent_args__take(struct agent_args *args, struct agent_args *now);
void agent_args__done(struct agent_args *args);

#endif
