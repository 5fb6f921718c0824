// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "assemble/life_room.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "pmubpf/budgets.h"

/* What a program with 20 libraries has at its start. */
enum { FEW_BYTES = 4096 };

struct life_share {
	uint32_t tgid;
	size_t bytes;
	UT_hash_handle hh;
};

struct life_cgroup {
	uint64_t id;
	size_t used[N_LIFE_HALVES];
	UT_hash_handle hh;
};

static struct life_share *find_share(const struct life_room *room, uint32_t tgid)
{
	struct life_share *share;

	HASH_FIND(hh, room->shares, &tgid, sizeof(tgid), share);
	return share;
}

static struct life_cgroup *find_cgroup(const struct life_room *room, uint64_t id)
{
	struct life_cgroup *cgroup;

	HASH_FIND(hh, room->cgroups, &id, sizeof(id), cgroup);
	return cgroup;
}

static enum life_fate fate_of(const struct life_room *room, enum life_half of, size_t had,
			      const struct life_cgroup *cgroup, size_t bytes)
{
	size_t half = room->limit / 2, free = half - room->used[of];
	size_t had_by_cgroup = cgroup ? cgroup->used[of] : 0;

	if (bytes > free ||
	    (of == LIFE_MANY && had + bytes > FEW_BYTES + free / BUDGET_LIVES_SHARE))
		return LIFE_NO_ROOM;
	if (had_by_cgroup + bytes > (free + had_by_cgroup) / BUDGET_LIVES_OF_CGROUP)
		return LIFE_CGROUP_HAS_ITS_SHARE;
	return LIFE_TAKEN;
}

enum life_fate life_room__take(struct life_room *room, uint32_t tgid, uint64_t cgroup, size_t bytes)
{
	struct life_share *share = find_share(room, tgid);
	struct life_cgroup *of_cgroup = find_cgroup(room, cgroup);
	size_t had = share ? share->bytes : 0;
	enum life_half of;
	enum life_fate fate;

	/* a share costs room, too: processes without end would have one each */
	bytes += share ? 0 : sizeof(*share);
	of = had + bytes <= FEW_BYTES ? LIFE_FEW : LIFE_MANY;
	fate = fate_of(room, of, had, of_cgroup, bytes);
	if (fate != LIFE_TAKEN)
		return fate;
	if (!share) {
		share = xcalloc(1, sizeof(*share));
		share->tgid = tgid;
		HASH_ADD(hh, room->shares, tgid, sizeof(share->tgid), share);
	}
	if (!of_cgroup) {
		of_cgroup = xcalloc(1, sizeof(*of_cgroup));
		of_cgroup->id = cgroup;
		HASH_ADD(hh, room->cgroups, id, sizeof(of_cgroup->id), of_cgroup);
	}
	share->bytes += bytes;
	of_cgroup->used[of] += bytes;
	room->used[of] += bytes;
	return LIFE_TAKEN;
}

void life_room__clear(struct life_room *room)
{
	struct life_share *share, *next;
	struct life_cgroup *cgroup, *after;

	HASH_ITER(hh, room->shares, share, next) {
		HASH_DEL(room->shares, share);
		free(share);
	}
	HASH_ITER(hh, room->cgroups, cgroup, after) {
		HASH_DEL(room->cgroups, cgroup);
		free(cgroup);
	}
	room->used[LIFE_FEW] = room->used[LIFE_MANY] = 0;
}
