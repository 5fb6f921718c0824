// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "base/cleanup.h"
#include "render/json.h"
#include "render/regions.h"
#include "render/report_head.h"

static void put_row(struct json *j, const struct regions *all, const struct regions_use *use,
		    const struct region_row *row)
{
	json__obj(j, NULL);
	json__str(j, "segment", *row->region->segment ? row->region->segment : NULL);
	json__str(j, "site", *row->region->site ? row->region->site : NULL);
	json__u64(j, "pages", row->region->pages);
	json__u64(j, "bytes", row->region->pages * PROF_PAGE);
	json__f64(j, "bytes_percent", 100 * (double)row->region->pages / (double)all->pages, 4);
	json__i64(j, "samples", row->use.samples);
	json__f64(j, "percent", 100 * (double)row->use.samples / (double)use->sum.samples, 4);
	json__f64(j, "ratio", row->ratio, 4);
	json__f64(j, "low", row->low, 4);
	json__f64(j, "high", row->high, 4);
	json__bool(j, "delinquent", row->delinquent);
	json__i64(j, "loads", row->use.loads);
	json__i64(j, "stores", row->use.stores);
	json__i64(j, "tlb_misses", row->use.tlb_misses);
	json__i64(j, "candidates", row->use.candidates);
	json__end_obj(j);
}

static void put_event(struct json *j, const struct regions_report *r,
		      const struct prof_event *event)
{
	_cleanup_(regions_event__done) struct regions_event e;

	regions_event__make(&e, r, event);
	json__obj(j, NULL);
	json__str(j, "event", event->name);
	json__i64(j, "samples", e.use.all);
	json__i64(j, "with_page", e.use.sum.samples);
	json__i64(j, "with_site", e.use.with_site);
	json__i64(j, "candidates", e.use.sum.candidates);
	json__arr(j, "regions");
	for (size_t i = 0; i < e.shown; i++)
		put_row(j, r->regions, &e.use, &e.rows[i]);
	json__end_arr(j);
	json__u64(j, "hidden_regions", e.n - e.shown);
	json__end_obj(j);
}

void regions_report__json(const struct regions_report *r, struct buf *out)
{
	const struct report *p = r->report;
	struct json j = {.out = out};

	report__begin_json(p, "report", &j);
	report__trouble_json(p, p->events, p->n_events, &j);
	json__u64(&j, "page_bytes", PROF_PAGE);
	json__u64(&j, "pages", r->regions->pages);
	json__f64(&j, "factor", r->factor, 4);
	json__arr(&j, "events");
	for (size_t i = 0; i < p->n_events; i++)
		put_event(&j, r, &p->events[i]);
	json__end_arr(&j);
	json__end_obj(&j);
}
