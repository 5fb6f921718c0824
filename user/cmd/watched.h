/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the alarms of a recording are judged by: the counts of both terms, counted beside it. */
#ifndef PMUBPF_CMD_WATCHED_H
#define PMUBPF_CMD_WATCHED_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "cmd/alarms.h"
#include "cmd/sampling_args.h"
#include "session/session.h"
#include "session/watching.h"

#define WATCHED_LOOK_NS 1000000000ULL /* from one look to the next */

struct watched {
	struct alarms *alarms; /* borrowed */
	struct counting_opts opts;
	struct counting_result counted; /* since the last look */
	struct watching *watching;
	struct session_windows windows; /* until then */
	uint64_t next_ns;               /* to look, CLOCK_MONOTONIC */
};

/* What is watched for, once the sampling is settled and before anything is opened: finds the
 * events, into the list; and starts who runs the caller's program. */
int watched_find(struct alarms *alarms, struct sampling_args *sampling, struct event_list *events,
		 struct err *err);
/* Whose they are; with the sampling's opener. w is {0}; what is given must live as long. */
int watched__settle(struct watched *w, struct alarms *alarms, struct sampling_args *sampling,
		    const struct event_list *events, struct err *err);
/* A session_opts.opened whose ctx is a struct watched. */
int watched__open(void *ctx, pid_t command, struct err *err);
/* What was counted since the last look is handed to the alarms; as alarms__add(). After it the next
 * one is due in a second, and so is the first, after watched__begin(). */
void watched__begin(struct watched *w, uint64_t now);
unsigned watched__look(struct watched *w, const struct session *s, uint64_t now, struct buf *talk);
void watched__done(struct watched *w);

#endif
