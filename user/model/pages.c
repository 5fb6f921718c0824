// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A table for each process, since all its pages go at once. Open addressing; at most three of four
 * slots are taken. Pages are never taken out one by one: nobody tells when they are given back.
 */
#include "model/pages.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "model/sites.h"

enum { PAGE_BITS = 12, LEAST_SLOTS = 64 };

struct slot {
	uint64_t page; /* one more than its number; 0: free */
	uint32_t site;
	uint32_t pad;
};

struct paged_process {
	UT_hash_handle hh;
	uint32_t tgid;
	bool refused; /* some of its pages found no room */
	struct slot *slots;
	size_t n, n_slots; /* a power of two */
};

static struct paged_process *find(const struct pages *p, uint32_t tgid)
{
	struct paged_process *process;

	HASH_FIND(hh, p->by_tgid, &tgid, sizeof(tgid), process);
	return process;
}

static bool take(struct pages *p, size_t bytes)
{
	if (p->limit && p->bytes + bytes > p->limit)
		return false;
	p->bytes += bytes;
	return true;
}

/* Where the page is, or would be. */
static struct slot *slot_of(struct slot *slots, size_t n_slots, uint64_t page)
{
	size_t i = hash_bytes(&page, sizeof(page)) & (n_slots - 1);

	while (slots[i].page && slots[i].page != page)
		i = (i + 1) & (n_slots - 1);
	return &slots[i];
}

static struct paged_process *add_process(struct pages *p, uint32_t tgid)
{
	struct paged_process *process;

	if (!take(p, sizeof(*process) + LEAST_SLOTS * sizeof(struct slot))) {
		p->refused = true;
		return NULL;
	}
	process = xcalloc(1, sizeof(*process));
	process->tgid = tgid;
	process->n_slots = LEAST_SLOTS;
	process->slots = xcalloc(LEAST_SLOTS, sizeof(*process->slots));
	HASH_ADD(hh, p->by_tgid, tgid, sizeof(process->tgid), process);
	return process;
}

static bool grow(struct pages *p, struct paged_process *process)
{
	size_t n_slots = 2 * process->n_slots;
	struct slot *slots;

	if (!take(p, process->n_slots * sizeof(*slots)))
		return false;
	slots = xcalloc(n_slots, sizeof(*slots));
	for (size_t i = 0; i < process->n_slots; i++) {
		if (process->slots[i].page)
			*slot_of(slots, n_slots, process->slots[i].page) = process->slots[i];
	}
	free(process->slots);
	process->slots = slots;
	process->n_slots = n_slots;
	return true;
}

void pages__put(struct pages *p, uint32_t tgid, uint64_t addr, uint32_t site)
{
	struct paged_process *process = find(p, tgid) ?: add_process(p, tgid);
	const uint64_t page = (addr >> PAGE_BITS) + 1;
	struct slot *slot;

	if (!process)
		return;
	slot = slot_of(process->slots, process->n_slots, page);
	if (!slot->page && process->n >= process->n_slots / 4 * 3) {
		if (!grow(p, process)) {
			process->refused = true;
			return;
		}
		slot = slot_of(process->slots, process->n_slots, page);
	}
	process->n += !slot->page;
	slot->page = page;
	slot->site = site;
}

uint32_t pages__site(const struct pages *p, uint32_t tgid, uint64_t addr)
{
	const struct paged_process *process = find(p, tgid);
	const struct slot *slot;

	if (!process)
		return p->refused ? SITE_OTHER : SITE_UNKNOWN;
	slot = slot_of(process->slots, process->n_slots, (addr >> PAGE_BITS) + 1);
	return slot->page ? slot->site : process->refused ? SITE_OTHER : SITE_UNKNOWN;
}

static void drop(struct pages *p, struct paged_process *process)
{
	p->bytes -= sizeof(*process) + process->n_slots * sizeof(*process->slots);
	HASH_DEL(p->by_tgid, process);
	free(process->slots);
	free(process);
}

void pages__forget(struct pages *p, uint32_t tgid)
{
	struct paged_process *process = find(p, tgid);

	if (process)
		drop(p, process);
}

void pages__done(struct pages *p)
{
	struct paged_process *process, *next;

	HASH_ITER(hh, p->by_tgid, process, next)
		drop(p, process);
	*p = (struct pages){0};
}
