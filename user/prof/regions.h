/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory in regions, as somebody can move or place it: the pages of a segment that one function
 * touched first (label PROF_SITE), or, where nobody knows that, asked the kernel for (label
 * PROF_MAP_SITE), and how many of an event's samples are about each. A region is
 * delinquent if its share of samples is well above its share of bytes.
 *
 * What a profile says of bytes are the pages that its samples are on: of any event, each once in
 * each process. Page faults with a period of 1 have all that were touched meanwhile; of misses
 * alone, pages that were never sampled are missing.
 */
#ifndef PMUBPF_PROF_REGIONS_H
#define PMUBPF_PROF_REGIONS_H

#include <stdbool.h>

#include "model/intern.h"
#include "prof/prof.h"

#define PROF_SITE "alloc_site"
#define PROF_MAP_SITE "map_site"
#define PROF_MAPPED " (mapped)" /* behind who asked the kernel for what nobody knows who touched */
enum { PROF_PAGE = 4096 };      /* bytes; of larger pages it is a part */
#define REGIONS_FACTOR 2        /* what is "well above", if nobody says */

struct region {
	const char *segment, *site; /* "": not known */
	uint64_t pages;
};

struct regions {
	const struct prof *whole; /* borrowed */
	struct region *list;
	size_t n, cap;
	uint64_t pages; /* of all; one that two functions touched first, one after the other, is
			   in both regions */
	struct region_page *page_list; /* by the numbers of pages */
	size_t cap_pages;
	struct intern page_keys, keys; /* a key's number is one more than the region's */
};

/* All regions of a profile, which must outlive them. Ends with regions__done. n is 0 if no sample
 * says where its data lies. */
void regions__find(struct regions *ret, const struct prof *whole);
void regions__done(struct regions *r);

/* Samples of an event. */
struct region_use {
	int64_t samples, loads, stores, tlb_misses; /* what loads and stores is in both */
	int64_t candidates; /* nothing has checked that they are about these pages */
};

struct regions_use {
	struct region_use *list; /* of each region */
	struct region_use sum;
	int64_t all;       /* samples, also those that say nothing of pages */
	int64_t with_site; /* on pages of which it is known who touched them first… */
	int64_t mapped;    /* …and of others, who mapped them */
};

/* Of the profile, or of what was selected of it. tlb: all that the event counts are TLB misses. The
 * caller frees ret->list. */
void regions__count(const struct regions *r, const struct prof *prof, size_t type, bool tlb,
		    struct regions_use *ret);

/* Where a sample's data lies. */
struct region_spot {
	uint32_t region; /* index of regions.list */
	int64_t process; /* 0: the kernel's memory, or not known */
	uint64_t addr;   /* of the page, or of the cache line, if that is known */
};
/* A sample of the profile that the regions are of, or of a part of it. False: it doesn't say, or is
 * of no region of the whole. */
bool regions__spot(const struct regions *r, const struct prof *p, size_t sample,
		   struct region_spot *ret);

/* A region as an event has it. */
struct region_row {
	const struct region *region;
	struct region_use use;
	/* Its share of samples divided by its share of bytes, with the 95 % confidence interval. */
	double ratio, low, high;
	bool delinquent; /* low is more than `factor` */
};
/* All of them, those with most samples first; the caller frees *ret. Of an event without a sample
 * on any page there are none. */
size_t regions__rows(const struct regions *r, const struct regions_use *use, double factor,
		     struct region_row **ret);

#endif
