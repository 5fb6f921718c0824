/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Chains of interpreters' frames, and the objects in them, as the kernel side sent them, by id
 * (pmubpf/python.h). Both travel once, so what is dropped here is forgotten there at the same time;
 * samples that are under way then lack it.
 */
#ifndef PMUBPF_ASSEMBLE_CHAINS_H
#define PMUBPF_ASSEMBLE_CHAINS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/objects.h"
#include "pmubpf/record.h"

struct chains {
	struct chain *by_id;
	struct chain_object *objects_by_id;
	struct objects *objects; /* borrowed; NULL: what objects say is not wanted */
	size_t bytes, limit;     /* 0: any */
};

void chains__object(struct chains *c, const struct pmb_object *rec);
void chains__add(struct chains *c, const struct pmb_stack *rec);
/* The places (model/objects.h) of a chain's frames, leaf first, OBJECT_BOUNDARY behind each that is
 * the last of its native one; ret has room for 2 * PMB_MAX_FRAMES. 0: the chain never came. */
size_t chains__find(const struct chains *c, uint64_t id, uint64_t *ret);
bool chains__full(const struct chains *c);
void chains__forget(struct chains *c, void (*forget)(void *ctx, uint64_t id), void *ctx);
void chains__done(struct chains *c);

#endif
