/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What advise records for top-down analysis, where the user has Intel's tables of this CPU. */
#ifndef PMUBPF_CMD_ADVISE_TOPDOWN_H
#define PMUBPF_CMD_ADVISE_TOPDOWN_H

#include "cmd/record_args.h"

/*
 * Adds the events that the tables' formulas take, as far as all of a formula's are there, and the
 * formulas as remarks of the profile ("topdown NAME: LEVEL EVENT FORMULA"). False: the tables have
 * formulas, and none of them can be recorded here; reason, of `size` bytes, says why.
 */
bool advise_topdown__add(struct record_args *args, char *reason, size_t size);

#endif
