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

bool life_room__take(struct life_room *room, uint32_t tgid, size_t bytes)
{
	struct life_share *share;
	size_t had, half = room->limit / 2, *of;

	HASH_FIND(hh, room->shares, &tgid, sizeof(tgid), share);
	/* a share costs room, too: processes without end would have one each */
	bytes += share ? 0 : sizeof(*share);
	had = share ? share->bytes : 0;
	of = had + bytes <= FEW_BYTES ? &room->few : &room->many;
	if (of == &room->few ? *of + bytes > half :
			       had + bytes > FEW_BYTES + (half - *of) / BUDGET_LIVES_SHARE)
		return false;
	if (!share) {
		share = xcalloc(1, sizeof(*share));
		share->tgid = tgid;
		HASH_ADD(hh, room->shares, tgid, sizeof(share->tgid), share);
	}
	share->bytes += bytes;
	*of += bytes;
	return true;
}

void life_room__clear(struct life_room *room)
{
	struct life_share *share, *next;

	HASH_ITER(hh, room->shares, share, next) {
		HASH_DEL(room->shares, share);
		free(share);
	}
	room->few = room->many = 0;
}
