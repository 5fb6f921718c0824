/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which rows of a profile are given up when there is no room for all. Weights of different events
 * can't be compared, so each event gets a share of the room, as much as it needs or as any other
 * gets (max-min fairness), and gives up its own rarest rows. Pure, and the same for the same rows.
 */
#ifndef PMUBPF_MODEL_RAREST_H
#define PMUBPF_MODEL_RAREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

/*
 * Sets give_up[i] for those of the n rows (whose candidate[i] is set) that are beyond `room`. Among
 * rows of one weight the older (of lower index) go first: they had more time to come again.
 */
void rarest(const struct profile_row *rows, const bool *candidate, size_t n, size_t room,
	    bool *give_up);

#endif
