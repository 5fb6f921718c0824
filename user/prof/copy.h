/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From one profile into another: the numbers of texts, functions, locations, stacks and sets of
 * labels are other ones there. Only what is asked for is copied.
 */
#ifndef PMUBPF_PROF_COPY_H
#define PMUBPF_PROF_COPY_H

#include "prof/prof.h"

struct prof_copier {
	struct prof *to;
	const struct prof *from;
	struct intern mapping_set; /* of `to`: what is the same is there once */
	/* By the numbers of `from`; 0: not copied yet. */
	uint32_t *strings, *mappings, *functions, *locations, *stacks, *label_sets;
};

/* `to` is borrowed; of its mappings, only those that came through this copier are found again. */
void prof_copier__init(struct prof_copier *c, struct prof *to);
void prof_copier__from(struct prof_copier *c, const struct prof *from);
void prof_copier__done(struct prof_copier *c);

uint32_t prof_copier__string(struct prof_copier *c, uint32_t string);
uint32_t prof_copier__mapping(struct prof_copier *c, uint32_t mapping);
/* Without the `skip` innermost and with at most n lines. */
uint32_t prof_copier__location(struct prof_copier *c, uint32_t location, uint32_t skip, uint32_t n);
uint32_t prof_copier__stack(struct prof_copier *c, uint32_t stack);
uint32_t prof_copier__labels(struct prof_copier *c, uint32_t labels);
/* All of `from`, in their order; into a profile that has none yet. */
void prof_copier__types(struct prof_copier *c);
/* Adds the values of a sample of `from` to that of this stack and these labels, of `to`. */
void prof_copier__sample(struct prof_copier *c, size_t sample, uint32_t stack, uint32_t labels);
/* Time, duration, period, comments; into a profile that has none yet. */
void prof_copier__head(struct prof_copier *c);
void prof_copier__branches(struct prof_copier *c);
/* All that hasn't been copied: types, samples, head; into a profile that has none yet. */
void prof_copier__rest(struct prof_copier *c);

#endif
