// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is to drop a stack without losing the next sample of it. A run of the overflow
 * program looks its stack's id up, and writes its sample a moment later. So a sample taken before
 * the kernel side forgot the id may name a stack that isn't sent again: what was chosen stays until
 * all these samples have been resolved. A sample taken later sends the stack again, and that copy's
 * time is newer than the forgetting.
 */
#include "assemble/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pmubpf/hotspot.h"

/* What resolving needs, in half a cache line; the rest of a stack lies at `at`. */
struct raw_stack {
	uint64_t id;         /* 0: a free slot */
	uint64_t generation; /* of the process under which `resolved` was made; 0: never */
	uint32_t at;         /* in words */
	uint32_t resolved;
	uint16_t n;
	bool named;  /* by a sample, since the last choice */
	bool chosen; /* to be dropped */
};

/* In words: */
enum { ID, SENT /* when, the last time */, FRAMES };

enum {
	KERNEL_GENERATION = 1, /* the kernel's addresses mean the same all the time */
	/* A run of the overflow program that began so long ago has remembered the id that it
	 * sent. */
	RUN_NS = 20 * 1000 * 1000,
	MIN_SLOTS = 1024,
};

/* The slot of an id, or the free slot where it belongs. */
static struct raw_stack *find_slot(const struct raw_stacks *all, uint64_t id)
{
	size_t mask = all->n_slots - 1, slot = id & mask;

	while (all->slots[slot].id && all->slots[slot].id != id)
		slot = (slot + 1) & mask;
	return &all->slots[slot];
}

static struct raw_stack *find(const struct raw_stacks *all, uint64_t id)
{
	struct raw_stack *slot = all->n_slots && id ? find_slot(all, id) : NULL;

	return slot && slot->id ? slot : NULL;
}

static size_t words_of(const struct raw_stack *s)
{
	return FRAMES + (size_t)s->n;
}

/* Room for a stack more than there are; those in slots whose id is 0 are gone. */
static void resize_slots(struct raw_stacks *all)
{
	struct raw_stack *old = all->slots;
	size_t n = all->n_slots;

	for (all->n_slots = MIN_SLOTS; all->n_slots <= 2 * all->n;)
		all->n_slots *= 2;
	all->slots = xcalloc(all->n_slots, sizeof(*all->slots));
	for (size_t i = 0; i < n; i++) {
		if (old[i].id)
			*find_slot(all, old[i].id) = old[i];
	}
	free(old);
}

static uint64_t *new_words(struct raw_stacks *all, size_t n)
{
	if (all->n_words + n > all->cap_words) {
		all->cap_words = 2 * all->cap_words + FRAMES + PMB_MAX_FRAMES;
		all->words = xrealloc(all->words, all->cap_words, sizeof(*all->words));
	}
	all->n_words += n;
	return all->words + all->n_words - n;
}

void raw_stacks__add(struct raw_stacks *all, const struct pmb_stack *stack)
{
	struct raw_stack *s = find(all, stack->id);
	uint64_t *words;

	if (s) /* the kernel side had forgotten that it sent it */
		all->words[s->at + SENT] = stack->rec.time;
	if (s || !stack->id || !stack->n || all->n_words + FRAMES + stack->n > UINT32_MAX)
		return;
	if (2 * all->n >= all->n_slots)
		resize_slots(all);
	words = new_words(all, FRAMES + stack->n);
	words[ID] = stack->id;
	words[SENT] = stack->rec.time;
	memcpy(words + FRAMES, stack->frames, stack->n * sizeof(*stack->frames));
	*find_slot(all, stack->id) = (struct raw_stack){
		.id = stack->id,
		.at = (uint32_t)(words - all->words),
		.n = (uint16_t)stack->n,
		.named = true,
	};
	all->n++;
}

uint32_t raw_stacks__resolve(struct raw_stacks *all, uint64_t id, struct profile *profile,
			     struct processes *processes, struct process *process)
{
	uint64_t generation = process ? process__generation(process) : KERNEL_GENERATION;
	struct raw_stack *s = find(all, id);
	uint32_t frames[PMB_MAX_FRAMES];

	if (!s)
		return 0;
	if (!s->named)
		s->named = true;
	if (s->generation == generation)
		return s->resolved;
	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t addr = pmb_place_in_stack(all->words[s->at + FRAMES + i], i);
		struct frame frame = {FRAME_KERNEL, 0, addr};

		if (process)
			frame = process__locate(processes, process, addr);
		frames[i] = profile__frame(profile, &frame);
	}
	s->resolved = profile__stack(profile, frames, s->n);
	s->generation = generation;
	return s->resolved;
}

void raw_stacks__renumbered(struct raw_stacks *all)
{
	for (size_t i = 0; i < all->n_slots; i++)
		all->slots[i].generation = 0;
}

uint64_t raw_stacks__leaf(const struct raw_stacks *all, uint64_t id)
{
	const struct raw_stack *s = find(all, id);

	return s ? all->words[s->at + FRAMES] : 0;
}

size_t raw_stacks__bytes(const struct raw_stacks *all)
{
	return all->n_words * sizeof(*all->words) + all->n_slots * sizeof(*all->slots);
}

bool raw_stacks__full(const struct raw_stacks *all)
{
	return all->limit && !all->forget_at && raw_stacks__bytes(all) > all->limit;
}

/* Of the stacks that weren't named; or of all, if less than half would go. */
static bool choose_all(const struct raw_stacks *all)
{
	size_t idle = 0;

	for (size_t i = 0; i < all->n_slots; i++) {
		if (all->slots[i].id && !all->slots[i].named)
			idle += words_of(&all->slots[i]);
	}
	return idle < all->n_words / 2;
}

void raw_stacks__forget(struct raw_stacks *all, uint64_t (*now)(void),
			void (*forget)(void *ctx, uint64_t id), void *ctx)
{
	bool everything = choose_all(all);

	all->forget_at = now();
	for (size_t i = 0; i < all->n_slots; i++) {
		struct raw_stack *s = &all->slots[i];

		s->chosen = s->id && (everything || !s->named);
		s->named = false;
		if (s->chosen)
			forget(ctx, s->id);
	}
	all->forgotten = now();
}

void raw_stacks__drop(struct raw_stacks *all, uint64_t horizon)
{
	size_t to = 0, n;

	if (!all->forget_at || horizon < all->forgotten)
		return;
	for (size_t from = 0; from < all->n_words; from += n) {
		struct raw_stack *s = find_slot(all, all->words[from + ID]);

		n = words_of(s);
		if (s->chosen && all->words[from + SENT] + RUN_NS < all->forget_at) {
			s->chosen = false;
			s->n = 0; /* stays where it is until all have been found */
			all->n--;
			all->dropped++;
			continue;
		}
		s->chosen = false;
		s->at = (uint32_t)to;
		memmove(all->words + to, all->words + from, n * sizeof(*all->words));
		to += n;
	}
	for (size_t i = 0; i < all->n_slots; i++) {
		if (!all->slots[i].n)
			all->slots[i].id = 0;
	}
	all->n_words = to;
	all->cap_words = to + FRAMES + PMB_MAX_FRAMES;
	all->words = xrealloc(all->words, all->cap_words, sizeof(*all->words));
	all->forget_at = 0;
	resize_slots(all);
}

void raw_stacks__done(struct raw_stacks *all)
{
	free(all->slots);
	free(all->words);
	*all = (struct raw_stacks){0};
}
