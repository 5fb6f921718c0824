// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Who touched a page first: the stack of its page fault. The hard thing is that the stack may be
 * known later than samples come that hit the page: its number is given out at once, in the order of
 * time, and means something once the stack was walked.
 */
#include <linux/types.h>

#include "assemble/internal.h"

/* Of a stack that isn't known to its end, with a frame that nobody knows behind them: an
 * allocator's caller is not to be taken for a function of its own. */
static uint32_t innermost(const struct assembly *a, const struct account *to, struct frame *ret)
{
	const uint32_t *ids;
	const struct frame *all;
	uint32_t n = profile__stack_frames(a->profile, to->key.user_stack, &ids);

	profile__frames(a->profile, &all);
	n = n < SITE_FRAMES ? n : SITE_FRAMES;
	for (uint32_t i = 0; i < n; i++)
		ret[i] = all[ids[i]];
	if (n && n < SITE_FRAMES && status_is_early(to->user_end))
		ret[n++] = (struct frame){0};
	return n;
}

void assembly__look_up_site(struct assembly *a, const struct decoded *rec, struct account *to)
{
	const struct assembly_fns *fns = a->opts.fns;

	if (!a->opts.sites || !is_ours(rec->sample->tgid) ||
	    rec->data->segment == PMB_SEGMENT_KERNEL)
		return;
	to->tgid = rec->sample->tgid;
	if (fns->is_page_fault && fns->is_page_fault(a->opts.ctx, rec->sample->event))
		to->touched = rec->data->addr;
	else
		to->labels.site = pages__site(&a->pages, to->tgid, rec->data->addr);
	assembly__look_up_mapped(a, rec, to);
}

void assembly__touched_later(struct assembly *a, struct account *to)
{
	if (!to->touched)
		return;
	to->labels.site = sites__later(a->opts.sites);
	pages__put(&a->pages, to->tgid, to->touched, to->labels.site);
}

bool assembly__site_known(struct assembly *a, struct account *to)
{
	struct frame frames[SITE_FRAMES];
	uint32_t n = innermost(a, to, frames);

	if (to->labels.site) {
		sites__settle(a->opts.sites, to->labels.site, frames, n);
		return false;
	}
	to->labels.site = sites__add(a->opts.sites, frames, n);
	return true;
}

/* Who allocated it is more than who touched it. */
void assembly__touched(struct assembly *a, struct account *to)
{
	if (to->touched && assembly__site_known(a, to))
		pages__put(&a->pages, to->tgid, to->touched, to->labels.site);
	if (to->site)
		to->labels.site = to->site;
}

void assembly__forget_pages(struct assembly *a, const struct life *life)
{
	bool begins = life->kind == LIFE_FORK && life->tgid != life->parent_tgid;
	bool ends = life->kind == LIFE_EXIT && life->tid == life->tgid;

	if (!begins && !ends && life->kind != LIFE_EXEC)
		return;
	pages__forget(&a->pages, life->tgid);
	if (begins) {
		blocks__fork(&a->blocks, life->parent_tgid, life->tgid);
		mapped__fork(&a->mapped, life->parent_tgid, life->tgid);
	} else {
		blocks__forget(&a->blocks, life->tgid);
		mapped__forget(&a->mapped, life->tgid);
	}
}
