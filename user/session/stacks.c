// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "session/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct raw_stack {
	uint64_t id;
	uint64_t generation; /* of the process under which `resolved` was made; 0: never */
	uint64_t start;      /* in frames */
	uint32_t n;
	uint32_t resolved;
};

enum { KERNEL_GENERATION = 1 }; /* the kernel's addresses mean the same all the time */

static struct raw_stack *find(const struct raw_stacks *all, uint64_t id)
{
	size_t mask = all->n_slots - 1, slot = id & mask;

	while (all->slots[slot].id && all->slots[slot].id != id)
		slot = (slot + 1) & mask;
	return &all->slots[slot];
}

static void grow(struct raw_stacks *all)
{
	struct raw_stacks old = *all;

	all->n_slots = old.n_slots ? 2 * old.n_slots : 1024;
	all->slots = xcalloc(all->n_slots, sizeof(*all->slots));
	for (size_t i = 0; i < old.n_slots; i++) {
		if (old.slots[i].id)
			*find(all, old.slots[i].id) = old.slots[i];
	}
	free(old.slots);
}

void raw_stacks__add(struct raw_stacks *all, const struct pmb_stack *stack)
{
	struct raw_stack *s;

	if (2 * all->n >= all->n_slots)
		grow(all);
	s = find(all, stack->id);
	if (s->id || !stack->id || !stack->n)
		return; /* the kernel side had forgotten that it sent it */
	if (all->n_frames + stack->n > all->cap_frames) {
		all->cap_frames = 2 * all->cap_frames + PMB_MAX_FRAMES;
		all->frames = xrealloc(all->frames, all->cap_frames, sizeof(*all->frames));
	}
	*s = (struct raw_stack){.id = stack->id, .start = all->n_frames, .n = stack->n};
	memcpy(all->frames + all->n_frames, stack->frames, stack->n * sizeof(*stack->frames));
	all->n_frames += stack->n;
	all->n++;
}

uint32_t raw_stacks__resolve(struct raw_stacks *all, uint64_t id, struct profile *profile,
			     struct processes *processes, struct process *process)
{
	uint64_t generation = process ? process__generation(process) : KERNEL_GENERATION;
	struct raw_stack *s = all->n_slots ? find(all, id) : NULL;
	uint32_t frames[PMB_MAX_FRAMES];

	if (!s || !s->id)
		return 0;
	if (s->generation == generation)
		return s->resolved;
	for (uint32_t i = 0; i < s->n; i++) {
		/* a return address may lie behind its function's end; the call lies before it */
		uint64_t addr = all->frames[s->start + i] - (i > 0);
		struct frame frame = {FRAME_KERNEL, 0, addr};

		if (process)
			frame = process__locate(processes, process, addr);
		frames[i] = profile__frame(profile, &frame);
	}
	s->resolved = profile__stack(profile, frames, s->n);
	s->generation = generation;
	return s->resolved;
}

uint64_t raw_stacks__leaf(const struct raw_stacks *all, uint64_t id)
{
	const struct raw_stack *s = all->n_slots ? find(all, id) : NULL;

	return s && s->id ? all->frames[s->start] : 0;
}

void raw_stacks__done(struct raw_stacks *all)
{
	free(all->slots);
	free(all->frames);
	*all = (struct raw_stacks){0};
}
