/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which events of this CPU look closer at what much of the time goes to, by the class of the code
 * (prof/blockclass.h). */
#ifndef PMUBPF_CMD_BLOCK_HINTS_H
#define PMUBPF_CMD_BLOCK_HINTS_H

#include "prof/prof.h"

/* "hint: div: ARITH:DIVIDER_ACTIVE counts cycles in which the divider works", a comment for each
 * class that has a part of the samples, and of which this CPU has such an event. */
void add_block_hints(struct prof *prof);

#endif
