/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Branch records of the CPU (LBR, BRBE, LbrExtV2): which are asked for, in perf's words, and which
 * events bring them.
 */
#ifndef PMUBPF_PMU_BRANCH_FILTER_H
#define PMUBPF_PMU_BRANCH_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "pmu/event.h"

/* "any,u", "cond", … of -j; user code only, unless k is among them. */
int branch_filter__parse(const char *text, uint64_t *ret, struct err *err);
/* The same words. */
void branch_filter__put(uint64_t filter, struct buf *out);
/* Nothing but them leaves the code between two records of a sample. */
bool branch_filter__is_whole(uint64_t filter);

/* Its overflows bring branch records, if anything's do: they are those of a hardware counter. */
bool event__takes_branches(const struct event *event);
void event_attr__want_branches(struct perf_event_attr *attr, uint64_t filter);
/* Tries those that do, and says why if this machine has no such records, or none are among the
 * events: EXIT_CANNOT. */
int event_list__check_branches(const struct event_list *list, uint64_t filter, struct err *err);

#endif
