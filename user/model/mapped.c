// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/mapped.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "model/sites.h"

enum { PAGE = 4096 }; /* of larger ones it is a part, and nothing else lies in the rest */

struct mapped_heap {
	UT_hash_handle hh;
	uint32_t tgid;
	uint64_t addr, size;
};

static struct mapped_heap *find(const struct mapped *m, uint32_t tgid)
{
	struct mapped_heap *heap;

	HASH_FIND(hh, m->heaps, &tgid, sizeof(tgid), heap);
	return heap;
}

static void drop(struct mapped *m, struct mapped_heap *heap)
{
	HASH_DEL(m->heaps, heap);
	m->blocks.bytes -= sizeof(*heap);
	free(heap);
}

static struct mapped_heap *add(struct mapped *m, uint32_t tgid)
{
	struct mapped_heap *heap;

	if (m->blocks.limit && m->blocks.bytes + sizeof(*heap) > m->blocks.limit)
		return NULL;
	m->blocks.bytes += sizeof(*heap);
	heap = xcalloc(1, sizeof(*heap));
	heap->tgid = tgid;
	HASH_ADD(hh, m->heaps, tgid, sizeof(heap->tgid), heap);
	return heap;
}

static uint64_t whole_pages(uint64_t size)
{
	return size > UINT64_MAX - PAGE ? size : (size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

bool mapped__put(struct mapped *m, uint32_t tgid, uint64_t addr, uint64_t size, uint32_t site)
{
	bool room = blocks__cut(&m->blocks, tgid, addr, whole_pages(size));

	return blocks__put(&m->blocks, tgid, addr, whole_pages(size), site) && room;
}

void mapped__take(struct mapped *m, uint32_t tgid, uint64_t addr, uint64_t size)
{
	m->blocks.forgotten += !blocks__cut(&m->blocks, tgid, addr, whole_pages(size));
}

void mapped__break(struct mapped *m, uint32_t tgid, uint64_t heap, uint64_t size,
		   uint64_t *ret_addr, uint64_t *ret_size)
{
	struct mapped_heap *known = find(m, tgid) ?: add(m, tgid);

	*ret_addr = *ret_size = 0;
	if (!known) {
		m->blocks.forgotten++;
		return;
	}
	if (known->addr == heap && size > known->size) {
		*ret_addr = heap + known->size;
		*ret_size = size - known->size;
	} else if (known->addr == heap && size < known->size) {
		blocks__cut(&m->blocks, tgid, heap + size, known->size - size);
	}
	known->addr = heap;
	known->size = size;
}

uint32_t mapped__site(const struct mapped *m, uint32_t tgid, uint64_t addr)
{
	bool inherited;

	return blocks__site(&m->blocks, tgid, addr, &inherited);
}

void mapped__fork(struct mapped *m, uint32_t parent, uint32_t child)
{
	const struct mapped_heap *from = find(m, parent);
	struct mapped_heap *to;

	mapped__forget(m, child);
	blocks__fork(&m->blocks, parent, child);
	to = from ? add(m, child) : NULL;
	m->blocks.forgotten += from && !to;
	if (!to)
		return;
	to->addr = from->addr;
	to->size = from->size;
}

void mapped__forget(struct mapped *m, uint32_t tgid)
{
	struct mapped_heap *heap = find(m, tgid);

	blocks__forget(&m->blocks, tgid);
	if (heap)
		drop(m, heap);
}

void mapped__forget_all(struct mapped *m)
{
	struct mapped_heap *heap, *next;

	blocks__forget_all(&m->blocks);
	HASH_ITER(hh, m->heaps, heap, next)
		drop(m, heap);
}

void mapped__done(struct mapped *m)
{
	mapped__forget_all(m);
}
