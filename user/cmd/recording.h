/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A recording, from its command line to its files: of record, and of who needs one. */
#ifndef PMUBPF_CMD_RECORDING_H
#define PMUBPF_CMD_RECORDING_H

#include "cmd/record_args.h"
#include "cmd/record_out.h"
#include "session/signals.h"

/*
 * Settles, opens, records, and writes. signals are caught; taker: who gets the profile besides, or
 * NULL. What fails is printed; the exit status: the command's, or ours.
 */
int recording__run(struct record_args *args, char **argv, struct signals *signals,
		   const struct record_taker *taker, struct err *err);

#endif
