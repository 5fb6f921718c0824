// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "base/cleanup.h"
#include "render/json.h"
#include "render/regions.h"

static void put_text(struct json *j, const char *key, const char *text)
{
	if (*text)
		json__str(j, key, text);
	else
		json__null(j, key);
}

static void put_row(struct json *j, const struct regions *all, const struct regions_use *use,
		    const struct region_row *row)
{
	json__obj(j, NULL);
	put_text(j, "segment", row->region->segment);
	put_text(j, "site", row->region->site);
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
	_cleanup_free_ struct region_row *rows = NULL;
	struct regions_use use;
	size_t n, shown;

	regions_report__count(r, event, &use);
	n = regions__rows(r->regions, &use, r->factor, &rows);
	shown = r->limit && r->limit < n ? r->limit : n;
	json__obj(j, NULL);
	json__str(j, "event", event->name);
	json__i64(j, "samples", use.all);
	json__i64(j, "with_page", use.sum.samples);
	json__i64(j, "with_site", use.with_site);
	json__i64(j, "candidates", use.sum.candidates);
	json__arr(j, "regions");
	for (size_t i = 0; i < shown; i++)
		put_row(j, r->regions, &use, &rows[i]);
	json__end_arr(j);
	json__u64(j, "hidden_regions", n - shown);
	json__end_obj(j);
	free(use.list);
}

void regions_report__json(const struct regions_report *r, struct buf *out)
{
	_cleanup_(buf__done) struct buf warnings = {0};
	const struct report *p = r->report;
	struct json j = {.out = out};

	report__warnings(p->whole, p->events, p->n_events, report__but(p), &warnings);
	json__obj(&j, NULL);
	json__head(&j, "report", p->command_line);
	json__arr(&j, "files");
	for (size_t i = 0; i < p->n_files; i++)
		json__str(&j, NULL, p->files[i]);
	json__end_arr(&j);
	json__str(&j, "imbalance", report__imbalance(p->whole));
	json__lines(&j, "warnings", warnings.data);
	json__u64(&j, "page_bytes", PROF_PAGE);
	json__u64(&j, "pages", r->regions->pages);
	json__f64(&j, "factor", r->factor, 4);
	json__arr(&j, "events");
	for (size_t i = 0; i < p->n_events; i++)
		put_event(&j, r, &p->events[i]);
	json__end_arr(&j);
	json__end_obj(&j);
}
