// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is that a list is bounded and says so: what was left out stands in its last line
 * but one, so that whoever reads it never takes a part for all of it.
 */
#include "render/regions_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "model/intern.h"
#include "pmubpf/budgets.h"
#include "prof/regions.h"
#include "prof/sharing.h"
#include "render/escape.h"

/* A page of a region, or a cache line in it. */
struct spot_row {
	uint32_t region, pad;
	int64_t process;
	uint64_t addr;
};

struct spot_count {
	struct spot_row row;
	int64_t samples, recent;
};

struct list_maker {
	const struct regions_list *list;
	struct regions regions;
	struct region_spot *spots;  /* of each sample of so_far; region UINT32_MAX: none */
	struct region_spot *recent; /* of the part */
	uint64_t more_regions, more_ranges, more_lines;
	struct buf *out;
};

static struct region_spot *find_spots(const struct regions *regions, const struct prof *p)
{
	struct region_spot *spots;

	if (!p)
		return NULL;
	spots = xcalloc(p->n_samples + 1, sizeof(*spots));
	for (size_t i = 0; i < p->n_samples; i++) {
		if (!regions__spot(regions, p, i, &spots[i]))
			spots[i].region = UINT32_MAX;
	}
	return spots;
}

static int64_t percent_of(int64_t part, int64_t whole)
{
	return whole ? part * 100000 / whole : 0;
}

/* Thousandths, so that a reader needs no floating point. */
static void put_share(struct buf *out, int64_t part, int64_t whole)
{
	int64_t p = percent_of(part, whole);

	buf__printf(out, " %" PRId64 ".%03" PRId64, p / 1000, p % 1000);
}

static void put_regions(struct list_maker *m)
{
	const struct regions *r = &m->regions;

	for (size_t i = 0; i < r->n; i++) {
		const struct region *region = &r->list[i];

		if (i >= BUDGET_REGION_ROWS) {
			m->more_regions = r->n - i;
			return;
		}
		buf__printf(m->out, "region %zu %s %" PRIu64, i + 1,
			    *region->segment ? region->segment : "-", region->pages);
		put_share(m->out, (int64_t)region->pages, (int64_t)r->pages);
		buf__putc(m->out, ' ');
		if (*region->site)
			escape_name(m->out, region->site);
		else
			buf__putc(m->out, '-');
		buf__putc(m->out, '\n');
	}
}

static int by_place(const void *pa, const void *pb)
{
	const struct spot_row *a = pa, *b = pb;

	if (a->region != b->region)
		return CMP3(a->region, b->region);
	if (a->process != b->process)
		return CMP3(a->process, b->process);
	return CMP3(a->addr, b->addr);
}

static void put_range(struct list_maker *m, const struct spot_row *first, uint64_t end,
		      uint64_t number)
{
	if (number > BUDGET_REGION_ROWS || first->region >= BUDGET_REGION_ROWS)
		m->more_ranges++;
	else
		buf__printf(m->out, "range %" PRIu32 " %" PRId64 " 0x%" PRIx64 " 0x%" PRIx64 "\n",
			    first->region + 1, first->process, first->addr, end);
}

/* Pages that lie side by side are one range. */
static void put_ranges(struct list_maker *m)
{
	const struct prof *p = m->list->log->so_far;
	_cleanup_free_ struct spot_row *pages = xcalloc(p->n_samples + 1, sizeof(*pages));
	size_t n = 0, end;
	uint64_t number = 0;

	for (size_t i = 0; i < p->n_samples; i++) {
		const struct region_spot *spot = &m->spots[i];

		if (spot->region == UINT32_MAX)
			continue;
		pages[n++] = (struct spot_row){
			.region = spot->region,
			.process = spot->process,
			.addr = spot->addr & ~(uint64_t)(PROF_PAGE - 1),
		};
	}
	qsort(pages, n, sizeof(*pages), by_place);
	for (size_t i = 0; i < n; i = end) {
		uint64_t to = pages[i].addr + PROF_PAGE;

		for (end = i + 1; end < n && pages[end].region == pages[i].region &&
				  pages[end].process == pages[i].process && pages[end].addr <= to;
		     end++)
			to = pages[end].addr + PROF_PAGE;
		put_range(m, &pages[i], to, ++number);
	}
}

/* How many samples of the type each cache line of delinquent regions has. */
static void count_lines(const struct prof *p, size_t type, const struct region_spot *spots,
			const bool *wanted, struct intern *lines, struct spot_count **counts,
			size_t *cap, bool recent)
{
	for (size_t i = 0; i < p->n_samples; i++) {
		int64_t n = prof__values(p, i)[type];
		struct spot_row row;
		uint32_t number;

		if (n <= 0 || spots[i].region == UINT32_MAX || !wanted[spots[i].region])
			continue;
		row = (struct spot_row){
			.region = spots[i].region,
			.process = spots[i].process,
			.addr = spots[i].addr & ~(uint64_t)(PROF_CACHE_LINE - 1),
		};
		number = intern__add(lines, &row, sizeof(row));
		GROW_TO(*counts, number, *cap);
		(*counts)[number].row = row;
		if (recent)
			(*counts)[number].recent += n;
		else
			(*counts)[number].samples += n;
	}
}

static int most_first(const void *pa, const void *pb)
{
	const struct spot_count *a = pa, *b = pb;

	if (a->recent != b->recent)
		return CMP3(b->recent, a->recent);
	if (a->samples != b->samples)
		return CMP3(b->samples, a->samples);
	return by_place(&a->row, &b->row);
}

/* The index of the type that has the same name in the part; SIZE_MAX: none. */
static size_t type_in_part(const struct regions_list *list, size_t type)
{
	const struct prof *so_far = list->log->so_far, *part = list->part;
	size_t t = part ? prof__type_called(part, prof__text(so_far, so_far->types[type].name)) : 0;

	return part && t < part->n_types ? t : SIZE_MAX;
}

static void put_lines(struct list_maker *m, size_t event, size_t type, const bool *wanted)
{
	size_t in_part = type_in_part(m->list, type), cap = 0, n;
	_cleanup_free_ struct spot_count *counts = NULL;
	_cleanup_(intern__done) struct intern lines = {0};

	count_lines(m->list->log->so_far, type, m->spots, wanted, &lines, &counts, &cap, false);
	if (in_part != SIZE_MAX)
		count_lines(m->list->part, in_part, m->recent, wanted, &lines, &counts, &cap, true);
	n = intern__count(&lines);
	n -= n > 0; /* 0 is none */
	if (!n)
		return;
	qsort(counts + 1, n, sizeof(*counts), most_first);
	for (size_t i = 1; i <= n; i++) {
		const struct spot_count *c = &counts[i];

		if (i > BUDGET_REGION_ROWS || c->row.region >= BUDGET_REGION_ROWS)
			m->more_lines++;
		else
			buf__printf(m->out,
				    "line %zu %" PRIu32 " %" PRId64 " 0x%" PRIx64 " %" PRId64
				    " %" PRId64 "\n",
				    event, c->row.region + 1, c->row.process, c->row.addr,
				    c->samples, c->recent);
	}
}

static int64_t *count_recent(const struct list_maker *m, size_t type)
{
	const struct prof *part = m->list->part;
	int64_t *counts = xcalloc(m->regions.n + 1, sizeof(*counts));
	size_t t = type_in_part(m->list, type);

	for (size_t i = 0; t != SIZE_MAX && i < part->n_samples; i++) {
		if (m->recent[i].region != UINT32_MAX)
			counts[m->recent[i].region] += prof__values(part, i)[t];
	}
	return counts;
}

static void put_missed(struct list_maker *m, size_t event, const struct regions_use *use,
		       const struct region_row *row, int64_t recent)
{
	size_t region = (size_t)(row->region - m->regions.list);

	if (region >= BUDGET_REGION_ROWS || row->use.samples <= 0)
		return;
	buf__printf(m->out, "missed %zu %zu %" PRId64 " %" PRId64, event, region + 1,
		    row->use.samples, recent);
	put_share(m->out, row->use.samples, use->sum.samples);
	buf__printf(m->out, " %.3f %.3f %.3f %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %s\n",
		    row->ratio, row->low, row->high, row->use.loads, row->use.stores,
		    row->use.tlb_misses, row->use.candidates, row->delinquent ? "delinquent" : "-");
}

static void put_event(struct list_maker *m, size_t number, const struct prof_event *event)
{
	const struct regions_list *list = m->list;
	size_t type = event->samples != PROF_NO_TYPE ? event->samples : event->events;
	_cleanup_free_ struct region_row *rows = NULL;
	_cleanup_free_ bool *wanted = xcalloc(m->regions.n + 1, sizeof(*wanted));
	_cleanup_free_ int64_t *recent = count_recent(m, type);
	struct regions_use use;
	size_t n;

	regions__count(&m->regions, list->log->so_far, type, strcasestr(event->name, "tlb"), &use);
	n = regions__rows(&m->regions, &use, list->factor, &rows);
	buf__printf(m->out,
		    "event %zu %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " ",
		    number, use.all, use.sum.samples, use.with_site, use.sum.candidates,
		    list->log->no_room[type]);
	escape_name(m->out, event->name);
	buf__putc(m->out, '\n');
	for (size_t i = 0; i < n; i++) {
		size_t region = (size_t)(rows[i].region - m->regions.list);

		wanted[region] = rows[i].delinquent;
		put_missed(m, number, &use, &rows[i], recent[region]);
	}
	put_lines(m, number, type, wanted);
	free(use.list);
}

static void put_all(struct list_maker *m)
{
	const struct prof *so_far = m->list->log->so_far;
	struct prof_event *events;
	size_t n = prof__events(so_far, &events);

	put_regions(m);
	put_ranges(m);
	for (size_t i = 0; i < n; i++)
		put_event(m, i + 1, &events[i]);
	prof_events__free(events, n);
}

void regions_list__text(const struct regions_list *list, struct buf *out)
{
	struct list_maker m = {.list = list, .out = out};

	if (list->log->so_far) {
		regions__find(&m.regions, list->log->so_far);
		m.spots = find_spots(&m.regions, list->log->so_far);
		m.recent = find_spots(&m.regions, list->part);
	}
	buf__printf(out,
		    "pmubpf-regions 1\nlist %" PRIu64 " %s %" PRIu64 " %" PRIu64 " %d %" PRIu64
		    "\n",
		    list->number, list->ended ? "ended" : "recording", list->at_ms,
		    list->elapsed_ms, PROF_PAGE, m.regions.pages);
	if (list->log->so_far)
		put_all(&m);
	buf__printf(out, "left_out %" PRIu64 " %" PRIu64 " %" PRIu64 "\nend %" PRIu64 "\n",
		    m.more_regions, m.more_ranges, m.more_lines, list->number);
	free(m.spots);
	free(m.recent);
	regions__done(&m.regions);
}
