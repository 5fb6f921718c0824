/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* In which files walks of stacks ended early, and for which reason: so that a user sees what to
 * rebuild. */
#ifndef PMUBPF_MODEL_TRUNCATING_H
#define PMUBPF_MODEL_TRUNCATING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct truncating_module {
	char *file;     /* in which the last frame lies; "[unknown]" if in nothing */
	uint8_t status; /* enum pmb_unwind_status */
	uint64_t samples;
};

enum { TRUNCATING_MAX = 512 }; /* files beyond that are [others] */

struct truncating {
	struct truncating_module *list;
	size_t n, cap;
};

/* True for statuses that mean a stack could have been longer. */
bool status_is_early(uint8_t status);
void truncating__add(struct truncating *all, const char *file, uint8_t status, uint64_t samples);
/* Most samples first. */
void truncating__sort(struct truncating *all);
void truncating__done(struct truncating *all);

#endif
