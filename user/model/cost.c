// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/cost.h"

#define MORE(a, b) ((a) > (b) ? (a) : (b))

void cost__add(struct cost *to, const struct cost *from)
{
	to->span_ns += from->span_ns;
	to->n_cpus = from->n_cpus;
	to->before_ns += from->before_ns;
	to->kernel_ns += from->kernel_ns;
	to->overflows += from->overflows;
	to->timed += from->timed;
	to->reader_ns += from->reader_ns;
	to->looks_ns += from->looks_ns;
	to->helper_ns += from->helper_ns;
	to->after_ns += from->after_ns;
	to->rss_bytes = MORE(to->rss_bytes, from->rss_bytes);
	to->table_helpers = MORE(to->table_helpers, from->table_helpers);
	to->helper_rss_bytes = MORE(to->helper_rss_bytes, from->helper_rss_bytes);
	to->map_bytes = MORE(to->map_bytes, from->map_bytes);
	to->budget = from->budget;
	to->adaptive |= from->adaptive;
	to->factor = from->factor;
	to->highest = MORE(to->highest, from->highest);
	to->switches_factor = from->switches_factor;
	to->switches_highest = MORE(to->switches_highest, from->switches_highest);
	to->changes += from->changes;
	to->settled_span_ns += from->settled_span_ns;
	to->settled_ns += from->settled_ns;
	to->fixed_ns += from->fixed_ns;
}

static double percent_of(const struct cost *cost, uint64_t ns, uint64_t span_ns)
{
	double all = (double)span_ns * cost->n_cpus;

	return all > 0 ? 100 * (double)ns / all : 0;
}

double cost__percent(const struct cost *cost, uint64_t ns)
{
	return percent_of(cost, ns, cost->span_ns);
}

double cost__total(const struct cost *cost)
{
	return cost__percent(cost, cost->kernel_ns + cost->reader_ns);
}

double cost__settled(const struct cost *cost)
{
	return percent_of(cost, cost->settled_ns, cost->settled_span_ns);
}

double cost__fixed(const struct cost *cost)
{
	return percent_of(cost, cost->fixed_ns, cost->settled_span_ns);
}
