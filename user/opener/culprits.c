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

/* One that is stuck was about the same process, or for other reasons is the same one's doing. */
static bool holds_too_many(const struct culprits *all, const struct opener_subject *who)
{
	unsigned user = 0, cgroup = 0, mounts = 0, device = 0, allowed = CULPRIT_STUCK;

	if (all->n_stuck >= MAX_STUCK / 2)
		allowed = 1;
	for (uint32_t i = 0; i < all->n_stuck && i < MAX_STUCK; i++) {
		const struct opener_subject *s = &all->stuck[i];

		if (who->tgid > 0 && s->tgid == who->tgid)
			return true;
		user += who->uid && s->uid == who->uid;
		cgroup += who->cgroup && s->cgroup == who->cgroup;
		mounts += who->mnt_ns && s->mnt_ns == who->mnt_ns;
		device += who->dev && s->dev == who->dev;
	}
	return user >= allowed || cgroup >= allowed || mounts >= allowed || device >= allowed;
}

bool culprits__refuse(const struct culprits *all, const struct opener_subject *who, uint64_t now_ns)
{
	uint64_t ids[CULPRIT_MOUNTS];

	if (holds_too_many(all, who))
		return true;
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
