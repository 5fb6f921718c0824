/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Windows that nothing closes any more: their probes are out, or their process has ended. */
#ifndef PMUBPF_COLLECT_GATES_LEFT_H
#define PMUBPF_COLLECT_GATES_LEFT_H

#include <stdint.h>

struct gate_user;

/* Processes that end between two looks; those beyond keep their windows' places. */
enum { GATES_ENDED_MAX = 4096 };

void gates_left__all(const struct gate_user *user);
/* Those of goroutines whose processes have ended. To be called often: it takes a twentieth of a
 * CPU's time at most. */
void gates_left__of_ended(struct gate_user *user, uint64_t now);

#endif
