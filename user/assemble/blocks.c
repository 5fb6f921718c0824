// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Who allocated what, in the order of time: a block is its site's from when its allocator returned
 * it until it is given back, so that addresses that are used again are the next one's. As with
 * pages that are touched, the number of a stack that is yet to be walked is given out at once.
 */
#include <linux/types.h>

#include "assemble/internal.h"

/* A program may say so, too: of its own. */
static const uint64_t ALL_BLOCKS = UINT64_MAX;

static void put(struct assembly *a, const struct account *to)
{
	if (to->maps)
		a->books.sites.no_room += !mapped__put(&a->mapped, to->tgid, to->block,
						       to->block_size, to->labels.site);
	else if (!blocks__put(&a->blocks, to->tgid, to->block, to->block_size, to->labels.site))
		a->books.allocs.no_room++;
}

void assembly__block_later(struct assembly *a, struct account *to)
{
	if (!to->block_size)
		return;
	to->labels.site = sites__later(a->opts.sites);
	put(a, to);
}

void assembly__block_known(struct assembly *a, struct account *to)
{
	if (assembly__site_known(a, to))
		put(a, to);
}

void assembly__block(struct assembly *a, const struct pmb_block *block)
{
	const struct pmb_sample *sample = &block->sample;
	struct process *process = processes__get(a->processes, sample->tgid, sample->rec.time);
	struct account to = {
		.user_end = sample->user_end,
		.cpu = sample->cpu,
		.cgroup = sample->cgroup,
		.time = sample->rec.time,
		.tgid = sample->tgid,
		.block = block->addr,
		.block_size = block->size ? block->size : 1,
		.maps = sample->rec.type != PMB_REC_BLOCK,
	};

	if (!a->opts.sites || !is_ours(sample->tgid))
		return;
	if (sample->rec.type == PMB_REC_BREAK)
		mapped__break(&a->mapped, to.tgid, block->addr, block->size, &to.block,
			      &to.block_size);
	if (!to.block_size)
		return;
	if (a->opts.watch)
		a->opts.watch->met(a->opts.ctx, sample, process);
	to.key.comm = profile__comm(a->profile, "");
	if (assembly__user_stack(a, sample, false, process, &to))
		assembly__account(a, &to);
	assembly__bound_profile(a);
}

static void unmapped(struct assembly *a, const struct pmb_freed *freed)
{
	if (freed->addr == ALL_BLOCKS)
		mapped__forget_all(&a->mapped);
	else if (is_ours(freed->tgid))
		mapped__take(&a->mapped, freed->tgid, freed->addr, freed->bytes);
}

void assembly__freed(struct assembly *a, const struct pmb_freed *freed)
{
	if (freed->rec.type == PMB_REC_UNMAPPED)
		unmapped(a, freed);
	else if (freed->tgid && freed->addr == ALL_BLOCKS)
		blocks__forget(&a->blocks, freed->tgid);
	else if (freed->tgid)
		blocks__take(&a->blocks, freed->tgid, freed->addr);
	else
		blocks__forget_all(&a->blocks);
}

void assembly__forget_blocks(struct assembly *a, uint32_t tgid, uint64_t time)
{
	const struct pmb_freed all = {
		.rec = {.size = sizeof(all), .time = time},
		.tgid = tgid,
		.addr = ALL_BLOCKS,
	};

	queue__freed(&a->queue, &all);
}

void assembly__forget_mapped(struct assembly *a, uint64_t time)
{
	const struct pmb_freed all = {
		.rec = {.size = sizeof(all), .type = PMB_REC_UNMAPPED, .time = time},
		.addr = ALL_BLOCKS,
	};

	queue__freed(&a->queue, &all);
}

/* Files are nobody's blocks, nor is a thread's stack. */
static bool may_be_allocated(uint32_t segment)
{
	return segment == PMB_SEGMENT_HEAP || segment == PMB_SEGMENT_MAPPED ||
	       segment == PMB_SEGMENT_ANONYMOUS || segment == PMB_SEGMENT_SHARED;
}

void assembly__look_up_block(struct assembly *a, const struct decoded *rec, struct account *to)
{
	uint32_t segment = rec->data->segment;
	bool inherited;

	if (!a->opts.allocs || !may_be_allocated(segment))
		return;
	to->site = blocks__site(&a->blocks, rec->sample->tgid, rec->data->addr, &inherited);
	a->books.allocs.samples++;
	a->books.allocs.known += to->site > SITE_OTHER;
	a->books.allocs.inherited += to->site > SITE_OTHER && inherited;
}

/* What was mapped of a file is somebody's, too. */
void assembly__look_up_mapped(struct assembly *a, const struct decoded *rec, struct account *to)
{
	struct ledger_sites *books = &a->books.sites;
	uint32_t segment = rec->data->segment;

	if (!may_be_allocated(segment) && segment != PMB_SEGMENT_FILE)
		return;
	to->labels.map_site = mapped__site(&a->mapped, to->tgid, rec->data->addr);
	books->samples++;
	books->touched += to->touched || to->labels.site > SITE_OTHER;
	books->mapped += to->labels.map_site > SITE_OTHER;
	books->unknown += !to->touched && to->labels.site <= SITE_OTHER &&
			  to->labels.map_site <= SITE_OTHER;
}
