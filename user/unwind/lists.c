// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unwind/lists.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/mem.h"

struct entry {
	uint32_t tgid;
	uint64_t generation;
	uint64_t used;     /* number of its latest sample */
	uint32_t runtimes; /* which of them were known */
	struct pmb_process list;
	UT_hash_handle hh;
};

/* The latest mappings of files of which it may not be known yet that they are interpreters. */
enum { EARLY_MAX = 256 };

struct early {
	uint32_t tgid; /* 0: it has ended, or is another program */
	struct mapping mapping;
};

struct lists {
	struct entry *by_tgid;
	struct store *store;
	const struct runtimes *runtimes;
	lists_set_fn set;
	void *ctx;
	uint64_t samples;
	struct early early[EARLY_MAX];
	uint32_t n_early;        /* in all; modulo EARLY_MAX it is the next place */
	uint32_t runtimes_known; /* when these were looked at last */
};

/* At once: room is given back after a while only, and what is looked for may need a run of them. */
enum { MAKE_ROOM = PMB_MAPPINGS_MAX / 16 };

struct lists *lists__new(struct store *store, const struct runtimes *runtimes, lists_set_fn set,
			 void *ctx)
{
	struct lists *l = xcalloc(1, sizeof(*l));

	*l = (struct lists){.store = store, .runtimes = runtimes, .set = set, .ctx = ctx};
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

static int by_use(const void *a, const void *b)
{
	const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;

	return (x->used > y->used) - (x->used < y->used);
}

/* Their next sample sends them again. One batch at a time: what left in the last one isn't given
 * back yet. */
static void make_room(struct lists *l)
{
	size_t n = HASH_COUNT(l->by_tgid), i = 0, left = 0;
	_cleanup_free_ struct entry **all = NULL;
	struct entry *e, *next;

	if (!n || store__lists_leaving(l->store) >= MAKE_ROOM)
		return;
	all = xcalloc(n, sizeof(*all));
	HASH_ITER(hh, l->by_tgid, e, next)
		all[i++] = e;
	qsort(all, n, sizeof(*all), by_use);
	for (i = 0; i < n && left < MAKE_ROOM; i++) {
		left += all[i]->list.n;
		l->set(l->ctx, all[i]->tgid, NULL);
		drop(l, all[i]);
	}
}

/* One that has become known since the list was sent. */
static void update_runtime(struct lists *l, struct entry *e, const struct mappings *mappings)
{
	struct pmb_process list = e->list;

	e->runtimes = runtimes__version(l->runtimes);
	list.runtime = runtimes__of(l->runtimes, mappings, &list.runtime_at);
	if (!list.runtime || /* of a sample before it was mapped */
	    (list.runtime == e->list.runtime && list.runtime_at == e->list.runtime_at))
		return;
	if (l->set(l->ctx, e->tgid, &list) == 0)
		e->list = list;
}

static struct entry *find(const struct lists *l, uint32_t tgid)
{
	struct entry *e;

	HASH_FIND(hh, l->by_tgid, &tgid, sizeof(tgid), e);
	return e;
}

static struct entry *add(struct lists *l, uint32_t tgid)
{
	struct entry *e = xcalloc(1, sizeof(*e));

	e->tgid = tgid;
	e->used = ++l->samples;
	HASH_ADD(hh, l->by_tgid, tgid, sizeof(e->tgid), e);
	return e;
}

static void put_runtime(struct lists *l, uint32_t tgid, uint32_t runtime, uint64_t at)
{
	const struct pmb_process list = {.runtime = runtime, .runtime_at = at};

	if (runtime && !find(l, tgid) && l->set(l->ctx, tgid, &list) == 0)
		add(l, tgid)->list = list;
}

void lists__mapped(struct lists *l, uint32_t tgid, const struct mapping *mapping)
{
	const struct entry *e = find(l, tgid);
	__u64 at;
	uint32_t runtime = runtimes__in(l->runtimes, mapping, &at);

	/* an exec maps the program, and then ends: only then the kernel side forgets what it knows
	 * of the process, which may have been this. Libraries are mapped later. */
	if (e && !e->list.n)
		l->set(l->ctx, tgid, &e->list);
	put_runtime(l, tgid, runtime, at);
	if (!runtime)
		l->early[l->n_early++ % EARLY_MAX] = (struct early){tgid, *mapping};
}

void lists__learn(struct lists *l)
{
	__u64 at;

	if (l->runtimes_known == runtimes__version(l->runtimes))
		return;
	l->runtimes_known = runtimes__version(l->runtimes);
	for (uint32_t i = 0; i < EARLY_MAX; i++) {
		const struct early *e = &l->early[i];
		uint32_t runtime = e->tgid ? runtimes__in(l->runtimes, &e->mapping, &at) : 0;

		put_runtime(l, e->tgid, runtime, at);
	}
}

static void forget_early(struct lists *l, uint32_t tgid)
{
	for (uint32_t i = 0; i < EARLY_MAX && i < l->n_early; i++) {
		if (l->early[i].tgid == tgid)
			l->early[i].tgid = 0;
	}
}

void lists__forked(struct lists *l, uint32_t tgid, uint32_t parent_tgid)
{
	const struct entry *parent = find(l, parent_tgid);

	if (parent)
		put_runtime(l, tgid, parent->list.runtime, parent->list.runtime_at);
}

void lists__put(struct lists *l, uint32_t tgid, uint64_t generation, uint64_t stack_top,
		const struct mappings *mappings)
{
	struct entry *e = find(l, tgid);
	struct pmb_process list;

	if (e)
		e->used = ++l->samples;
	if (e && e->generation == generation && e->list.stack_top == stack_top) {
		if (e->runtimes != runtimes__version(l->runtimes))
			update_runtime(l, e, mappings);
		return;
	}
	if (!store__put_list(l->store, mappings, &list)) {
		if (mappings__count(mappings) <= PMB_LIST_MAX)
			make_room(l);
		return; /* the next sample tries again; meanwhile dumps travel */
	}
	list.stack_top = stack_top;
	list.runtime = runtimes__of(l->runtimes, mappings, &list.runtime_at);
	if (!list.runtime && e) { /* mapped since */
		list.runtime = e->list.runtime;
		list.runtime_at = e->list.runtime_at;
	}
	if (l->set(l->ctx, tgid, &list) < 0) {
		store__forget_list(l->store, &list);
		return;
	}
	if (!e)
		e = add(l, tgid);
	else
		store__forget_list(l->store, &e->list);
	e->generation = generation;
	e->runtimes = runtimes__version(l->runtimes);
	e->list = list;
}

void lists__forget(struct lists *l, uint32_t tgid)
{
	struct entry *e = find(l, tgid);

	if (l->n_early)
		forget_early(l, tgid);
	if (!e)
		return;
	l->set(l->ctx, tgid, NULL);
	drop(l, e);
}
