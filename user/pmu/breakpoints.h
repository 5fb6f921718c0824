/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whether the CPU's breakpoints work. Some virtual machines take them, give back a descriptor, and
 * never report that one was met: a count of 0 would be a wrong answer.
 */
#ifndef PMUBPF_PMU_BREAKPOINTS_H
#define PMUBPF_PMU_BREAKPOINTS_H

#include <stdbool.h>

#include "pmu/event.h"

/* Tried at a word of our own, once. True also where none can be set, which opening one tells. */
bool breakpoints_are_met(void);
/* Refuses a list with one that would count nothing. */
int event_list__check_breakpoints(const struct event_list *list, struct err *err);

/* The sentence, and what to do about it. */
#define BREAKPOINTS_NEVER_MET                                                         \
	"breakpoints of the CPU can be set here and are never met, as in a VM whose " \
	"host doesn't pass them on"
#define BREAKPOINTS_NEXT "run it on the host, or on another machine"

#endif
