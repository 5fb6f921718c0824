// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/intern.h"

#define X(id, name) name,
const char *const artificial_names[N_ARTIFICIAL] = {ARTIFICIAL_FRAMES(X)};
#undef X

struct profile {
	struct intern comms;      /* strings with their NUL */
	struct intern frames;     /* struct frame */
	struct intern stacks;     /* arrays of frame ids */
	struct intern keys;       /* struct profile_key; number - 1 indexes rows */
	struct frame *frame_list; /* the same frames by id, for readers */
	size_t n_frames, cap_frames;
	struct profile_row *rows;
	size_t n_rows, cap_rows;
};

struct profile *profile__new(void)
{
	struct profile *p = xcalloc(1, sizeof(*p));

	GROW(p->frame_list, p->n_frames, p->cap_frames);
	p->frame_list[p->n_frames++] = (struct frame){0};
	return p;
}

struct profile *profile__free(struct profile *p)
{
	if (!p)
		return NULL;
	intern__done(&p->comms);
	intern__done(&p->frames);
	intern__done(&p->stacks);
	intern__done(&p->keys);
	free(p->frame_list);
	free(p->rows);
	free(p);
	return NULL;
}

uint32_t profile__comm(struct profile *p, const char *comm)
{
	return intern__add(&p->comms, comm, strlen(comm) + 1);
}

uint32_t profile__frame(struct profile *p, const struct frame *frame)
{
	uint32_t id = intern__add(&p->frames, frame, sizeof(*frame));

	if (id == p->n_frames) {
		GROW(p->frame_list, p->n_frames, p->cap_frames);
		p->frame_list[p->n_frames++] = *frame;
	}
	return id;
}

uint32_t profile__stack(struct profile *p, const uint32_t *frames, uint32_t n)
{
	return intern__add(&p->stacks, frames, n * sizeof(*frames));
}

uint32_t profile__artificial(struct profile *p, enum artificial what)
{
	const struct frame frame = {FRAME_ARTIFICIAL, 0, what};
	uint32_t id = profile__frame(p, &frame);

	return profile__stack(p, &id, 1);
}

void profile__add(struct profile *p, const struct profile_key *key, uint64_t weight)
{
	size_t i = intern__add(&p->keys, key, sizeof(*key)) - 1;

	if (i == p->n_rows) {
		GROW(p->rows, p->n_rows, p->cap_rows);
		p->rows[p->n_rows++] = (struct profile_row){.key = *key};
	}
	p->rows[i].samples++;
	p->rows[i].weight += weight;
}

const char *profile__comm_text(const struct profile *p, uint32_t comm)
{
	size_t size;

	return intern__get(&p->comms, comm, &size);
}

size_t profile__frames(const struct profile *p, const struct frame **ret)
{
	*ret = p->frame_list;
	return p->n_frames;
}

uint32_t profile__stack_frames(const struct profile *p, uint32_t stack, const uint32_t **ret)
{
	size_t size;

	*ret = intern__get(&p->stacks, stack, &size);
	return (uint32_t)(size / sizeof(**ret));
}

size_t profile__rows(const struct profile *p, const struct profile_row **ret)
{
	*ret = p->rows;
	return p->n_rows;
}
