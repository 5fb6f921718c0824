/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The alarms of several profiles: "alarm: 2026-11-28T21:40:03.123Z raised …" (spool/alarm_line.h),
 * the latest of them; and how long all were in detail around them: "detail: 23.400 s with 20 times
 * as many samples". Pure.
 */
#ifndef PMUBPF_PROF_ALARM_SUM_H
#define PMUBPF_PROF_ALARM_SUM_H

#include <stddef.h>
#include <stdint.h>

#include "prof/prof.h"

enum { ALARM_SUM_MOST = 32 };

struct alarm_sum_lines {
	char *lines[ALARM_SUM_MOST]; /* each once */
	size_t n;
	uint64_t earlier; /* that are left out */
	double detail_s;
	uint64_t times; /* the most */
};

/* A comment, if it is one of these. host: whose; NULL: it isn't said. */
void alarm_sum__add(struct alarm_sum_lines *s, const char *comment, const char *host);
/* As comments of `to`, in the order of time. */
void alarm_sum__put(const struct alarm_sum_lines *s, struct prof *to);
void alarm_sum__done(struct alarm_sum_lines *s);

#endif
