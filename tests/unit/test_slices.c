// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Probes that come and go: what is spent stays within the share, whatever they cost. */
#include <criterion/criterion.h>

#include "model/slices.h"

enum { ROUND_NS = 100 * 1000 * 1000, ROUNDS = 10000, SETTLING_NS = 1000000000 };

/* Of all rounds after the first second, the part in which something was spent. */
static double spent_share(struct slices *s, uint64_t spent_ns)
{
	uint64_t spent = 0, span = 0;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t now = s->on ? spent_ns : 0;

		slices__pass(s, ROUND_NS, now);
		if (s->age_ns > 1000000000) {
			spent += now;
			span += ROUND_NS;
		}
	}
	return (double)spent / (double)span;
}

Test(slices, what_fits_stays)
{
	struct slices s;

	slices__init(&s, 0.02, SETTLING_NS);
	cr_expect_float_eq(spent_share(&s, ROUND_NS / 100), 0.01, 1e-9);
	cr_expect_eq(s.n, 1);
	cr_expect_eq(s.on_ns, s.age_ns);
}

Test(slices, what_does_not_fit_comes_and_goes)
{
	static const uint64_t spent[] = {ROUND_NS / 25, ROUND_NS, 2ULL * ROUND_NS};

	for (int i = 0; i < 3; i++) {
		struct slices s;
		double share;

		slices__init(&s, 0.02, SETTLING_NS);
		share = spent_share(&s, spent[i]);
		cr_expect(share > 0.012 && share <= 0.0202, "%d: %g", i, share);
		cr_expect_gt(s.n, 10);
		cr_expect_lt(s.on_ns, s.age_ns);
	}
}

Test(slices, any_is_any)
{
	struct slices s;

	slices__init(&s, 0, SETTLING_NS);
	spent_share(&s, 10ULL * ROUND_NS);
	cr_expect(s.on);
}
