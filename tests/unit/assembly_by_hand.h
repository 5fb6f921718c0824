/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For tests that hand records to an assembly: everybody may be sampled, time passes with each look,
 * and unwind tables are there, or not yet. */
#ifndef TESTS_UNIT_ASSEMBLY_BY_HAND_H
#define TESTS_UNIT_ASSEMBLY_BY_HAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assemble/assembly.h"

/* No process of this machine has such a number: /proc has nothing to tell. */
enum { APART = 1 << 23 };

static struct files *files;
static struct assembly assembly;
static bool table_is_there;

static inline uint64_t now(void)
{
	static uint64_t clock_ns;

	return ++clock_ns;
}

static inline bool no_idle_loop(void *ctx, uint64_t ip)
{
	(void)ctx;
	return !ip;
}

static inline bool everybody(void *ctx, uint32_t tgid)
{
	(void)ctx;
	return tgid;
}

/* A walk of one frame. */
static inline enum pmb_unwind_status walk_once(void *ctx, const struct mappings *maps,
					       const struct pmb_stack_dump *dump, uint64_t cgroup,
					       struct late_stack *ret)
{
	(void)ctx, (void)maps, (void)cgroup;
	*ret = (struct late_stack){.n = 1, .missing = !table_is_there};
	ret->frames[0] = dump->frames[0];
	return table_is_there ? PMB_END_COMPLETE : PMB_END_NO_TABLE;
}

static inline bool awaits_table(void *ctx, uint32_t file)
{
	(void)ctx;
	return file && !table_is_there;
}

/* Of one frame. */
static inline void hand_stack(uint64_t time, uint64_t id, uint64_t pc)
{
	struct pmb_stack s = {
		.rec = {.type = PMB_REC_STACK, .time = time},
		.id = id,
		.tgid = APART,
		.n = 1,
		.frames = {pc},
	};

	s.rec.size = (uint32_t)offsetof(struct pmb_stack, frames) + sizeof(s.frames[0]);
	assembly__record(&assembly, &s, s.rec.size);
}

/* Of one frame, whose caller is to be found. */
static inline void hand_dump(uint64_t time, uint64_t id, uint64_t pc)
{
	struct pmb_stack_dump s = {
		.rec = {.type = PMB_REC_STACK_DUMP, .time = time},
		.id = id,
		.tgid = APART,
		.n = 1,
		.frames = {pc},
	};

	s.rec.size = (uint32_t)offsetof(struct pmb_stack_dump, frames) + sizeof(s.frames[0]);
	assembly__record(&assembly, &s, s.rec.size);
}

#endif
