/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* record --data, when the recording is over: which instructions samples are about, and what of. */
#ifndef PMUBPF_CMD_RECORD_DATA_H
#define PMUBPF_CMD_RECORD_DATA_H

#include "base/buf.h"
#include "cmd/record_args.h"
#include "session/session.h"
#include "sym/debuginfod.h"
#include "sym/names.h"
#include "sym/places.h"

/* Code is looked at where samples are about data, and each of them gets its class. Before names are
 * made. */
void record_data__look(const struct record_args *a, struct session_result *result,
		       struct debuginfod *servers, struct places *ret);
/* Behind that, which types are known; and what is to be done where none is. */
void record_data__look_at_types(const struct record_args *a, struct session_result *result,
				const struct places *places, const struct names *names,
				struct buf *notes);

#endif
