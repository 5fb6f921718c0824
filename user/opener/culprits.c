// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "opener/culprits.h"

#define FIRST_PAUSE_NS 500000000ULL

enum { PAUSE_DOUBLINGS = 7 }; /* 64 s */

static bool is(const struct culprit *c, uint32_t kind, uint64_t id)
{
	return c->kind == kind && c->id == id;
}

static bool is_refused(const struct culprit *c, uint64_t now_ns)
{
	uint32_t allowed = c->kind == CULPRIT_PROCESS ? 1 : CULPRIT_STRIKES;

	return c->strikes >= allowed && now_ns < c->until_ns;
}

/* What it is known by; 0: not at all. */
static void ids_of(const struct opener_subject *who, uint64_t ret[CULPRIT_MOUNTS])
{
	ret[0] = who->tgid > 0 ? (uint64_t)who->tgid : 0;
	ret[1] = who->uid;
	ret[2] = who->cgroup;
	ret[3] = who->mnt_ns;
}

bool culprits__refuse(const struct culprits *all, const struct opener_subject *who, uint64_t now_ns)
{
	uint64_t ids[CULPRIT_MOUNTS];

	ids_of(who, ids);
	for (int i = 0; i < MAX_CULPRITS && all->list[i].kind; i++) {
		const struct culprit *c = &all->list[i];

		if (ids[c->kind - CULPRIT_PROCESS] == c->id && is_refused(c, now_ns))
			return true;
	}
	return false;
}

/* Its place, or that of whom was refused the longest time ago. */
static struct culprit *place_of(struct culprits *all, uint32_t kind, uint64_t id)
{
	struct culprit *oldest = &all->list[0];

	for (int i = 0; i < MAX_CULPRITS; i++) {
		struct culprit *c = &all->list[i];

		if (!c->kind || is(c, kind, id))
			return c;
		if (c->until_ns < oldest->until_ns)
			oldest = c;
	}
	*oldest = (struct culprit){0};
	return oldest;
}

void culprits__strike(struct culprits *all, const struct opener_subject *who, uint64_t now_ns)
{
	uint64_t ids[CULPRIT_MOUNTS];

	ids_of(who, ids);
	for (uint32_t kind = CULPRIT_PROCESS; kind <= CULPRIT_MOUNTS; kind++) {
		uint64_t id = ids[kind - CULPRIT_PROCESS];
		struct culprit *c = id ? place_of(all, kind, id) : NULL;
		uint32_t first = kind == CULPRIT_PROCESS ? 1 : CULPRIT_STRIKES, doublings;

		if (!c)
			continue;
		c->id = id;
		c->kind = kind;
		c->strikes++;
		doublings = c->strikes > first ? c->strikes - first : 0;
		if (doublings > PAUSE_DOUBLINGS)
			doublings = PAUSE_DOUBLINGS;
		c->until_ns = now_ns + (FIRST_PAUSE_NS << doublings);
	}
}
