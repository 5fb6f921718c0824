// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "session/probing.h"

void probing__begin(struct probing *p, double share, uint64_t settling_ns, uint64_t now)
{
	slices__init(&p->slices, share, settling_ns);
	p->looked_ns = now;
}

void probing__look(struct probing *p, uint64_t now)
{
	struct probe_hits hits;
	uint64_t spent_ns, span_ns = now - p->looked_ns;

	if (!p->fns || p->fns->hits(p->ctx, &hits) < 0)
		return;
	spent_ns = probe_hits__spent_ns(&hits, &p->hits, &p->each);
	p->spent_ns += spent_ns;
	p->hits = hits;
	p->looked_ns = now;
	if (!slices__pass(&p->slices, span_ns, spent_ns))
		return;
	if (p->slices.on)
		p->fns->put_in(p->ctx);
	else
		p->fns->take_out(p->ctx);
}

struct probed probing__part(const struct probing *p, struct probed *told)
{
	const struct probed now = {
		.slices = p->slices.n,
		.span_ns = p->slices.age_ns,
		.on_ns = p->slices.on_ns,
		.spent_ns = p->spent_ns,
	};
	struct probed part = now;

	probed__take(&part, told);
	*told = now;
	return part;
}
