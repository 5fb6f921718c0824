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

	slices__init(&s, 0.02, SETTLING_NS, 0);
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

		slices__init(&s, 0.02, SETTLING_NS, 0);
		share = spent_share(&s, spent[i]);
		cr_expect(share > 0.012 && share <= 0.0202, "%d: %g", i, share);
		cr_expect_gt(s.n, 10);
		cr_expect_lt(s.on_ns, s.age_ns);
	}
}

/* Changes are paid for, too, and slices get at least as much as they do. */
Test(slices, changes_cost_something)
{
	static const uint64_t costs[] = {0, 5000000, 100000000, 1000000000};
	unsigned before = UINT32_MAX;

	for (int i = 0; i < 4; i++) {
		double in_slices = 0, changes = 0;
		struct slices s;

		slices__init(&s, 0.02, 0, costs[i]);
		for (int round = 0; round < 100 * ROUNDS; round++) {
			const uint64_t spent = s.on ? ROUND_NS / 100 : 0;

			in_slices += (double)spent;
			if (!slices__pass(&s, ROUND_NS / 10, spent))
				continue;
			slices__changed(&s, costs[i]);
			changes += (double)costs[i];
		}
		cr_expect_float_eq((in_slices + changes) / ((double)ROUND_NS * 10 * ROUNDS), 0.02,
				   0.001, "%d: %g", i, in_slices + changes);
		cr_expect(changes <= 1.02 * in_slices, "%d: %g and %g", i, in_slices, changes);
		cr_expect_lt(s.n, before);
		before = (unsigned)s.n;
	}
}

Test(slices, any_is_any)
{
	struct slices s;

	slices__init(&s, 0, SETTLING_NS, 0);
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
		.rated = 10,
		.rated_hits = 2000,
		.rated_ns = 500000000,
		.rated_squares = 10 * 200.0 * 200.0 / 50000000,
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

/* Half of them have three times as many as the others. */
Test(slices, slices_that_differ)
{
	struct probed p = probed(500000000);
	struct probed_estimate e;

	p.rated = p.rated_hits = p.rated_ns = 0;
	p.rated_squares = 0;
	for (int i = 0; i < 10; i++)
		probed__rate(&p, i % 2 ? 300 : 100, 100000000, 50000000);
	cr_expect_eq(p.rated_hits, 2000);
	e = probed__estimate(&p, 1000, 2000);
	cr_expect_float_eq(e.likely, 18800, 1);
	/* a spread of a half, two thirds of which two standard errors of ten are */
	cr_expect_float_eq(e.most, (1000 + 8900 / (1 - 2 / 3.0)) * 4 / 3, 1);
	p.rated = 2;
	e = probed__estimate(&p, 1000, 2000);
	cr_expect(isnan(e.likely), "too few");
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
