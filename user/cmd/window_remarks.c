// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/window_remarks.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "render/escape.h"

void add_remark_of_window(struct prof *prof, const char *boot, const struct window_span *span)
{
	_cleanup_(buf__done) struct buf line = {0};

	buf__printf(&line,
		    "window: boot=%s seq=%" PRIu64 " begin=%" PRIu64 " end=%" PRIu64
		    " clock=monotonic",
		    boot, span->id.seq, span->begin_ns, span->end_ns);
	prof__comment(prof, line.data);
}

static uint64_t number_behind(const char *text, const char *key)
{
	const char *at = strstr(text, key);
	uint64_t n = 0;

	if (at)
		at += strlen(key);
	return at && num__take_u64(&at, &n) ? n : 0;
}

void window_span__read(struct window_span *span, const struct prof *prof)
{
	const char *text = prof__remark(prof, "window");

	if (!text)
		return;
	span->begin_ns = number_behind(text, " begin=");
	span->end_ns = number_behind(text, " end=");
}

void add_remarks_of_columns(struct prof *prof, const struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->n_events; i++) {
		const struct ledger_event *e = &ledger->events[i];
		_cleanup_(buf__done) struct buf line = {0}, why = {0};
		bool balanced = ledger_event__columns(e, &why);

		buf__puts(&line, "columns ");
		escape_name(&line, e->name);
		buf__printf(&line,
			    ": seen=%" PRIu64 " emitted=%" PRIu64 " filtered=%" PRIu64
			    " closed=%" PRIu64 " dropped=%" PRIu64,
			    (uint64_t)e->kernel.seen, (uint64_t)e->kernel.emitted,
			    (uint64_t)e->kernel.filtered, (uint64_t)e->kernel.closed,
			    ledger_event__dropped(e));
		buf__printf(&line,
			    " rings_in=%" PRIu64 " held_in=%" PRIu64 " decoded=%" PRIu64
			    " discarded=%" PRIu64 " aggregated=%" PRIu64 " weight=%" PRIu64
			    " rings_out=%" PRIu64 " held_out=%" PRIu64 " balanced=%s",
			    e->in.rings, e->in.held, e->decoded,
			    e->foreign + e->quick + e->unheld + e->no_memory, e->aggregated,
			    e->weight, e->out.rings, e->out.held, balanced ? "yes" : "no");
		prof__comment(prof, line.data);
	}
}

void add_remark_of_cost(struct prof *prof, const struct part_cost *cost)
{
	_cleanup_(buf__done) struct buf line = {0};

	buf__printf(&line,
		    "cost: cpus=%u kernel_ns=%" PRIu64 " process_ns=%" PRIu64 " helpers_ns=%" PRIu64
		    " looks_ns=%" PRIu64 " of=cpu-time",
		    cost->n_cpus, cost->kernel_ns, cost->process_ns, cost->helpers_ns,
		    cost->looks_ns);
	prof__comment(prof, line.data);
}
