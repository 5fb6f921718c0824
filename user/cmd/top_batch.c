// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/top_batch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/cleanup.h"
#include "cmd/output.h"
#include "render/escape.h"
#include "render/json.h"

static void put_time(const struct part *part, struct buf *out)
{
	time_t seconds = (time_t)((part->prof->time_ns + part->prof->duration_ns) / 1000000000);
	char text[16] = "";
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%H:%M:%S", &tm);
	buf__printf(out, "%s  %.2f s", text, (double)part->prof->duration_ns / 1e9);
}

void top__put_head(const struct part *part, struct buf *out)
{
	const struct ledger *l = &part->ledger;
	const struct part_cost *c = &part->cost;

	put_time(part, out);
	buf__printf(out, "  cost %.2f + %.2f %% of %u CPU%s",
		    part__percent(part, c->kernel_ns + c->process_ns),
		    part__percent(part, c->helpers_ns), c->n_cpus, c->n_cpus == 1 ? "" : "s");
	for (size_t i = 0; i < l->n_events; i++) {
		const struct ledger_event *e = &l->events[i];
		uint64_t lost = ledger_event__dropped(e);

		buf__puts(out, i ? ", " : "  samples: ");
		escape_name(out, e->name);
		buf__printf(out, " %" PRIu64, e->aggregated);
		if (lost)
			buf__printf(out, " LOST %" PRIu64, lost);
	}
}

static int write_out(const struct buf *text, struct err *err)
{
	int r = buf__write(text, stdout);

	return r < 0 && r != -EPIPE ? write_error(NULL, r, err) : 0;
}

int top__write_text(const struct part *part, const struct top_view *view, struct err *err)
{
	_cleanup_(top_rows__done) struct top_rows rows = {0};
	_cleanup_(buf__done) struct buf text = {0};
	int r = top_rows__make(&rows, view, part->prof, err);

	if (r < 0)
		return r;
	top__put_head(part, &text);
	buf__putc(&text, '\n');
	if (report__imbalance(part->prof)) {
		buf__puts(&text, "WARNING   the books of this part do not balance (");
		escape_name(&text, report__imbalance(part->prof));
		buf__puts(&text, ")\n");
	}
	report__table(&rows.report, &text);
	buf__putc(&text, '\n');
	return write_out(&text, err);
}

static void put_carried(const struct ledger_carried *c, const char *key, struct json *j)
{
	json__obj(j, key);
	json__u64(j, "rings", c->rings);
	json__u64(j, "held", c->held);
	json__end_obj(j);
}

/* Each column once, so that a reader can add them up. */
static void put_books(const struct ledger_event *e, struct json *j)
{
	json__obj(j, NULL);
	json__str(j, "event", e->name);
	json__u64(j, "seen", e->kernel.seen);
	json__u64(j, "emitted", e->kernel.emitted);
	json__u64(j, "filtered", e->kernel.filtered);
	json__u64(j, "closed", e->kernel.closed);
	json__u64(j, "dropped", ledger_event__dropped(e));
	put_carried(&e->in, "carried_in", j);
	json__u64(j, "decoded", e->decoded);
	json__u64(j, "discarded", e->foreign + e->quick + e->unheld + e->no_memory);
	json__u64(j, "aggregated", e->aggregated);
	json__u64(j, "weight", e->weight);
	put_carried(&e->out, "carried_out", j);
	json__end_obj(j);
}

static void put_cost(const struct part *part, struct json *j)
{
	const struct part_cost *c = &part->cost;

	json__obj(j, "cost");
	json__u64(j, "cpus", c->n_cpus);
	json__f64(j, "percent", part__percent(part, c->kernel_ns + c->process_ns + c->helpers_ns),
		  4);
	json__u64(j, "kernel_ns", c->kernel_ns);
	json__u64(j, "process_ns", c->process_ns);
	json__u64(j, "helpers_ns", c->helpers_ns);
	json__end_obj(j);
}

int top__write_json(const struct part *part, const struct top_view *view, struct err *err)
{
	_cleanup_(top_rows__done) struct top_rows rows = {0};
	_cleanup_(buf__done) struct buf text = {0};
	struct json j = {.out = &text, .one_line = true};
	int r = top_rows__make(&rows, view, part->prof, err);

	if (r < 0)
		return r;
	json__obj(&j, NULL);
	json__u64(&j, "part", part->number);
	json__bool(&j, "last", part->last);
	json__i64(&j, "time_ns", part->prof->time_ns);
	json__i64(&j, "duration_ns", part->prof->duration_ns);
	put_cost(part, &j);
	json__str(&j, "imbalance", report__imbalance(part->prof));
	json__arr(&j, "books");
	for (size_t i = 0; i < part->ledger.n_events; i++)
		put_books(&part->ledger.events[i], &j);
	json__end_arr(&j);
	report__put_json(&rows.report, &j);
	json__end_obj(&j);
	return write_out(&text, err);
}
