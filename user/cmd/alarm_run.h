/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --alarm-run: the caller's program, run at an alarm, and what is said of its runs. */
#ifndef PMUBPF_CMD_ALARM_RUN_H
#define PMUBPF_CMD_ALARM_RUN_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "session/runner.h"

enum { ALARM_RUN_S = 10 };

struct alarm_run {
	const char *program; /* NULL: not asked for; borrowed */
	struct runner runner;
	size_t alarms, ended, killed, busy, failed;
};

/* What the program gets to know. */
struct alarm_figures {
	const char *relation; /* at most ALARM_RELATION_MAX bytes */
	double at_s, since_s, percent;
};

enum { ALARM_RELATION_MAX = 4096 };

/* Before anything is opened; nothing without a program. */
int alarm_run__start(struct alarm_run *run, struct err *err);
void alarm_run__raised(struct alarm_run *run, const struct alarm_figures *figures);
/* What has become known of runs; talk: lines. */
void alarm_run__tell(struct alarm_run *run, struct buf *talk);
/* Waits for the run that is on, and sums up. */
void alarm_run__finish(struct alarm_run *run, struct buf *talk);
void alarm_run__done(struct alarm_run *run);

#endif
