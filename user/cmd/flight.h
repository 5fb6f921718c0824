/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * record --when 'Y ~ X': a recording of which only what was around an alarm is kept. It is cut each
 * second and goes on; a second that is older than the lookback is given up, until an alarm is
 * raised.
 */
#ifndef PMUBPF_CMD_FLIGHT_H
#define PMUBPF_CMD_FLIGHT_H

#include "cmd/record_args.h"
#include "model/kept.h"
#include "session/session.h"

/*
 * Records until what follows the alarm is over, or all has ended; closed then, as by
 * session__record(). The result is what is kept, with the books of all: of its profile nothing is
 * there if no alarm was raised. Sentences go to standard error as they come.
 */
int flight__record(struct session **ret, struct record_args *args, struct session_result *result,
		   struct kept *kept, struct err *err);

#endif
