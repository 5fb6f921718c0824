// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/branch_records.h"

#include <stdlib.h>

#include "base/mem.h"
#include "model/intern.h"

struct key {
	struct frame from, to;
	uint64_t kind;
};

struct branch_records {
	struct intern keys;        /* struct key */
	struct branch_pair *pairs; /* by number - 1 */
	size_t n, cap;
	struct branch_counts other[N_BRANCH_KINDS];
	size_t limit;
};

struct branch_records *branch_records__new(size_t limit)
{
	struct branch_records *b = xcalloc(1, sizeof(*b));

	b->limit = limit;
	return b;
}

struct branch_records *branch_records__free(struct branch_records *b)
{
	if (!b)
		return NULL;
	intern__done(&b->keys);
	free(b->pairs);
	free(b);
	return NULL;
}

size_t branch_records__bytes(const struct branch_records *b)
{
	return intern__bytes(&b->keys) + b->n * sizeof(*b->pairs);
}

static bool is_full(const struct branch_records *b)
{
	return b->limit &&
	       branch_records__bytes(b) + sizeof(struct key) + sizeof(struct branch_pair) >
		       b->limit;
}

/* NULL: there is no room for it. */
static struct branch_pair *pair_of(struct branch_records *b, const struct key *key)
{
	uint32_t number = intern__find(&b->keys, key, sizeof(*key));

	if (number)
		return &b->pairs[number - 1];
	if (is_full(b))
		return NULL;
	intern__add(&b->keys, key, sizeof(*key));
	GROW(b->pairs, b->n, b->cap);
	b->pairs[b->n] = (struct branch_pair){.from = key->from, .to = key->to, .kind = key->kind};
	return &b->pairs[b->n++];
}

bool branch_records__add(struct branch_records *b, enum branch_kind kind, const struct frame *from,
			 const struct frame *to, const struct branch_counts *counts)
{
	const struct key key = {*from, *to, kind};
	struct branch_pair *pair = pair_of(b, &key);

	branch_counts__add(pair ? &pair->counts : &b->other[kind], counts);
	return pair != NULL;
}

size_t branch_records__pairs(const struct branch_records *b, const struct branch_pair **ret)
{
	*ret = b->pairs;
	return b->n;
}

struct branch_counts branch_records__other(const struct branch_records *b, enum branch_kind kind)
{
	return b->other[kind];
}

void branch_records__in_profile(struct branch_records *b, struct profile *profile)
{
	for (size_t i = 0; b && i < b->n; i++) {
		b->pairs[i].ids[0] = profile__frame(profile, &b->pairs[i].from);
		b->pairs[i].ids[1] = profile__frame(profile, &b->pairs[i].to);
	}
}
