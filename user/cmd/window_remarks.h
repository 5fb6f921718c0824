/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a window of a spool says besides what every profile says (cmd/remarks.h):
 *
 *	window: boot=8f0c… seq=42 begin=… end=… clock=monotonic		(ns)
 *	columns cpu-clock: seen=2940 emitted=2940 filtered=0 closed=0 dropped=0 rings_in=0 held_in=3
 *		decoded=2940 discarded=0 aggregated=2938 weight=… rings_out=0 held_out=5
 *		balanced=yes
 *		(on one line)
 *
 *	cost: cpus=2 kernel_ns=… process_ns=… helpers_ns=… looks_ns=… of=cpu-time
 *
 * So parts can be added up, and what is carried from one to the next be checked.
 */
#ifndef PMUBPF_CMD_WINDOW_REMARKS_H
#define PMUBPF_CMD_WINDOW_REMARKS_H

#include "cmd/live.h"
#include "model/ledger.h"
#include "prof/prof.h"
#include "spool/coverage.h"

void add_remark_of_window(struct prof *prof, const char *boot, const struct window_span *span);
/* The other way round: begin and end, if it says them. */
void window_span__read(struct window_span *span, const struct prof *prof);
void add_remarks_of_columns(struct prof *prof, const struct ledger *ledger);
void add_remark_of_cost(struct prof *prof, const struct part_cost *cost);

#endif
