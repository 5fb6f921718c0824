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
	to->helper_ns += from->helper_ns;
	to->after_ns += from->after_ns;
	to->rss_bytes = MORE(to->rss_bytes, from->rss_bytes);
	to->helper_rss_bytes = MORE(to->helper_rss_bytes, from->helper_rss_bytes);
	to->map_bytes = MORE(to->map_bytes, from->map_bytes);
	to->budget = from->budget;
	to->adaptive |= from->adaptive;
	to->factor = from->factor;
	to->highest = MORE(to->highest, from->highest);
	to->changes += from->changes;
	to->fixed_ns += from->fixed_ns;
}

double cost__percent(const struct cost *cost, uint64_t ns)
{
	double all = (double)cost->span_ns * cost->n_cpus;

	return all > 0 ? 100 * (double)ns / all : 0;
}

double cost__budgeted(const struct cost *cost)
{
	return cost__percent(cost, cost->kernel_ns + cost->reader_ns);
}
