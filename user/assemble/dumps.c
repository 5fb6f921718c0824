// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "assemble/dumps.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "base/cleanup.h"
#include "base/mem.h"

struct dump_cgroup {
	uint64_t id;
	size_t bytes;
	size_t n_holders;
	UT_hash_handle hh;
};

struct dump_holder {
	struct fair_who who;
	struct dump_cgroup *cgroup;
	struct dump *oldest;
	size_t bytes;
	size_t n; /* dumps, without bytes, too */
	UT_hash_handle hh;
};

static struct dump_cgroup *find_cgroup(struct dumps *dumps, uint64_t id)
{
	struct dump_cgroup *cgroup;

	HASH_FIND(hh, dumps->cgroups, &id, sizeof(id), cgroup);
	if (cgroup)
		return cgroup;
	cgroup = xcalloc(1, sizeof(*cgroup));
	cgroup->id = id;
	HASH_ADD(hh, dumps->cgroups, id, sizeof(cgroup->id), cgroup);
	return cgroup;
}

static struct dump_holder *find_holder(struct dumps *dumps, const struct fair_who *who)
{
	struct dump_holder *holder;

	HASH_FIND(hh, dumps->holders, who, sizeof(*who), holder);
	if (holder)
		return holder;
	holder = xcalloc(1, sizeof(*holder));
	holder->who = *who;
	holder->cgroup = find_cgroup(dumps, who->cgroup);
	holder->cgroup->n_holders++;
	HASH_ADD(hh, dumps->holders, who, sizeof(holder->who), holder);
	return holder;
}

static void forget_holder(struct dumps *dumps, struct dump_holder *holder)
{
	struct dump_cgroup *cgroup = holder->cgroup;

	if (holder->n)
		return;
	HASH_DEL(dumps->holders, holder);
	free(holder);
	if (--cgroup->n_holders)
		return;
	HASH_DEL(dumps->cgroups, cgroup);
	free(cgroup);
}

static void charge(struct dumps *dumps, struct dump *dump, size_t bytes, size_t held)
{
	dump->bytes += bytes;
	dump->held += held;
	dump->holder->bytes += bytes + held;
	dump->holder->cgroup->bytes += bytes + held;
	dumps->bytes += bytes;
	dumps->held += held;
}

/* Its bytes go, and what else is charged. */
static void empty(struct dumps *dumps, struct dump *dump)
{
	if (!dump->rec)
		return;
	free(dump->rec);
	dump->rec = NULL;
	DL_DELETE(dump->holder->oldest, dump);
	charge(dumps, dump, -dump->bytes, -dump->held);
}

static struct dump_cgroup *largest_cgroup(const struct dumps *dumps)
{
	struct dump_cgroup *c, *largest = NULL;

	for (c = dumps->cgroups; c; c = c->hh.next) {
		if (!largest || c->bytes > largest->bytes)
			largest = c;
	}
	return largest;
}

static struct dump_holder *largest_holder(const struct dumps *dumps,
					  const struct dump_cgroup *cgroup)
{
	struct dump_holder *h, *largest = NULL;

	for (h = dumps->holders; h; h = h->hh.next) {
		if (h->cgroup == cgroup && (!largest || h->bytes > largest->bytes))
			largest = h;
	}
	return largest;
}

/* Who loses something when `holder` wants so much more; NULL: nobody has more than it would. */
static struct dump_holder *loser(const struct dumps *dumps, const struct dump_holder *holder,
				 size_t bytes)
{
	struct dump_cgroup *cgroup = largest_cgroup(dumps);
	struct dump_holder *most;

	if (cgroup->bytes <= holder->cgroup->bytes + bytes)
		cgroup = holder->cgroup;
	most = largest_holder(dumps, cgroup);
	return cgroup == holder->cgroup && most->bytes <= holder->bytes + bytes ? NULL : most;
}

/* Either kind has all of the limit. */
static bool make_room(struct dumps *dumps, const size_t *used, const struct dump_holder *holder,
		      size_t bytes)
{
	while (dumps->limit && *used + bytes > dumps->limit) {
		struct dump_holder *from = loser(dumps, holder, bytes);

		if (!from || !from->oldest)
			return false;
		empty(dumps, from->oldest);
		dumps->refused++;
		dumps->gone++;
	}
	return true;
}

void dumps__add(struct dumps *dumps, const struct pmb_stack_dump *rec, const struct fair_who *who)
{
	size_t bytes = sizeof(struct dump) + rec->rec.size;
	struct dump_holder *holder = find_holder(dumps, who);
	struct dump *dump;

	dumps->hurry = true;
	if (!make_room(dumps, &dumps->bytes, holder, bytes)) {
		dumps->refused++;
		forget_holder(dumps, holder);
		return;
	}
	dump = xcalloc(1, sizeof(*dump));
	dump->id = rec->id;
	dump->leaf = rec->frames[0];
	dump->time = rec->rec.time;
	dump->lasts = rec->rec.parts;
	dump->rec = xcalloc(1, rec->rec.size);
	memcpy(dump->rec, rec, rec->rec.size);
	dump->holder = holder;
	holder->n++;
	charge(dumps, dump, bytes, 0);
	DL_APPEND(holder->oldest, dump);
	HASH_ADD(hh, dumps->by_id, id, sizeof(dump->id), dump);
}

struct dump *dumps__take(struct dumps *dumps, uint64_t id)
{
	struct dump *dump;

	HASH_FIND(hh, dumps->by_id, &id, sizeof(id), dump);
	if (!dump)
		return NULL;
	HASH_DEL(dumps->by_id, dump);
	if (dump->rec)
		return dump;
	dumps__free(dumps, dump);
	return NULL;
}

struct dump *dumps__lend(struct dumps *dumps, uint64_t id)
{
	struct dump *dump = dumps__take(dumps, id);
	_cleanup_free_ struct pmb_stack_dump *copy = NULL;

	if (!dump)
		return NULL;
	copy = xcalloc(1, dump->rec->rec.size); /* the one at hand may have to go for it */
	memcpy(copy, dump->rec, dump->rec->rec.size);
	dumps__add(dumps, copy, &dump->holder->who);
	return dump;
}

bool dumps__hold(struct dumps *dumps, struct dump *dump, size_t bytes)
{
	if (!make_room(dumps, &dumps->held, dump->holder, bytes) || !dump->rec)
		return false;
	charge(dumps, dump, 0, bytes);
	return true;
}

void dumps__free(struct dumps *dumps, struct dump *dump)
{
	dumps->gone -= !dump->rec;
	empty(dumps, dump);
	dump->holder->n--;
	forget_holder(dumps, dump->holder);
	free(dump);
}

void dumps__sweep(struct dumps *dumps, uint64_t before)
{
	struct dump *dump, *next;

	HASH_ITER(hh, dumps->by_id, dump, next) {
		if (dump->time >= before || (dump->lasts && dump->rec && before != UINT64_MAX))
			continue;
		HASH_DEL(dumps->by_id, dump);
		dumps__free(dumps, dump);
	}
}

void dumps__done(struct dumps *dumps)
{
	dumps__sweep(dumps, UINT64_MAX);
}
