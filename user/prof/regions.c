// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is that samples say different amounts: a page fault has segment and site, what a
 * clock's sample may have addressed is a cache line and nothing else. What one sample says of a
 * page holds for the others on it, unless they contradict each other.
 */
#include "prof/regions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "model/data_source.h"
#include "model/poisson.h"
#include "prof/data_access.h"
#include "prof/sharing.h"

struct page_key {
	int64_t process; /* 0: the kernel's memory is everybody's */
	uint64_t page;
};

/* What samples on it say. */
struct region_page {
	uint32_t segment, site, mapper; /* texts; 0: none has said it yet */
	bool several;                   /* sites */
};

struct touch {
	struct page_key key;
	uint64_t addr;                  /* as much of it as is known */
	uint32_t segment, site, mapper; /* texts; 0: it says none */
	bool candidate;
};

static uint32_t text_of(const struct prof *p, uint32_t labels, const char *key)
{
	const struct prof_label *label = prof__label(p, labels, key);

	return label ? label->text : 0;
}

/* Of a candidate it is the same function, marked. 0: it stands nowhere else. */
static uint32_t without_mark(const struct prof *p, uint32_t site)
{
	const char *text = prof__text(p, site), *mark = strstr(text, PROF_CANDIDATE);
	_cleanup_free_ char *bare = NULL;

	if (!mark || mark[strlen(PROF_CANDIDATE)])
		return site;
	bare = xstrndup(text, (size_t)(mark - text));
	return intern__find(&p->strings, bare, strlen(bare) + 1);
}

/* "0x7f12a000", and perhaps that it is a candidate. */
static bool parse_address(const char *text, struct touch *t)
{
	const char *mark = strstr(text, PROF_CANDIDATE);
	_cleanup_free_ char *number = xstrndup(text, mark ? (size_t)(mark - text) : strlen(text));
	uint64_t addr;

	t->candidate = mark;
	if (num__parse_u64(number, &addr) < 0)
		return false;
	t->addr = addr;
	t->key.page = addr / PROF_PAGE;
	return true;
}

/* Whether the sample says on which page its data is. */
static bool touch_of(const struct prof *p, uint32_t labels, struct touch *ret)
{
	static const char *const addresses[] = {"cache_line", "data_page", "data_addr"};
	const struct prof_label *pid = prof__label(p, labels, "pid");
	uint32_t text = 0;

	for (size_t i = 0; i < ARRAY_SIZE(addresses) && !text; i++)
		text = text_of(p, labels, addresses[i]);
	*ret = (struct touch){
		.segment = text_of(p, labels, "data_segment"),
		.site = without_mark(p, text_of(p, labels, PROF_SITE)),
		.mapper = text_of(p, labels, PROF_MAP_SITE),
	};
	if (!text || !parse_address(prof__text(p, text), ret))
		return false;
	if (pid && !pid->text && strcmp(prof__text(p, ret->segment), "kernel") != 0)
		ret->key.process = pid->number;
	return true;
}

static void note(struct regions *r, const struct touch *t)
{
	uint32_t number = intern__add(&r->page_keys, &t->key, sizeof(t->key));
	struct region_page *page;

	GROW_TO(r->page_list, number, r->cap_pages);
	page = &r->page_list[number];
	if (!page->segment)
		page->segment = t->segment;
	page->several |= t->site && page->site && t->site != page->site;
	if (!page->site)
		page->site = t->site;
	if (!page->mapper)
		page->mapper = t->mapper;
}

/* Of its region: segment and site, each with its NUL. The numbers of texts are others in what was
 * selected of `whole`, which the pages are of. */
static void key_of(const struct regions *r, const struct prof *p, const struct touch *t,
		   struct buf *ret)
{
	uint32_t number = intern__find(&r->page_keys, &t->key, sizeof(t->key));
	const struct region_page *page = &r->page_list[number];
	const char *segment = t->segment ? prof__text(p, t->segment) :
					   prof__text(r->whole, page->segment);
	const char *site = t->site       ? prof__text(p, t->site) :
			   page->several ? "" :
					   prof__text(r->whole, page->site);

	const char *mapper = t->mapper ? prof__text(p, t->mapper) :
					 prof__text(r->whole, page->mapper);

	buf__clear(ret);
	buf__add(ret, segment, strlen(segment) + 1);
	if (!*site && *mapper) {
		buf__puts(ret, mapper);
		site = PROF_MAPPED;
	}
	buf__add(ret, site, strlen(site) + 1);
}

/* A page that has two sites, one after the other, has two lives. */
struct life {
	uint32_t page, region;
};

static void count_page(struct regions *r, struct intern *lives, const struct touch *t,
		       const struct buf *key)
{
	struct life life = {
		.page = intern__find(&r->page_keys, &t->key, sizeof(t->key)),
		.region = intern__add(&r->keys, key->data, key->len),
	};
	size_t known = intern__count(lives);

	while (r->n < life.region) {
		GROW(r->list, r->n, r->cap);
		r->list[r->n++] = (struct region){0};
	}
	if (intern__add(lives, &life, sizeof(life)) < known)
		return;
	r->list[life.region - 1].pages++;
	r->pages++;
}

void regions__find(struct regions *ret, const struct prof *whole)
{
	_cleanup_(buf__done) struct buf key = {0};
	struct intern lives = {0};
	struct touch t;

	*ret = (struct regions){.whole = whole};
	for (size_t i = 0; i < whole->n_samples; i++) {
		if (touch_of(whole, whole->samples[i].labels, &t))
			note(ret, &t);
	}
	for (size_t i = 0; i < whole->n_samples; i++) {
		if (!touch_of(whole, whole->samples[i].labels, &t))
			continue;
		key_of(ret, whole, &t, &key);
		count_page(ret, &lives, &t, &key);
	}
	intern__done(&lives);
	for (size_t i = 0; i < ret->n; i++) {
		size_t size;

		ret->list[i].segment = intern__get(&ret->keys, (uint32_t)i + 1, &size);
		ret->list[i].site = ret->list[i].segment + strlen(ret->list[i].segment) + 1;
	}
}

void regions__done(struct regions *r)
{
	intern__done(&r->page_keys);
	intern__done(&r->keys);
	free(r->page_list);
	free(r->list);
	*r = (struct regions){0};
}

static void add(struct region_use *use, const struct prof *p, uint32_t labels, int64_t n, bool tlb,
		bool candidate)
{
	struct data_access access = prof__data_access(p, labels);
	const char *source = prof__text(p, text_of(p, labels, "data_source"));

	use->samples += n;
	use->loads += access.loads ? n : 0;
	use->stores += access.stores ? n : 0;
	if (tlb || strstr(source, DATA_SOURCE_TLB_MISS))
		use->tlb_misses += n;
	if (candidate)
		use->candidates += n;
}

static bool is_mapped(const char *site)
{
	const char *mark = strstr(site, PROF_MAPPED);

	return mark && !mark[strlen(PROF_MAPPED)];
}

void regions__count(const struct regions *r, const struct prof *prof, size_t type, bool tlb,
		    struct regions_use *ret)
{
	_cleanup_(buf__done) struct buf key = {0};
	struct touch t;

	*ret = (struct regions_use){.list = xcalloc(r->n, sizeof(*ret->list))};
	for (size_t i = 0; i < prof->n_samples; i++) {
		uint32_t labels = prof->samples[i].labels, region;
		int64_t n = prof__values(prof, i)[type];

		ret->all += n > 0 ? n : 0; /* a difference has others, too */
		if (n <= 0 || !touch_of(prof, labels, &t))
			continue;
		key_of(r, prof, &t, &key);
		region = intern__find(&r->keys, key.data, key.len);
		if (!region)
			continue; /* of no sample of the whole */
		add(&ret->list[region - 1], prof, labels, n, tlb, t.candidate);
		add(&ret->sum, prof, labels, n, tlb, t.candidate);
		if (is_mapped(r->list[region - 1].site))
			ret->mapped += n;
		else if (*r->list[region - 1].site)
			ret->with_site += n;
	}
}

bool regions__spot(const struct regions *r, const struct prof *p, size_t sample,
		   struct region_spot *ret)
{
	_cleanup_(buf__done) struct buf key = {0};
	struct touch t;

	*ret = (struct region_spot){0};
	if (!touch_of(p, p->samples[sample].labels, &t) ||
	    !intern__find(&r->page_keys, &t.key, sizeof(t.key)))
		return false; /* or there was no room for the page */
	key_of(r, p, &t, &key);
	ret->region = intern__find(&r->keys, key.data, key.len);
	ret->process = t.key.process;
	ret->addr = t.addr;
	return ret->region-- > 0;
}

static double share_of_odds(double odds)
{
	return isinf(odds) ? 1 : odds / (1 + odds);
}

static void judge(struct region_row *row, const struct regions *r, int64_t all, double factor)
{
	double bytes = (double)row->region->pages / (double)r->pages, low, high;

	/* given the sum, a part of it is binomial; its odds are the ratio to what is in no part */
	poisson_ratio_interval((double)row->use.samples, (double)(all - row->use.samples), &low,
			       &high);
	row->ratio = (double)row->use.samples / (double)all / bytes;
	row->low = share_of_odds(low) / bytes;
	row->high = share_of_odds(high) / bytes;
	row->delinquent = row->low > factor;
}

static int by_samples(const void *pa, const void *pb)
{
	const struct region_row *a = pa, *b = pb;

	if (a->use.samples != b->use.samples)
		return CMP3(b->use.samples, a->use.samples);
	if (a->region->pages != b->region->pages)
		return CMP3(b->region->pages, a->region->pages);
	return CMP3(a->region, b->region);
}

size_t regions__rows(const struct regions *r, const struct regions_use *use, double factor,
		     struct region_row **ret)
{
	*ret = NULL;
	if (use->sum.samples <= 0)
		return 0;
	*ret = xcalloc(r->n, sizeof(**ret));
	for (size_t i = 0; i < r->n; i++) {
		(*ret)[i] = (struct region_row){.region = &r->list[i], .use = use->list[i]};
		judge(&(*ret)[i], r, use->sum.samples, factor);
	}
	qsort(*ret, r->n, sizeof(**ret), by_samples);
	return r->n;
}
