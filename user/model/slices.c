// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/slices.h"

#include "model/budget.h"

static const double SECOND_NS = 1e9;

void slices__init(struct slices *s, double share)
{
	*s = (struct slices){.share = share, .credit_ns = share * SECOND_NS, .n = 1, .on = true};
}

bool slices__pass(struct slices *s, uint64_t span_ns, uint64_t spent_ns)
{
	const double most = s->share * SECOND_NS;
	bool was = s->on;

	s->age_ns += span_ns;
	s->on_ns += was ? span_ns : 0;
	if (s->share <= 0 || s->age_ns < BUDGET_SETTLING_NS)
		return false;
	s->credit_ns += s->share * (double)span_ns - (double)spent_ns;
	if (s->credit_ns > most)
		s->credit_ns = most;
	s->on = was ? s->credit_ns >= 0 : s->credit_ns >= most;
	s->n += !was && s->on;
	return s->on != was;
}
