/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Several recordings of one command, one for each set of events that fit together, as one
 * profile. */
#ifndef PMUBPF_SESSION_PASSES_H
#define PMUBPF_SESSION_PASSES_H

#include "model/passes.h"
#include "pmu/plan.h"
#include "session/session.h"

/*
 * Runs opts->command once for each set of the plan. The result is that of one recording of all
 * events; durations are added up. A signal, or a reader that has gone, ends the passes early, and a
 * note says which events are missing. *ret_status is the last pass's exit status. result and passes
 * are the caller's, also after an error.
 */
int passes__record(const struct session_opts *opts, const struct plan *plan,
		   struct session_result *result, struct passes *passes, int *ret_status,
		   struct err *err);

#endif
