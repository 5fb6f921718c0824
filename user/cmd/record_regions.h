/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * record --regions: a recording that is cut each second, for a list of regions of memory that is
 * renewed as often. What comes of it is the same as without.
 */
#ifndef PMUBPF_CMD_RECORD_REGIONS_H
#define PMUBPF_CMD_RECORD_REGIONS_H

#include "cmd/cutting.h"
#include "cmd/record_args.h"
#include "prof/region_log.h"
#include "sys/renewal.h"

/* Begins as {.args = …}: parsed, and settled before record. */
struct record_regions {
	const struct record_args *args; /* borrowed */
	struct renewal renewal;
	struct session_opts opts;
	struct cutting cutting;
	struct session_result *result;
	struct known *known; /* names of earlier parts */
	struct region_log log;
	struct session_cut *all;    /* all parts so far; the session's. NULL: there was none */
	struct session_cut *untold; /* the recording ended amid its names; the session's */
	struct ledger ledger;       /* of parts so far */
	uint64_t number, start_ns;
	uint64_t helper_ns; /* CPU time of helpers that looked at code, and named */
};

/* Before anything is opened: starts what writes FILE. */
int record_regions__start(struct record_regions *g, struct err *err);
/* In the place of session__record. */
int record_regions__record(struct record_regions *g, struct session **ret,
			   struct session_result *result, struct err *err);
/* Behind that: whether the last list could be written. */
int record_regions__status(struct record_regions *g, struct err *err);
void record_regions__done(struct record_regions *g);

#endif
