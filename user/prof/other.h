/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A profile without some of its stacks: what they weigh is [other] of their commands, so that no
 * sum changes. */
#ifndef PMUBPF_PROF_OTHER_H
#define PMUBPF_PROF_OTHER_H

#include <stdbool.h>

#include "prof/prof.h"

/* give_up: by sample. More than max_comms commands (0: any) are called [other] themselves. What
 * nothing refers to any more is not in it. The caller frees. */
struct prof *prof__with_other(const struct prof *p, const bool *give_up, size_t max_comms);

#endif
