/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events of the form op:CLASS[:FUNC[@FILE]][/TERMS/]: each becomes breakpoints at those
 * instructions of a process that are met most. */
#ifndef PMUBPF_CMD_OP_EVENTS_H
#define PMUBPF_CMD_OP_EVENTS_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/event_args.h"
#include "cmd/target_args.h"

/* Nothing else is asked for. */
bool op_events__only(const struct event_args *args);
/* Takes their texts out of the others, if the words and the target are right… */
int op_events__take(struct event_args *args, const struct target_args *target, struct err *err);
/* …and adds their breakpoints, once nothing else is in the way: trying which they are slows the
 * target down. notes: which, a line each. */
int op_events__find(struct event_args *args, const struct target_args *target,
		    struct event_list *ret, struct buf *notes, struct err *err);

#endif
