// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/slices.h"

static const double SECOND_NS = 1e9;

void slices__init(struct slices *s, double share, uint64_t settling_ns)
{
	*s = (struct slices){
		.share = share,
		.settling_ns = settling_ns,
		.credit_ns = share * SECOND_NS,
		.n = 1,
		.on = true,
	};
}

bool slices__pass(struct slices *s, uint64_t span_ns, uint64_t spent_ns)
{
	const double most = s->share * SECOND_NS;
	bool was = s->on;

	s->age_ns += span_ns;
	s->on_ns += was ? span_ns : 0;
	if (s->share <= 0 || s->age_ns < s->settling_ns)
		return false;
	s->credit_ns += s->share * (double)span_ns - (double)spent_ns;
	if (s->credit_ns > most)
		s->credit_ns = most;
	s->on = was ? s->credit_ns >= 0 : s->credit_ns >= most;
	s->n += !was && s->on;
	return s->on != was;
}

uint64_t probe_hits__spent_ns(const struct probe_hits *now, const struct probe_hits *before,
			      const struct probe_costs *each)
{
	uint64_t emulated = now->emulated - before->emulated;
	uint64_t stepped = now->stepped - before->stepped;
	uint64_t program_ns = now->timed ? now->timed_ns / now->timed : 0;

	return emulated * each->emulated_ns + stepped * each->stepped_ns +
	       (emulated + stepped) * program_ns;
}

void probed__add(struct probed *to, const struct probed *from)
{
	to->slices += from->slices;
	to->span_ns += from->span_ns;
	to->on_ns += from->on_ns;
	to->spent_ns += from->spent_ns;
}

void probed__take(struct probed *from, const struct probed *before)
{
	from->slices -= before->slices;
	from->span_ns -= before->span_ns;
	from->on_ns -= before->on_ns;
	from->spent_ns -= before->spent_ns;
}
