// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/detail.h"

static double most(const struct detail_opts *opts)
{
	return (double)opts->lookahead_ns * DETAIL_ALARMS;
}

void detail__begin(struct detail *d, const struct detail_opts *opts, uint64_t now)
{
	*d = (struct detail){.at_ns = now, .credit_ns = most(opts)};
}

static void pass(struct detail *d, const struct detail_opts *opts, uint64_t now)
{
	double span = now > d->at_ns ? (double)(now - d->at_ns) : 0;

	d->credit_ns += opts->share * span;
	if (d->on) {
		d->credit_ns -= span;
		d->total_ns += (uint64_t)span;
	}
	if (d->credit_ns > most(opts))
		d->credit_ns = most(opts);
	d->at_ns = now;
}

static void want(struct detail *d, uint64_t until_ns)
{
	if (d->until_ns < until_ns)
		d->until_ns = until_ns;
}

bool detail__look(struct detail *d, const struct detail_opts *opts, uint64_t now, bool raised,
		  bool near)
{
	uint64_t least = opts->lookahead_ns < DETAIL_NEAR_NS ? opts->lookahead_ns : DETAIL_NEAR_NS;

	pass(d, opts, now);
	if (raised)
		want(d, now + opts->lookahead_ns);
	if (near)
		want(d, now + least);
	if (now >= d->until_ns) {
		d->on = false;
		return false;
	}
	/* not again for a second each time that there is credit for one */
	if (d->on ? d->credit_ns > 0 : d->credit_ns >= (double)least) {
		d->on = true;
		return true;
	}
	d->refused += raised || d->on;
	d->on = false;
	d->until_ns = 0;
	return false;
}
