/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stacks as the kernel side sent them, by id: raw addresses. They become stacks of the profile
 * (files and offsets) when a sample names them, under the mappings of that moment; the answer is kept
 * until the process's mappings change.
 */
#ifndef PMUBPF_SESSION_STACKS_H
#define PMUBPF_SESSION_STACKS_H

#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "pmubpf/record.h"
#include "proc/processes.h"

struct raw_stacks {
	struct raw_stack *slots; /* open addressing by id; id 0 is a free slot */
	size_t n, n_slots;
	uint64_t *frames; /* of all stacks, end to end */
	size_t n_frames, cap_frames;
};

void raw_stacks__add(struct raw_stacks *all, const struct pmb_stack *stack);
/* The profile's number of a kernel stack (process NULL) or of a user stack; 0 if the id is unknown. */
uint32_t raw_stacks__resolve(struct raw_stacks *all, uint64_t id, struct profile *profile,
			     struct processes *processes, struct process *process);
/* The interrupted (or, under kernel code, the calling) instruction of a stack; 0 if it is unknown. */
uint64_t raw_stacks__leaf(const struct raw_stacks *all, uint64_t id);
void raw_stacks__done(struct raw_stacks *all);

#endif
