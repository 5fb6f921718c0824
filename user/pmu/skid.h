/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an event's overflows say of data, and how near to it they interrupt. */
#ifndef PMUBPF_PMU_SKID_H
#define PMUBPF_PMU_SKID_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/event.h"
#include "pmubpf/operand.h"
#include "sys/pmus.h"

/* PMB_SKID_NONE: it is about no data. Of clocks, and of counters of caches that bring no address,
 * candidates only. */
enum pmb_skid event_skid(const struct event *event);
/* Its overflows come before there is memory at the address. */
bool event_is_page_fault(const struct event *event);
/* Is the instruction at which its overflows are the one that the event is about? Else it is one
 * near it: behind it, as a rule. */
bool event_pc_is_exact(const struct event *event);
/* Loads, stores, or misses of caches and TLBs, without an address. */
bool event_counts_accesses(const struct event *event);
/* What brings an address where these are, as -e takes it: "cpu/mem-loads/P". The caller frees;
 * NULL: nothing known does. */
char *event_with_address(const struct pmus *pmus);

#endif
