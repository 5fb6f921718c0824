// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/fair_room.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "pmubpf/budgets.h"

/* Who has had its share waits for the next. */
static const uint64_t TURN_NS = 100000000;

struct fair_cgroup {
	uint64_t id;
	size_t used[N_FAIR_HALVES];
	size_t n_shares;
	UT_hash_handle hh;
};

struct fair_share {
	struct fair_who who;
	size_t used[N_FAIR_HALVES];
	struct fair_cgroup *cgroup;
	UT_hash_handle hh;
};

_Static_assert(sizeof(struct fair_share) == FAIR_COST, "not what is said");

static struct fair_share *find_share(const struct fair_room *room, const struct fair_who *who)
{
	struct fair_share *share;

	HASH_FIND(hh, room->shares, who, sizeof(*who), share);
	return share;
}

static struct fair_cgroup *find_cgroup(const struct fair_room *room, uint64_t id)
{
	struct fair_cgroup *cgroup;

	HASH_FIND(hh, room->cgroups, &id, sizeof(id), cgroup);
	return cgroup;
}

static size_t used_by(const struct fair_share *share)
{
	return share ? share->used[FAIR_FEW] + share->used[FAIR_MANY] : 0;
}

static enum fair_half half_of(const struct fair_room *room, const struct fair_share *share,
			      size_t n)
{
	return used_by(share) + n <= room->few ? FAIR_FEW : FAIR_MANY;
}

/* n: with what it costs to know of it. */
static enum fair_fate fate_of(const struct fair_room *room, const struct fair_share *share,
			      const struct fair_cgroup *cgroup, size_t n)
{
	enum fair_half of = half_of(room, share, n);
	size_t had = used_by(share);
	size_t half = room->limit / 2, free = half - room->used[of];
	size_t had_by_cgroup = cgroup ? cgroup->used[of] : 0;

	if (n > free || (of == FAIR_MANY && had + n > room->few + free / BUDGET_SHARE_OF_ONE))
		return FAIR_NO_ROOM;
	if (had_by_cgroup + n > (free + had_by_cgroup) / BUDGET_SHARE_OF_CGROUP)
		return FAIR_CGROUP_HAS_ITS_SHARE;
	return FAIR_TAKEN;
}

enum fair_fate fair_room__would(const struct fair_room *room, const struct fair_who *who, size_t n)
{
	const struct fair_share *share = find_share(room, who);

	return fate_of(room, share, share ? share->cgroup : find_cgroup(room, who->cgroup),
		       n + (share ? 0 : room->cost));
}

static struct fair_share *add_share(struct fair_room *room, const struct fair_who *who,
				    struct fair_cgroup *cgroup)
{
	struct fair_share *share = xcalloc(1, sizeof(*share));

	if (!cgroup) {
		cgroup = xcalloc(1, sizeof(*cgroup));
		cgroup->id = who->cgroup;
		HASH_ADD(hh, room->cgroups, id, sizeof(cgroup->id), cgroup);
	}
	cgroup->n_shares++;
	share->who = *who;
	share->cgroup = cgroup;
	HASH_ADD(hh, room->shares, who, sizeof(share->who), share);
	return share;
}

static void remove_share(struct fair_room *room, struct fair_share *share)
{
	struct fair_cgroup *cgroup = share->cgroup;

	HASH_DEL(room->shares, share);
	free(share);
	if (--cgroup->n_shares)
		return;
	HASH_DEL(room->cgroups, cgroup);
	free(cgroup);
}

enum fair_fate fair_room__take(struct fair_room *room, const struct fair_who *who, size_t n)
{
	struct fair_share *share = find_share(room, who);
	struct fair_cgroup *cgroup = share ? share->cgroup : find_cgroup(room, who->cgroup);
	enum fair_half of;
	enum fair_fate fate;

	n += share ? 0 : room->cost;
	of = half_of(room, share, n);
	fate = fate_of(room, share, cgroup, n);
	if (fate != FAIR_TAKEN)
		return fate;
	if (!share)
		share = add_share(room, who, cgroup);
	share->used[of] += n;
	share->cgroup->used[of] += n;
	room->used[of] += n;
	return FAIR_TAKEN;
}

static size_t give_half(struct fair_room *room, struct fair_share *share, enum fair_half of,
			size_t n)
{
	size_t given = n < share->used[of] ? n : share->used[of];

	share->used[of] -= given;
	share->cgroup->used[of] -= given;
	room->used[of] -= given;
	return n - given;
}

void fair_room__give(struct fair_room *room, const struct fair_who *who, size_t n)
{
	struct fair_share *share = find_share(room, who);

	if (!share)
		return;
	if (used_by(share) <= n + room->cost)
		n += room->cost;
	give_half(room, share, FAIR_FEW, give_half(room, share, FAIR_MANY, n));
	if (!used_by(share))
		remove_share(room, share);
}

void fair_room__clear(struct fair_room *room)
{
	struct fair_share *share, *next;

	HASH_ITER(hh, room->shares, share, next)
		remove_share(room, share);
	room->used[FAIR_FEW] = room->used[FAIR_MANY] = 0;
}

bool fair_turn__has(struct fair_turn *turn, const struct fair_who *who, uint64_t now_ns)
{
	if (now_ns >= turn->until_ns) {
		fair_room__clear(&turn->room);
		turn->until_ns = now_ns + TURN_NS;
	}
	return fair_room__take(&turn->room, who, 1) == FAIR_TAKEN;
}
