// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/pace.h"

#define KEPT_NS 1e9 /* of what flows in */

void pace__init(struct pace *p, double share, uint64_t now_ns)
{
	*p = (struct pace){.share = share, .credit_ns = KEPT_NS * share, .at_ns = now_ns};
}

uint64_t pace__spend(struct pace *p, uint64_t now_ns, uint64_t spent_ns)
{
	if (p->share <= 0)
		return now_ns;
	if (now_ns > p->at_ns) {
		p->credit_ns += (double)(now_ns - p->at_ns) * p->share;
		p->at_ns = now_ns;
	}
	if (p->credit_ns > KEPT_NS * p->share)
		p->credit_ns = KEPT_NS * p->share;
	p->credit_ns -= (double)spent_ns;
	return p->credit_ns >= 0 ? now_ns : now_ns + (uint64_t)(-p->credit_ns / p->share);
}
