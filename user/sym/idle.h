/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where the idle task waits for something to do. */
#ifndef PMUBPF_SYM_IDLE_H
#define PMUBPF_SYM_IDLE_H

#include <stdbool.h>

/* Whether the kernel's function of that name is a place where a CPU waits. An interrupt that is
 * handled on an idle CPU, or the search for its next task, is in another function. */
bool idle_function(const char *name);

#endif
