/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stacks as the kernel side sent them, by id: raw addresses. They become stacks of the profile
 * (files and offsets) when a sample names them, under the mappings of that moment; the answer is
 * kept until the process's mappings change.
 *
 * The kernel side sends a stack once, so what is dropped here has to be forgotten there before:
 *
 * 	forget		chooses, and has the kernel side forget each
 * 	(…)		samples that were taken before that arrive, and still find their stacks
 * 	drop		takes out what was chosen, unless it has been sent again since
 */
#ifndef PMUBPF_ASSEMBLE_STACKS_H
#define PMUBPF_ASSEMBLE_STACKS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "pmubpf/record.h"
#include "proc/processes.h"

struct raw_stacks {
	struct raw_stack *slots; /* open addressing by id */
	size_t n, n_slots;
	uint64_t *words; /* their ids, times and frames, end to end */
	size_t n_words, cap_words;
	size_t limit; /* bytes; 0: any */
	uint64_t
		/* when the kernel side began to forget; 0: nothing is about to be dropped */
		forget_at;
	uint64_t forgotten; /* when it had forgotten */
	uint64_t dropped;   /* stacks, in all */
};

void raw_stacks__add(struct raw_stacks *all, const struct pmb_stack *stack);
/* The profile's number of a kernel stack (process NULL) or of a user stack; 0 if the id is
 * unknown. */
uint32_t raw_stacks__resolve(struct raw_stacks *all, uint64_t id, struct profile *profile,
			     struct processes *processes, struct process *process);
/* The profile has given its stacks new numbers. */
void raw_stacks__renumbered(struct raw_stacks *all);
/* The interrupted (or, under kernel code, the calling) instruction of a stack; 0 if it is
 * unknown. */
uint64_t raw_stacks__leaf(const struct raw_stacks *all, uint64_t id);

size_t raw_stacks__bytes(const struct raw_stacks *all);
/* True if it is beyond its limit, and nothing is about to be dropped. */
bool raw_stacks__full(const struct raw_stacks *all);
/* Chooses the stacks that no sample has named since the last time; all, if these are too few. */
void raw_stacks__forget(struct raw_stacks *all, uint64_t (*now)(void),
			void (*forget)(void *ctx, uint64_t id), void *ctx);
/* Once all samples that were taken before `horizon` have been resolved; often nothing is to do. */
void raw_stacks__drop(struct raw_stacks *all, uint64_t horizon);
void raw_stacks__done(struct raw_stacks *all);

#endif
