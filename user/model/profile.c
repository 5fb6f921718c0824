// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "model/intern.h"
#include "model/rarest.h"

#define X(id, name) name,
const char *const artificial_names[N_ARTIFICIAL] = {ARTIFICIAL_FRAMES(X)};
#undef X

struct profile {
	struct intern comms;      /* strings with their NUL */
	struct intern frames;     /* struct frame */
	struct intern stacks;     /* arrays of frame ids */
	struct intern labels;     /* struct profile_labels */
	struct intern accesses;   /* struct profile_access */
	struct intern keys;       /* struct profile_key; number - 1 indexes rows */
	struct frame *frame_list; /* the same frames by id, for readers */
	size_t n_frames, cap_frames;
	struct profile_row *rows;
	size_t n_rows, cap_rows;
	struct profile_other *other; /* by event */
	size_t n_other, cap_other;
	size_t limit;
	size_t trim_at; /* bytes; 0: never */
	bool grown;     /* since the last look at the limit */
	unsigned trims;
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
	intern__done(&p->labels);
	intern__done(&p->accesses);
	intern__done(&p->keys);
	free(p->frame_list);
	free(p->rows);
	free(p->other);
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

uint32_t profile__labels(struct profile *p, const struct profile_labels *labels)
{
	static const struct profile_labels none;

	return memcmp(labels, &none, sizeof(none)) == 0 ?
		       0 :
		       intern__add(&p->labels, labels, sizeof(*labels));
}

uint32_t profile__artificial(struct profile *p, enum artificial what)
{
	const struct frame frame = {FRAME_ARTIFICIAL, 0, what};
	uint32_t id = profile__frame(p, &frame);

	return profile__stack(p, &id, 1);
}

/* from: what is added; its key isn't looked at. */
static void profile__add_row(struct profile *p, const struct profile_key *key,
			     const struct profile_row *from)
{
	size_t i = intern__add(&p->keys, key, sizeof(*key)) - 1;

	if (i == p->n_rows) {
		GROW(p->rows, p->n_rows, p->cap_rows);
		p->rows[p->n_rows++] = (struct profile_row){.key = *key};
		p->grown = true; /* what is new, is new in a new row, or soon will be */
	}
	p->rows[i].samples += from->samples;
	p->rows[i].weight += from->weight;
	if (__builtin_add_overflow(p->rows[i].latency, from->latency, &p->rows[i].latency))
		p->rows[i].latency = UINT64_MAX; /* the PMU says what it likes */
}

void profile__add(struct profile *p, const struct profile_key *key, uint64_t weight)
{
	profile__add_access(p, key, weight, 0);
}

void profile__add_access(struct profile *p, const struct profile_key *key, uint64_t weight,
			 uint32_t latency)
{
	struct profile_row row = {.samples = 1, .weight = weight};

	if (__builtin_mul_overflow(weight, (uint64_t)latency, &row.latency))
		row.latency = UINT64_MAX;
	profile__add_row(p, key, &row);
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

uint32_t profile__leaf(const struct profile *p, const struct profile_key *key)
{
	const uint32_t *frames;

	if (profile__stack_frames(p, key->kernel_stack, &frames) ||
	    profile__stack_frames(p, key->user_stack, &frames))
		return frames[0];
	return 0;
}

uint32_t profile__access(struct profile *p, const struct profile_access *access)
{
	return intern__add(&p->accesses, access, sizeof(*access));
}

const struct profile_access *profile__access_of(const struct profile *p, uint32_t access)
{
	size_t size;
	const void *bytes = intern__get(&p->accesses, access, &size);

	return access && size ? bytes : NULL;
}

uint32_t profile__copy_access(struct profile *to, const struct profile *from, uint32_t access)
{
	const struct profile_access *a = profile__access_of(from, access);

	return a ? profile__access(to, a) : 0;
}

struct profile_labels profile__label_set(const struct profile *p, uint32_t labels)
{
	size_t size;
	const struct profile_labels *set = intern__get(&p->labels, labels, &size);

	return size ? *set : (struct profile_labels){0};
}

size_t profile__rows(const struct profile *p, const struct profile_row **ret)
{
	*ret = p->rows;
	return p->n_rows;
}

/* Of a frame's name and place, once the recording has ended: memory that has to be there then. */
enum { FRAME_LATER_BYTES = 160 };

size_t profile__bytes(const struct profile *p)
{
	return intern__bytes(&p->comms) + intern__bytes(&p->frames) + intern__bytes(&p->stacks) +
	       intern__bytes(&p->labels) + intern__bytes(&p->accesses) + intern__bytes(&p->keys) +
	       p->n_frames * (sizeof(*p->frame_list) + FRAME_LATER_BYTES) +
	       p->n_rows * sizeof(*p->rows);
}

struct profile_other profile__other(const struct profile *p, uint32_t event)
{
	return event < p->n_other ? p->other[event] : (struct profile_other){0};
}

unsigned profile__trims(const struct profile *p)
{
	return p->trims;
}

void profile__set_limit(struct profile *p, size_t bytes)
{
	p->limit = p->trim_at = bytes;
}

static struct profile_other *profile__other_of(struct profile *p, uint32_t event)
{
	while (p->n_other <= event) {
		GROW(p->other, p->n_other, p->cap_other);
		p->other[p->n_other++] = (struct profile_other){0};
	}
	return &p->other[event];
}

/* Adds the rows that are given up to [other] of their event and their comm (or one comm for
 * all). */
static void profile__fold(struct profile *p, const bool *give_up, size_t n, const uint32_t *comm)
{
	uint32_t other = profile__artificial(p, ARTIFICIAL_OTHER);

	for (size_t i = 0; i < n; i++) {
		const struct profile_row row = p->rows[i];
		const struct profile_key key = {
			.event = row.key.event,
			.comm = comm ? *comm : row.key.comm,
			.user_stack = other,
		};
		struct profile_other *sum;

		if (!give_up[i])
			continue;
		profile__add_row(p, &key, &row);
		if (row.key.user_stack == other)
			continue; /* it was in [other] before */
		sum = profile__other_of(p, key.event);
		sum->samples += row.samples;
		sum->weight += row.weight;
		sum->rows++;
	}
}

uint32_t profile__copy_stack(struct profile *to, const struct profile *from, uint32_t stack)
{
	const uint32_t *frames;
	uint32_t n = profile__stack_frames(from, stack, &frames);
	_cleanup_free_ uint32_t *copy = xcalloc(n + 1, sizeof(*copy));

	for (uint32_t i = 0; i < n; i++)
		copy[i] = profile__frame(to, &from->frame_list[frames[i]]);
	return profile__stack(to, copy, n);
}

void profile__merge(struct profile *to, const struct profile *from)
{
	for (size_t i = 0; i < from->n_rows; i++) {
		const struct profile_row *row = &from->rows[i];
		struct profile_labels labels = profile__label_set(from, row->key.labels);
		struct profile_key key = row->key;

		key.comm = profile__comm(to, profile__comm_text(from, row->key.comm));
		key.kernel_stack = profile__copy_stack(to, from, row->key.kernel_stack);
		key.user_stack = profile__copy_stack(to, from, row->key.user_stack);
		key.data = profile__copy_stack(to, from, row->key.data);
		key.labels = profile__labels(to, &labels);
		key.access = profile__copy_access(to, from, row->key.access);
		profile__add_row(to, &key, row);
	}
	for (uint32_t i = 0; i < from->n_other; i++) {
		struct profile_other *sum = profile__other_of(to, i);

		sum->samples += from->other[i].samples;
		sum->weight += from->other[i].weight;
		sum->rows += from->other[i].rows;
	}
}

/* The numbers that stay, by old number. */
struct renumbering {
	uint32_t *comms, *frames, *stacks, *labels, *accesses, *keys;
};

static void rewrite_stack(void *ctx, void *data, size_t size)
{
	const struct renumbering *new = ctx;
	uint32_t *frames = data;

	for (size_t i = 0; i < size / sizeof(*frames); i++)
		frames[i] = new->frames[frames[i]];
}

static void rewrite_key(void *ctx, void *data, size_t size)
{
	const struct renumbering *new = ctx;
	struct profile_key *key = data;

	(void)size;
	key->comm = new->comms[key->comm];
	key->kernel_stack = new->stacks[key->kernel_stack];
	key->user_stack = new->stacks[key->user_stack];
	key->data = new->stacks[key->data];
	key->labels = new->labels[key->labels];
	key->access = new->accesses[key->access];
}

static void mark_used(const struct profile *p, const bool *give_up, size_t n,
		      struct renumbering *used)
{
	for (size_t i = 0; i < p->n_rows; i++) {
		const struct profile_key *key = &p->rows[i].key;

		if (i < n && give_up[i])
			continue;
		used->keys[i + 1] = 1;
		used->comms[key->comm] = 1;
		used->stacks[key->kernel_stack] = 1;
		used->stacks[key->user_stack] = 1;
		used->stacks[key->data] = 1;
		used->labels[key->labels] = 1;
		used->accesses[key->access] = 1;
	}
	used->stacks[0] = 0;
	used->labels[0] = 0;
	used->accesses[0] = 0;
	for (uint32_t s = 1; s < intern__count(&p->stacks); s++) {
		const uint32_t *frames;
		uint32_t depth = used->stacks[s] ? profile__stack_frames(p, s, &frames) : 0;

		while (depth)
			used->frames[frames[--depth]] = 1;
	}
	used->frames[0] = 0;
	used->comms[0] = 0;
}

/* Takes out the first n rows that are given up, and everything that was there for them alone. */
static void profile__compact(struct profile *p, const bool *give_up, size_t n)
{
	_cleanup_free_ uint32_t *comms = xcalloc(intern__count(&p->comms), sizeof(*comms));
	_cleanup_free_ uint32_t *frames = xcalloc(intern__count(&p->frames), sizeof(*frames));
	_cleanup_free_ uint32_t *stacks = xcalloc(intern__count(&p->stacks), sizeof(*stacks));
	_cleanup_free_ uint32_t *labels = xcalloc(intern__count(&p->labels), sizeof(*labels));
	_cleanup_free_ uint32_t *accesses = xcalloc(intern__count(&p->accesses), sizeof(*accesses));
	_cleanup_free_ uint32_t *keys = xcalloc(intern__count(&p->keys), sizeof(*keys));
	struct renumbering new = {comms, frames, stacks, labels, accesses, keys};
	size_t n_rows = p->n_rows, n_frames = p->n_frames;

	mark_used(p, give_up, n, &new);
	intern__keep(&p->comms, comms, NULL, NULL);
	intern__keep(&p->frames, frames, NULL, NULL);
	intern__keep(&p->stacks, stacks, rewrite_stack, &new);
	intern__keep(&p->labels, labels, NULL, NULL);
	intern__keep(&p->accesses, accesses, NULL, NULL);
	intern__keep(&p->keys, keys, rewrite_key, &new);
	p->n_frames = intern__count(&p->frames);
	p->n_rows = intern__count(&p->keys) - 1;
	for (size_t i = 1; i < n_frames; i++) {
		if (frames[i])
			p->frame_list[frames[i]] = p->frame_list[i];
	}
	for (size_t i = 0; i < n_rows; i++) {
		if (!keys[i + 1])
			continue;
		p->rows[keys[i + 1] - 1] = p->rows[i];
		rewrite_key(&new, &p->rows[keys[i + 1] - 1].key, 0);
	}
}

/* Sets ret[i] for the rows [other] of a comm, or for all rows that are no [other]; returns how
 * many. */
static size_t profile__select(struct profile *p, bool others, bool *ret)
{
	uint32_t other = profile__artificial(p, ARTIFICIAL_OTHER);
	uint32_t all = profile__comm(p, artificial_names[ARTIFICIAL_OTHER]);
	size_t n = 0;

	for (size_t i = 0; i < p->n_rows; i++) {
		const struct profile_key *key = &p->rows[i].key;

		ret[i] = (key->user_stack == other) == others && !(others && key->comm == all);
		n += ret[i];
	}
	return n;
}

/*
 * Halves the rows. What is given up goes to [other] of its comm, so that the sums of comms stay
 * right; but comms can be without end, too (threads named by a counter): beyond a quarter of the
 * room the rarest [other] become one.
 */
static void profile__halve(struct profile *p)
{
	size_t n = p->n_rows, room = n / 2;
	_cleanup_free_ bool *rows = xcalloc(n, sizeof(*rows));
	_cleanup_free_ bool *give_up = xcalloc(n, sizeof(*give_up));
	_cleanup_free_ bool *others = NULL, *other_give_up = NULL;
	uint32_t all;

	profile__select(p, false, rows);
	rarest(p->rows, rows, n, room, give_up);
	profile__fold(p, give_up, n, NULL);
	profile__compact(p, give_up, n);

	n = p->n_rows;
	others = xcalloc(n, sizeof(*others));
	other_give_up = xcalloc(n, sizeof(*other_give_up));
	if (profile__select(p, true, others) <= room / 4)
		return;
	all = profile__comm(p, artificial_names[ARTIFICIAL_OTHER]);
	rarest(p->rows, others, n, room / 4, other_give_up);
	profile__fold(p, other_give_up, n, &all);
	profile__compact(p, other_give_up, n);
}

bool profile__full(struct profile *p)
{
	if (!p->grown || !p->trim_at)
		return false;
	p->grown = profile__bytes(p) > p->trim_at;
	return p->grown;
}

bool profile__trim(struct profile *p)
{
	size_t rows, bytes;

	if (!profile__full(p))
		return false;
	p->grown = false;
	do {
		rows = p->n_rows;
		profile__halve(p);
		bytes = profile__bytes(p);
	} while (bytes > p->limit / 4 * 3 && p->n_rows < rows);
	/* a limit that is too small for the least that can remain must not make each sample pay */
	p->trim_at = bytes > p->limit / 4 * 3 ? bytes + bytes / 4 : p->limit;
	p->trims++;
	return true;
}
