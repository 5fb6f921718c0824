// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/hotspot_scopes.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "symd/hotspot_stream.h"

/* pcDesc.hpp, unchanged from 8 to 25. */
struct pc_desc {
	int32_t off, scope, objects, flags;
};

/* Where a part lies. */
struct part {
	uint64_t from, to;
};

struct parts {
	struct part methods, pcs, data;
};

static uint64_t member(const uint8_t *head, size_t n_head, uint32_t at, size_t size)
{
	uint64_t value = 0;

	if (at && at + size <= n_head)
		memcpy(&value, head + at, size);
	return value;
}

/* Parts of the blob, one behind the other: up to 22. */
static void find_own(const struct hotspot_layout *l, uint64_t blob, const uint8_t *head, size_t n,
		     struct parts *ret)
{
	uint64_t pcs = blob + member(head, n, l->scopes_pcs, 4), data;

	data = l->scopes_data ? member(head, n, l->scopes_data, 8) :
				blob + member(head, n, l->scopes_data_off, 4);
	ret->methods = (struct part){blob + member(head, n, l->metadata, 4), data};
	ret->data = (struct part){data, pcs};
	ret->pcs = (struct part){pcs, blob + member(head, n, l->dependencies, 4)};
}

/* In two places of memory that aren't code: since 25. */
static void find_others(const struct hotspot_layout *l, const uint8_t *head, size_t n,
			struct parts *ret)
{
	uint64_t own = member(head, n, l->immutable, 8), other = member(head, n, l->mutable_, 8);
	uint64_t data = own + member(head, n, l->scopes_data_off, 4);

	ret->pcs = (struct part){own + member(head, n, l->scopes_pcs, 4), data};
	ret->data = (struct part){data, own + member(head, n, l->immutable_size, 4)};
	ret->methods = (struct part){other + member(head, n, l->relocation_size, 4),
				     other + member(head, n, l->mutable_size, 4)};
}

static bool find_parts(const struct hotspot_layout *l, uint64_t blob, const uint8_t *head, size_t n,
		       struct parts *ret)
{
	if (!l->scopes_pcs)
		return false;
	if (!l->immutable && l->metadata && l->dependencies &&
	    (l->scopes_data || l->scopes_data_off)) {
		find_own(l, blob, head, n, ret);
		return true;
	}
	if (!l->immutable || !l->immutable_size || !l->scopes_data_off || !l->mutable_ ||
	    !l->mutable_size || !l->relocation_size)
		return false;
	find_others(l, head, n, ret);
	return true;
}

static bool size_of(const struct part *p, size_t *sum)
{
	if (p->from >= p->to || p->to - p->from > HOTSPOT_SCOPES_MAX)
		return false;
	*sum += p->to - p->from;
	return *sum <= HOTSPOT_SCOPES_MAX;
}

static bool take(struct target_memory *memory, const struct part *p, struct hotspot_scopes *s,
		 size_t *at)
{
	*at = s->size;
	s->size += p->to - p->from;
	return target_memory__read(memory, p->from, s->bytes + *at, p->to - p->from);
}

struct hotspot_scopes *hotspot_scopes__read(struct target_memory *memory,
					    const struct hotspot_layout *layout, uint64_t blob,
					    const uint8_t *head, size_t n_head)
{
	struct parts p = {0};
	struct hotspot_scopes *s;
	size_t sum = 0;

	if (!find_parts(layout, blob, head, n_head, &p) || !size_of(&p.methods, &sum) ||
	    !size_of(&p.pcs, &sum) || !size_of(&p.data, &sum))
		return NULL;
	s = xcalloc(1, sizeof(*s) + sum);
	if (!take(memory, &p.methods, s, &s->methods_at) || !take(memory, &p.pcs, s, &s->pcs_at) ||
	    !take(memory, &p.data, s, &s->data_at)) {
		free(s);
		return NULL;
	}
	s->n_methods = (p.methods.to - p.methods.from) / sizeof(uint64_t);
	s->n_pcs = (p.pcs.to - p.pcs.from) / sizeof(struct pc_desc);
	s->n_data = p.data.to - p.data.from;
	s->without_zero = layout->without_zero;
	return s;
}

static struct pc_desc pc_at(const struct hotspot_scopes *s, size_t i)
{
	struct pc_desc pc;

	memcpy(&pc, s->bytes + s->pcs_at + i * sizeof(pc), sizeof(pc));
	return pc;
}

/* The first that isn't before it; the first and the last of all are marks. */
static uint32_t find_scope(const struct hotspot_scopes *s, uint32_t off)
{
	size_t low = 0, high = s->n_pcs;
	struct pc_desc pc;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (pc_at(s, mid).off < (int64_t)off)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == s->n_pcs)
		return 0;
	pc = pc_at(s, low);
	return pc.off == INT32_MAX || pc.scope < 0 ? 0 : (uint32_t)pc.scope;
}

size_t hotspot_scopes__at(const struct hotspot_scopes *s, uint32_t off,
			  struct hotspot_scope ret[HOTSPOT_SCOPES_DEPTH])
{
	uint32_t at = find_scope(s, off), sender, method;
	size_t n = 0;

	while (at && at < s->n_data && n < HOTSPOT_SCOPES_DEPTH) {
		struct hotspot_stream stream = {.data = s->bytes + s->data_at,
						.n = s->n_data,
						.at = at,
						.without_zero = s->without_zero};

		sender = hotspot_stream__number(&stream);
		method = hotspot_stream__number(&stream);
		ret[n].bci = (int32_t)(hotspot_stream__number(&stream) - 1);
		if (stream.bad || !method || method > s->n_methods)
			return 0;
		memcpy(&ret[n].method, s->bytes + s->methods_at + (method - 1) * sizeof(uint64_t),
		       sizeof(uint64_t));
		n++;
		if (sender >= at) /* senders are written before */
			return 0;
		at = sender;
	}
	return n;
}
