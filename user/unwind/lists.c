// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unwind/lists.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

struct entry {
	uint32_t tgid;
	uint64_t generation;
	struct pmb_process list;
	UT_hash_handle hh;
};

struct lists {
	struct entry *by_tgid;
	struct store *store;
	lists_set_fn set;
	void *ctx;
};

struct lists *lists__new(struct store *store, lists_set_fn set, void *ctx)
{
	struct lists *l = xcalloc(1, sizeof(*l));

	*l = (struct lists){.store = store, .set = set, .ctx = ctx};
	return l;
}

static void drop(struct lists *l, struct entry *e)
{
	store__forget_list(l->store, &e->list);
	HASH_DEL(l->by_tgid, e);
	free(e);
}

struct lists *lists__free(struct lists *l)
{
	struct entry *e, *next;

	if (!l)
		return NULL;
	HASH_ITER(hh, l->by_tgid, e, next)
		drop(l, e);
	free(l);
	return NULL;
}

void lists__put(struct lists *l, uint32_t tgid, uint64_t generation, uint64_t stack_top,
		const struct mappings *mappings)
{
	struct pmb_process list;
	struct entry *e;

	HASH_FIND(hh, l->by_tgid, &tgid, sizeof(tgid), e);
	if (e && e->generation == generation && e->list.stack_top == stack_top)
		return;
	if (!store__put_list(l->store, mappings, &list))
		return; /* the next sample tries again; meanwhile slices travel */
	list.stack_top = stack_top;
	if (l->set(l->ctx, tgid, &list) < 0) {
		store__forget_list(l->store, &list);
		return;
	}
	if (!e) {
		e = xcalloc(1, sizeof(*e));
		e->tgid = tgid;
		HASH_ADD(hh, l->by_tgid, tgid, sizeof(e->tgid), e);
	} else {
		store__forget_list(l->store, &e->list);
	}
	e->generation = generation;
	e->list = list;
}

void lists__forget(struct lists *l, uint32_t tgid)
{
	struct entry *e;

	HASH_FIND(hh, l->by_tgid, &tgid, sizeof(tgid), e);
	if (!e)
		return;
	l->set(l->ctx, tgid, NULL);
	drop(l, e);
}
