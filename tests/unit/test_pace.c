// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>

#include "model/pace.h"

#define SECOND_NS 1000000000ULL

/* Something that is wanted all the time and costs so much; what of the time it takes, in the long
 * run. */
static double share_of(double share, uint64_t cost_ns)
{
	struct pace p;
	uint64_t now = 5 * SECOND_NS, end = now + 100 * SECOND_NS, spent = 0;

	pace__init(&p, share, now);
	while (now < end) {
		uint64_t next = pace__spend(&p, now, cost_ns);

		spent += cost_ns;
		now = next > now + 1000000 ? next : now + 1000000;
	}
	return (double)spent / 100e9;
}

Test(pace, no_more_than_its_share)
{
	static const uint64_t costs[] = {1000, 37000, 250000, 30000000};

	for (size_t i = 0; i < sizeof(costs) / sizeof(*costs); i++) {
		double got = share_of(0.0025, costs[i]);

		/* a second's worth beyond, and one that begins with credit */
		cr_expect_lt(got, 0.0025 * 1.01 + (double)costs[i] / 100e9, "%f", got);
		/* what is wanted is had, if there is that much */
		cr_expect_gt(got, (double)costs[i] / 1e6 < 0.0025 ? 0.99e-3 : 0.0024, "%f", got);
	}
	cr_expect_float_eq(share_of(0, 500000), 0.5, 1e-3, "no share: any");
}

Test(pace, a_burst_has_what_was_kept)
{
	struct pace p;
	uint64_t now = SECOND_NS;

	pace__init(&p, 0.01, now);
	/* an hour adds no more than a second does */
	now += 3600 * SECOND_NS;
	for (int i = 0; i < 10; i++)
		cr_expect_eq(pace__spend(&p, now, 1000000), now);
	cr_expect_eq(pace__spend(&p, now, 1000000), now + SECOND_NS / 10);
	/* a clock that stands still adds nothing */
	cr_expect_eq(pace__spend(&p, now - 5, 0), now - 5 + SECOND_NS / 10);
}
