// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Probes that come and go: what is spent stays within the share, whatever they cost. */
#include <criterion/criterion.h>
#include <math.h>

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

/* Of a program that spins for ten seconds, a tenth of them with probes. */
static struct probed probed(uint64_t spent_on_ns)
{
	return (struct probed){
		.slices = 10,
		.span_ns = 10000000000,
		.on_ns = 1000000000,
		.spent_ns = spent_on_ns + 100000000,
		.hits = 2000,
		.spent_on_ns = spent_on_ns,
		.cpu_ns = 10000000000,
		.cpu_on_ns = 1000000000,
	};
}

Test(slices, how_many_there_were)
{
	struct probed p = probed(500000000);
	struct probed_estimate e = probed__estimate(&p, 1000, 2000);

	/* 1000 in half a second, and 8.9 seconds more */
	cr_expect_float_eq(e.likely, 18800, 1);
	cr_expect_float_eq(e.least, 1000 + 8900 / (1 - 1 / 3.0), 1);
	cr_expect_float_eq(e.most, 1000 + 8900 / (1 - 2 / 3.0), 1);
}

Test(slices, hits_of_others_cost_others)
{
	struct probed p = probed(500000000);
	struct probed_estimate e;

	p.hits = 20000;
	e = probed__estimate(&p, 1000, 2000);
	cr_expect_float_eq(e.likely, 1000 + 8990 / 0.95, 1);
}

Test(slices, how_many_there_were_at_least)
{
	struct probed p = probed(999000000);
	struct probed_estimate e = probed__estimate(&p, 1000, 2000);

	cr_expect_float_eq(e.least, 10000, 1);
	cr_expect(isnan(e.likely) && isnan(e.most), "probes took all of the time");
	p = probed(500000000);
	p.cpu_ns = p.cpu_on_ns = 0;
	e = probed__estimate(&p, 1000, 2000);
	cr_expect_float_eq(e.least, 10000, 1);
	cr_expect(isnan(e.likely) && isnan(e.most), "whose CPU time isn't known");
	p.on_ns = 0;
	e = probed__estimate(&p, 0, 0);
	cr_expect(isnan(e.least));
}

Test(slices, parts_are_taken_and_added)
{
	struct probed sum = probed(500000000), part = probed(400000000), twice = sum;

	probed__add(&twice, &part);
	probed__take(&twice, &part);
	cr_expect(twice.cpu_ns == sum.cpu_ns && twice.cpu_on_ns == sum.cpu_on_ns &&
		  twice.hits == sum.hits && twice.spent_on_ns == sum.spent_on_ns);
}
