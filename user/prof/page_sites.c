// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "prof/page_sites.h"

#include <stdlib.h>

#include "base/mem.h"
#include "prof/regions.h"

enum { SEVERAL = UINT32_MAX };

struct page {
	uint64_t tgid, page;
};

static struct page page_of(uint32_t tgid, uint64_t addr)
{
	return (struct page){tgid, addr / PROF_PAGE};
}

/* One function may have several numbers: what is the same has the same stack. */
static bool is_same(const struct recorded *r, uint32_t a, uint32_t b)
{
	return a == b || (r->site_stacks[a] && r->site_stacks[a] == r->site_stacks[b]);
}

void page_sites__find(struct page_sites *s, const struct recorded *r)
{
	const struct profile_row *rows;
	size_t n = profile__rows(r->profile, &rows);

	for (size_t i = 0; i < n && r->site_stacks; i++) {
		const struct profile_labels set =
			profile__label_set(r->profile, rows[i].key.labels);
		const struct page page = page_of(set.tgid, set.data_addr);
		uint32_t number, *site;

		if (set.site <= SITE_OTHER)
			continue;
		number = intern__add(&s->pages, &page, sizeof(page));
		GROW_TO(s->list, number, s->cap);
		site = &s->list[number];
		if (!*site)
			*site = set.site;
		else if (*site != SEVERAL && !is_same(r, *site, set.site))
			*site = SEVERAL;
	}
}

uint32_t page_sites__of(const struct page_sites *s, uint32_t tgid, uint64_t addr)
{
	const struct page page = page_of(tgid, addr);
	uint32_t number = intern__find(&s->pages, &page, sizeof(page));

	return number && s->list[number] != SEVERAL ? s->list[number] : SITE_UNKNOWN;
}

void page_sites__done(struct page_sites *s)
{
	intern__done(&s->pages);
	free(s->list);
	*s = (struct page_sites){0};
}
