/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a process is: a clock of each of its threads, for two seconds at most, of its own code
 * alone. */
#ifndef PMUBPF_SESSION_OP_CLOCK_H
#define PMUBPF_SESSION_OP_CLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct op_clock {
	uint64_t *addresses; /* of samples; not in order */
	size_t n, cap;
	uint64_t took_ns;
	size_t n_threads, n_watched; /* of so many those that use most CPU time have a clock */
};

/* Until there are enough, the time is over, or somebody wants to end. -errno: it can't be had. */
int op_clock__look(struct op_clock *ret, pid_t pid);
void op_clock__done(struct op_clock *clock);

#endif
