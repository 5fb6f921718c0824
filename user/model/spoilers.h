/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* In which files walks of stacks ended early, and for which reason: so that a user sees what to
 * rebuild. */
#ifndef PMUBPF_MODEL_SPOILERS_H
#define PMUBPF_MODEL_SPOILERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spoiler {
	char *file;     /* in which the last frame lies; "[unknown]" if in nothing */
	uint8_t ending; /* enum pmb_ending */
	uint64_t samples;
};

enum { SPOILERS_MAX = 512 }; /* files beyond that are [others] */

struct spoilers {
	struct spoiler *list;
	size_t n, cap;
};

/* True for endings that mean a stack could have been longer. */
bool ending_is_early(uint8_t ending);
void spoilers__add(struct spoilers *all, const char *file, uint8_t ending, uint64_t samples);
/* Most samples first. */
void spoilers__sort(struct spoilers *all);
void spoilers__done(struct spoilers *all);

#endif
