// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is to drop a stack without losing the next sample of it. A run of the overflow program
 * looks its stack's id up, and writes its sample a moment later. So a sample taken before the kernel side
 * forgot the id may name a stack that isn't sent again: what was chosen stays until all these samples
 * have been resolved. A sample taken later sends the stack again, and that copy's time is newer than
 * the forgetting.
 */
#include "session/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct raw_stack {
	uint64_t id;
	uint64_t generation; /* of the process under which `resolved` was made; 0: never */
	uint64_t sent;       /* when, the last time */
	uint32_t resolved;
	uint16_t n;
	bool named;  /* by a sample, since the last choice */
	bool chosen; /* to be dropped */
	uint64_t frames[];
};

enum {
	KERNEL_GENERATION = 1, /* the kernel's addresses mean the same all the time */
	HEADER_WORDS = sizeof(struct raw_stack) / sizeof(uint64_t),
	/* A run of the overflow program that began so long ago has remembered the id that it sent. */
	RUN_NS = 20 * 1000 * 1000,
};

static struct raw_stack *at(const struct raw_stacks *all, size_t word)
{
	return (struct raw_stack *)(all->words + word);
}

static size_t words_of(const struct raw_stack *s)
{
	return HEADER_WORDS + s->n;
}

/* The slot of an id, or the free slot where it belongs. */
static uint32_t *find_slot(const struct raw_stacks *all, uint64_t id)
{
	size_t mask = all->n_slots - 1, slot = id & mask;

	while (all->slots[slot] && at(all, all->slots[slot] - 1)->id != id)
		slot = (slot + 1) & mask;
	return &all->slots[slot];
}

static struct raw_stack *find(const struct raw_stacks *all, uint64_t id)
{
	const uint32_t *slot = all->n_slots ? find_slot(all, id) : NULL;

	return slot && *slot ? at(all, *slot - 1) : NULL;
}

static void fill_slots(struct raw_stacks *all)
{
	memset(all->slots, 0, all->n_slots * sizeof(*all->slots));
	for (size_t word = 0; word < all->n_words; word += words_of(at(all, word)))
		*find_slot(all, at(all, word)->id) = (uint32_t)word + 1;
}

static void grow_slots(struct raw_stacks *all)
{
	all->n_slots = all->n_slots ? 2 * all->n_slots : 1024;
	free(all->slots);
	all->slots = xcalloc(all->n_slots, sizeof(*all->slots));
	fill_slots(all);
}

void raw_stacks__add(struct raw_stacks *all, const struct pmb_stack *stack)
{
	struct raw_stack *s = find(all, stack->id);

	if (s)
		s->sent = stack->rec.time; /* the kernel side had forgotten that it sent it */
	if (s || !stack->id || !stack->n || all->n_words + HEADER_WORDS + stack->n >= UINT32_MAX)
		return;
	if (2 * all->n >= all->n_slots)
		grow_slots(all);
	if (all->n_words + HEADER_WORDS + stack->n > all->cap_words) {
		all->cap_words = 2 * all->cap_words + HEADER_WORDS + PMB_MAX_FRAMES;
		all->words = xrealloc(all->words, all->cap_words, sizeof(*all->words));
	}
	s = at(all, all->n_words);
	*s = (struct raw_stack){
		.id = stack->id,
		.sent = stack->rec.time,
		.n = (uint16_t)stack->n,
		.named = true,
	};
	memcpy(s->frames, stack->frames, stack->n * sizeof(*stack->frames));
	*find_slot(all, stack->id) = (uint32_t)all->n_words + 1;
	all->n_words += words_of(s);
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
	s->named = true;
	if (s->generation == generation)
		return s->resolved;
	for (uint32_t i = 0; i < s->n; i++) {
		/* a return address may lie behind its function's end; the call lies before it */
		uint64_t addr = s->frames[i] - (i > 0);
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
	for (size_t word = 0; word < all->n_words; word += words_of(at(all, word)))
		at(all, word)->generation = 0;
}

uint64_t raw_stacks__leaf(const struct raw_stacks *all, uint64_t id)
{
	const struct raw_stack *s = find(all, id);

	return s ? s->frames[0] : 0;
}

size_t raw_stacks__bytes(const struct raw_stacks *all)
{
	/* slots are 2 to 4 a stack; those of a burst stay, and must not count as stacks for ever */
	return all->n_words * sizeof(*all->words) + 4 * all->n * sizeof(*all->slots);
}

bool raw_stacks__full(const struct raw_stacks *all)
{
	return all->limit && !all->forget_at && raw_stacks__bytes(all) > all->limit;
}

/* Of the stacks that weren't named; or of all, if less than half would go. */
static bool choose_all(const struct raw_stacks *all)
{
	size_t idle = 0;

	for (size_t word = 0; word < all->n_words; word += words_of(at(all, word))) {
		if (!at(all, word)->named)
			idle += words_of(at(all, word));
	}
	return idle < all->n_words / 2;
}

void raw_stacks__forget(struct raw_stacks *all, uint64_t (*now)(void),
			void (*forget)(void *ctx, uint64_t id), void *ctx)
{
	bool everything = choose_all(all);

	all->forget_at = now();
	for (size_t word = 0; word < all->n_words; word += words_of(at(all, word))) {
		struct raw_stack *s = at(all, word);

		s->chosen = everything || !s->named;
		s->named = false;
		if (s->chosen)
			forget(ctx, s->id);
	}
	all->forgotten = now();
}

void raw_stacks__drop(struct raw_stacks *all, uint64_t horizon)
{
	size_t to = 0, next;

	if (!all->forget_at || horizon < all->forgotten)
		return;
	for (size_t word = 0; word < all->n_words; word = next) {
		struct raw_stack *s = at(all, word);
		size_t words = words_of(s);

		next = word + words;
		if (s->chosen && s->sent + RUN_NS < all->forget_at) {
			all->n--;
			all->dropped++;
			continue;
		}
		s->chosen = false;
		memmove(all->words + to, s, words * sizeof(*all->words));
		to += words;
	}
	all->n_words = to;
	all->forget_at = 0;
	fill_slots(all);
}

void raw_stacks__done(struct raw_stacks *all)
{
	free(all->slots);
	free(all->words);
	*all = (struct raw_stacks){0};
}
