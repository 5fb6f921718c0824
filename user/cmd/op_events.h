/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events of the form op:CLASS:FUNC[@FILE][/TERMS/]: each becomes breakpoints at those instructions
 * of a process that are met most. */
#ifndef PMUBPF_CMD_OP_EVENTS_H
#define PMUBPF_CMD_OP_EVENTS_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/event_args.h"
#include "cmd/target_args.h"

/* Nothing else is asked for. */
bool op_events__only(const struct event_args *args);
/* Puts breakpoints in their place among the texts; notes: which they are, a line each. */
int op_events__expand(struct event_args *args, const struct target_args *target, struct buf *notes,
		      struct err *err);

#endif
