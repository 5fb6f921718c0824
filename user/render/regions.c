// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/regions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "render/escape.h"
#include "render/report_head.h"

void regions_event__make(struct regions_event *ret, const struct regions_report *r,
			 const struct prof_event *event)
{
	size_t type = event->samples != PROF_NO_TYPE ? event->samples : report_event__type(event);
	bool tlb = strcasestr(event->name, "tlb");

	regions__count(r->regions, r->report->prof, type, tlb, &ret->use);
	ret->n = regions__rows(r->regions, &ret->use, r->factor, &ret->rows);
	ret->shown = r->limit && r->limit < ret->n ? r->limit : ret->n;
}

void regions_event__done(struct regions_event *e)
{
	free(e->use.list);
	free(e->rows);
}

static void put_number(struct buf *out, int64_t number)
{
	if (number)
		buf__printf(out, " %8" PRId64, number);
	else
		buf__printf(out, " %8s", "-");
}

static void put_region(const struct region *region, struct buf *out)
{
	if (*region->segment)
		escape_name(out, region->segment);
	else
		buf__puts(out, "[no segment]");
	buf__puts(out, "  ");
	if (*region->site)
		escape_name(out, region->site);
	else
		buf__puts(out, "[not known]");
	buf__putc(out, '\n');
}

static void put_row(const struct regions_report *r, const struct regions_use *use,
		    const struct region_row *row, struct buf *out)
{
	_cleanup_(buf__done) struct buf range = {0};

	buf__printf(&range, "[%.2f, %.2f]", row->low, row->high);
	buf__printf(out, "%8" PRId64 "  %6.2f %8" PRIu64 "  %6.2f %8.2f  %-15s %-10s",
		    row->use.samples, num__percent(row->use.samples, use->sum.samples),
		    row->region->pages,
		    num__percent((double)row->region->pages, (double)r->regions->pages), row->ratio,
		    range.data, row->delinquent ? "delinquent" : "");
	put_number(out, row->use.loads);
	put_number(out, row->use.stores);
	put_number(out, row->use.tlb_misses);
	buf__puts(out, "  ");
	put_region(row->region, out);
}

/* What of the event's samples the rows are about, and what isn't known of them. */
static void put_known(const struct regions_use *use, struct buf *out)
{
	buf__printf(out, "# samples   %" PRId64 " of %" PRId64 " say on which page their data is",
		    use->sum.samples, use->all);
	if (use->sum.samples)
		buf__printf(out, "; of %" PRId64 " it is known who touched it first",
			    use->with_site);
	if (use->mapped)
		buf__printf(out, ", of %" PRId64 " others who asked the kernel for it",
			    use->mapped);
	buf__putc(out, '\n');
	if (use->sum.candidates)
		buf__printf(out,
			    "# WARNING   of %" PRId64 " of them nothing has checked that: they "
			    "are about a candidate's address\n",
			    use->sum.candidates);
}

static void put_event(const struct regions_report *r, const struct prof_event *event,
		      struct buf *out)
{
	_cleanup_(regions_event__done) struct regions_event e;

	regions_event__make(&e, r, event);
	buf__putc(out, '\n');
	report__put_event(r->report, event->name, out);
	put_known(&e.use, out);
	if (e.n)
		buf__puts(out,
			  " samples       %    pages       %    ratio  95 % confidence            "
			  "      loads   stores   TLB m.  segment, first touched by\n");
	for (size_t i = 0; i < e.shown; i++)
		put_row(r, &e.use, &e.rows[i], out);
	if (e.shown < e.n)
		buf__printf(out, "… and %zu more\n", e.n - e.shown);
}

void regions_report__text(const struct regions_report *r, struct buf *out)
{
	const struct report *p = r->report;

	report__put_warnings(p->whole, "", p->events, p->n_events, report__but(p), out);
	report__put_files(p, out);
	buf__printf(
		out,
		"# bytes     are those of pages of %d that samples of any event are on: %" PRIu64
		" pages\n",
		PROF_PAGE, r->regions->pages);
	buf__printf(out,
		    "# ratio     share of samples by share of bytes; delinquent: more than %g with "
		    "95 %% confidence\n",
		    r->factor);
	for (size_t i = 0; i < p->n_events; i++)
		put_event(r, &p->events[i], out);
}
