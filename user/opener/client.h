/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One question to whoever opens, with a deadline (opener.h has the questions). */
#ifndef PMUBPF_OPENER_CLIENT_H
#define PMUBPF_OPENER_CLIENT_H

#include "opener/answer.h"
#include "opener/opener.h"

/*
 * Asks, and hands each packet of the answer over; a descriptor is closed after that. fd goes along
 * (-1: none). limit_ms: how long it may take if it works all the time. 0: there was a whole answer,
 * whatever it says.
 */
int opener__ask(struct opener *o, struct opener_request *request, int fd, unsigned limit_ms,
		opener_emit emit, void *ctx);

#endif
