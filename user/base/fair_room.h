/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Room that all processes share, none of which is trusted. The first few units of a process have
 * one half; what more it has takes an eighth at most of what is free in the other, so that those
 * that want all of it leave some for all who just start. All processes of a cgroup together have at
 * most as much of either half as they leave: however many they are, others' are taken.
 */
#ifndef PMUBPF_BASE_FAIR_ROOM_H
#define PMUBPF_BASE_FAIR_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that it costs to know of a process that has some. */
enum { FAIR_COST = 96 };

enum fair_half { FAIR_FEW, FAIR_MANY, N_FAIR_HALVES };

/* Whose doing it is. */
struct fair_who {
	uint64_t tgid;
	uint64_t cgroup; /* 0: of all whose cgroup isn't known */
};

struct fair_room {
	size_t limit, few; /* in units of the owner's */
	size_t cost;       /* FAIR_COST, where the units are bytes: else 0 */
	size_t used[N_FAIR_HALVES];
	struct fair_share *shares;
	struct fair_cgroup *cgroups;
};

enum fair_fate { FAIR_TAKEN, FAIR_NO_ROOM, FAIR_CGROUP_HAS_ITS_SHARE };

/* What would become of taking it. */
enum fair_fate fair_room__would(const struct fair_room *room, const struct fair_who *who, size_t n);
enum fair_fate fair_room__take(struct fair_room *room, const struct fair_who *who, size_t n);
/* What was taken, by the same, all at once or bit by bit. */
void fair_room__give(struct fair_room *room, const struct fair_who *who, size_t n);
/* Everybody gives all back. */
void fair_room__clear(struct fair_room *room);

/* Room for so many in 0.1 s: then everybody has given all back. */
struct fair_turn {
	struct fair_room room;
	uint64_t until_ns;
};

/* False: it has to be asked again. */
bool fair_turn__has(struct fair_turn *turn, const struct fair_who *who, uint64_t now_ns);

#endif
