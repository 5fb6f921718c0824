// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/intern.h"

struct sites {
	struct intern stacks; /* arrays of struct frame */
	uint32_t *stack_of;   /* by number; 0: none yet */
	size_t n, cap;
	uint32_t *number_of; /* by stack; 0: none yet */
	size_t cap_numbers;
	size_t limit;
};

static uint32_t next_number(struct sites *s, uint32_t stack)
{
	GROW(s->stack_of, s->n, s->cap);
	s->stack_of[s->n] = stack;
	return (uint32_t)s->n++;
}

struct sites *sites__new(size_t limit)
{
	struct sites *s = xcalloc(1, sizeof(*s));

	s->limit = limit;
	next_number(s, 0);
	next_number(s, 0);
	return s;
}

struct sites *sites__free(struct sites *s)
{
	if (!s)
		return NULL;
	intern__done(&s->stacks);
	free(s->stack_of);
	free(s->number_of);
	free(s);
	return NULL;
}

size_t sites__bytes(const struct sites *s)
{
	return intern__bytes(&s->stacks) + (s->n + s->cap_numbers) * sizeof(uint32_t);
}

static bool is_full(const struct sites *s)
{
	return s->limit && sites__bytes(s) + SITE_FRAMES * sizeof(struct frame) > s->limit;
}

/* 0: there is no room. */
static uint32_t stack_of(struct sites *s, const struct frame *frames, size_t n)
{
	size_t size = (n < SITE_FRAMES ? n : SITE_FRAMES) * sizeof(*frames);
	uint32_t stack = intern__find(&s->stacks, frames, size);

	return stack || is_full(s) ? stack : intern__add(&s->stacks, frames, size);
}

uint32_t sites__add(struct sites *s, const struct frame *frames, size_t n)
{
	uint32_t stack = stack_of(s, frames, n), *number;

	if (!n || !stack)
		return n ? SITE_OTHER : SITE_UNKNOWN;
	GROW_TO(s->number_of, stack, s->cap_numbers);
	number = &s->number_of[stack];
	if (!*number && is_full(s))
		return SITE_OTHER;
	if (!*number)
		*number = next_number(s, stack);
	return *number;
}

uint32_t sites__later(struct sites *s)
{
	return is_full(s) ? SITE_OTHER : next_number(s, 0);
}

void sites__settle(struct sites *s, uint32_t number, const struct frame *frames, size_t n)
{
	if (number > SITE_OTHER && n)
		s->stack_of[number] = stack_of(s, frames, n);
}

size_t sites__count(const struct sites *s)
{
	return s->n;
}

size_t sites__frames(const struct sites *s, uint32_t number, const struct frame **ret)
{
	size_t size = 0;

	*ret = number < s->n ? intern__get(&s->stacks, s->stack_of[number], &size) : NULL;
	return size / sizeof(**ret);
}

static void put_stack(const struct sites *s, struct profile *profile, uint32_t site,
		      uint32_t *stacks)
{
	uint32_t ids[SITE_FRAMES], depth;
	const struct frame *frames;

	if (site >= s->n || stacks[site])
		return;
	depth = (uint32_t)sites__frames(s, site, &frames);
	for (uint32_t k = 0; k < depth; k++)
		ids[k] = profile__frame(profile, &frames[k]);
	stacks[site] = profile__stack(profile, ids, depth);
}

uint32_t *sites__stacks(const struct sites *s, struct profile *profile)
{
	uint32_t *stacks = xcalloc(s->n, sizeof(*stacks));
	const struct profile_row *rows;
	size_t n = profile__rows(profile, &rows);

	for (size_t i = 0; i < n; i++) {
		struct profile_labels set = profile__label_set(profile, rows[i].key.labels);

		put_stack(s, profile, set.site, stacks);
		put_stack(s, profile, set.map_site, stacks);
	}
	return stacks;
}
