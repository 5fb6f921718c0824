/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options that say what is usual, and what an alarm does; the one that asks for alarms is the
 * subcommand's. */
#ifndef PMUBPF_CMD_ALARM_ARGS_H
#define PMUBPF_CMD_ALARM_ARGS_H

#include <argp.h>

#include "cmd/alarms.h"

/* Their input is a struct alarms. */
extern const struct argp alarm_argp;      /* all of them */
extern const struct argp alarm_what_argp; /* without what is about an exit status */

/* A relation that is to be watched. */
void alarm_args__ask(struct alarms *alarms, const char *text);

#endif
