/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Room for the life records that wait for their turn. The first few of a process have one half;
 * what more it has takes an eighth at most of what is free in the other, so that those that do
 * nothing but fork or map leave room for all who just start. All processes of a cgroup together
 * have at most as much of either half as they leave: however many they are, others' are taken.
 */
#ifndef PMUBPF_ASSEMBLE_LIFE_ROOM_H
#define PMUBPF_ASSEMBLE_LIFE_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum life_half { LIFE_FEW, LIFE_MANY, N_LIFE_HALVES };

struct life_room {
	size_t limit;               /* bytes */
	size_t used[N_LIFE_HALVES]; /* of first ones, and of all further ones */
	struct life_share *shares;
	struct life_cgroup *cgroups;
};

enum life_fate { LIFE_TAKEN, LIFE_NO_ROOM, LIFE_CGROUP_HAS_ITS_SHARE };

/* Whether there is room for a record of so many bytes from that process. cgroup: 0 for all whose
 * cgroup isn't known. */
enum life_fate life_room__take(struct life_room *room, uint32_t tgid, uint64_t cgroup,
			       size_t bytes);
/* Those that waited have had their turn. */
void life_room__clear(struct life_room *room);

#endif
