/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What advise records of a target when nothing else is asked for, and what it says of that. */
#ifndef PMUBPF_CMD_ADVISE_RECORD_H
#define PMUBPF_CMD_ADVISE_RECORD_H

#include "cmd/advise_args.h"

/* Events, if none were named: those of its rules that this machine has. Says on standard error what
 * is recorded, of whom, and which events it lacks. */
int advise_record__settle(struct advise_args *args, struct err *err);

#endif
