/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files that do without a table for now, because there was no room: when each is tried again. */
#ifndef PMUBPF_UNWIND_WAITING_H
#define PMUBPF_UNWIND_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/shares.h"

struct waiting;

struct waiting *waiting__new(void);
struct waiting *waiting__free(struct waiting *w); /* NULL is fine; returns NULL */

/* It waits: a second for the first time, then twice as long each time, half a minute at most. */
void waiting__add(struct waiting *w, const struct claim *claim, uint64_t now_ns);
/* The one that is to be tried now, the most sampled first; NULL: none. */
const struct claim *waiting__due(const struct waiting *w, const struct shares *shares,
				 uint64_t now_ns);
/* It waits no longer. If it has to again, that is longer. */
void waiting__end(struct waiting *w, uint32_t number);
/* As if it had never waited. */
void waiting__forget(struct waiting *w, uint32_t number);
/* True if it has waited, whether or not it does. */
bool waiting__met(const struct waiting *w, uint32_t number);

#endif
