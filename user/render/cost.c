// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/cost.h"

#include <inttypes.h>

static const double MB = 1e6;

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

static double each_us(const struct cost *c)
{
	return c->overflows ? (double)c->kernel_ns / (double)c->overflows / 1e3 : 0;
}

/* Overflows that came, and how many of them found no room. */
static uint64_t lost(const struct ledger *ledger, uint64_t *ret_seen)
{
	uint64_t sum = 0;

	*ret_seen = 0;
	for (size_t i = 0; i < ledger->n_events; i++) {
		if (ledger->events[i].read)
			continue;
		*ret_seen += ledger->events[i].kernel.seen;
		sum += ledger_event__dropped(&ledger->events[i]);
	}
	return sum;
}

static void text_budget(const struct cost *c, struct buf *out)
{
	double settled = cost__settled(c);

	if (!(c->budget > 0))
		return;
	if (!c->settled_span_ns) {
		buf__printf(out, "; too short for periods to be fitted to the budget of %g %%",
			    c->budget);
		return;
	}
	buf__printf(out, "; after its first second %.2f %%, %s the budget of %g %%", settled,
		    settled <= c->budget ? "within" : "OVER", c->budget);
	if (!c->adaptive)
		buf__puts(out, "; rates that were given are kept");
	else if (settled > c->budget)
		buf__printf(
			out,
			": %.2f %% is for programs that start and map files, and for waking up: "
			"longer periods do not reduce that",
			cost__fixed(c));
}

void cost__text(const struct summary *s, struct buf *out)
{
	const struct cost *c = s->cost;
	uint64_t seen, n_lost = lost(s->ledger, &seen);

	if (c->highest > 1)
		buf__printf(out,
			    "  periods were up to %.1f times the default ones to save cost (at the "
			    "end %.1f; changed %u times)\n",
			    c->highest, c->factor, c->changes);
	if (c->switches_highest > 1)
		buf__printf(out,
			    "  of %.1f switches at most one was recorded to save cost (at the end, "
			    "of %.1f)\n",
			    c->switches_highest, c->switches_factor);
	buf__printf(out, "  cost: %.2f %% of %u CPU%s", cost__total(c), c->n_cpus,
		    c->n_cpus == 1 ? "" : "s");
	buf__printf(out, ": in overflows %.2f %% (%.2f us each), reading them %.2f %%",
		    cost__percent(c, c->kernel_ns), each_us(c), cost__percent(c, c->reader_ns));
	text_budget(c, out);
	buf__printf(
		out,
		"\n    besides, CPU time: %.2f s at the start, %.2f s for unwind tables, %.2f s "
		"for names and output\n",
		seconds(c->before_ns), seconds(c->helper_ns), seconds(c->after_ns));
	buf__printf(out,
		    "    memory: %.1f MB, %s %.1f MB, BPF maps %.1f MB; lost %" PRIu64
		    " of %" PRIu64 " overflows\n",
		    (double)c->rss_bytes / MB, c->table_helpers > 1 ? "two helpers" : "helper",
		    (double)c->helper_rss_bytes / MB, (double)c->map_bytes / MB, n_lost, seen);
}

void cost__json(const struct summary *s, struct json *j)
{
	const struct cost *c = s->cost;
	uint64_t seen, n_lost = lost(s->ledger, &seen);

	json__obj(j, "cost");
	json__u64(j, "cpus", c->n_cpus);
	json__f64(j, "percent", cost__total(c), 4);
	json__f64(j, "kernel_percent", cost__percent(c, c->kernel_ns), 4);
	json__f64(j, "user_percent", cost__percent(c, c->reader_ns), 4);
	json__u64(j, "kernel_ns", c->kernel_ns);
	json__u64(j, "overflows", c->overflows);
	json__u64(j, "overflows_timed", c->timed);
	json__u64(j, "user_ns", c->reader_ns);
	json__u64(j, "helper_ns", c->helper_ns);
	json__u64(j, "start_ns", c->before_ns);
	json__u64(j, "end_ns", c->after_ns);
	json__u64(j, "rss_bytes", c->rss_bytes);
	json__u64(j, "helper_rss_bytes", c->helper_rss_bytes);
	json__u64(j, "table_helpers", c->table_helpers);
	json__u64(j, "map_bytes", c->map_bytes);
	json__u64(j, "lost", n_lost);
	json__u64(j, "seen", seen);
	json__obj(j, "budget");
	if (c->budget > 0)
		json__f64(j, "percent", c->budget, 4);
	else
		json__null(j, "percent");
	json__bool(j, "adaptive", c->adaptive);
	json__f64(j, "factor", c->factor, 4);
	json__f64(j, "highest_factor", c->highest, 4);
	json__f64(j, "switches_factor", c->switches_factor, 4);
	json__f64(j, "highest_switches_factor", c->switches_highest, 4);
	json__u64(j, "changes", c->changes);
	json__f64(j, "settled_percent", cost__settled(c), 4);
	json__f64(j, "fixed_percent", cost__fixed(c), 4);
	json__end_obj(j);
	json__end_obj(j);
}
