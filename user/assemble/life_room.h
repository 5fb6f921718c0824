/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Room for the life records that wait for their turn. The first few of a process have one half;
 * what more it has takes an eighth at most of what is free in the other, so that those that do
 * nothing but fork or map leave room for all who just start.
 */
#ifndef PMUBPF_ASSEMBLE_LIFE_ROOM_H
#define PMUBPF_ASSEMBLE_LIFE_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct life_room {
	size_t limit;     /* bytes */
	size_t few, many; /* of first ones, and of all further ones */
	struct life_share *shares;
};

/* False: there is no room for a record of so many bytes from that process. */
bool life_room__take(struct life_room *room, uint32_t tgid, size_t bytes);
/* Those that waited have had their turn. */
void life_room__clear(struct life_room *room);

#endif
