// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <math.h>

#include "model/poisson.h"

/* P(X <= k) of a binomial, by adding up. */
static double binomial(int k, int n, double share)
{
	double sum = 0;

	for (int i = 0; i <= k; i++)
		sum += exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) + i * log(share) +
			   (n - i) * log1p(-share));
	return sum;
}

Test(poisson, the_beta_function_is_the_sum_of_a_binomial)
{
	for (int n = 1; n < 60; n += 7) {
		for (int k = 0; k < n; k++)
			cr_expect_float_eq(1 - beta_share(k + 1, n - k, 0.3), binomial(k, n, 0.3),
					   1e-10, "%d of %d", k, n);
	}
	cr_expect_float_eq(beta_share(50000, 50000, 0.5), 0.5, 1e-6);
	cr_expect_eq(beta_share(2, 3, 0), 0);
	cr_expect_eq(beta_share(2, 3, 1), 1);
}

/* R: binom.test(8, 20)$conf.int is 0.1911901 0.6394574. */
Test(poisson, intervals)
{
	double low, high;

	poisson_ratio_interval(8, 12, &low, &high);
	cr_expect_float_eq(low, 0.1911901 / (1 - 0.1911901), 1e-5);
	cr_expect_float_eq(high, 0.6394574 / (1 - 0.6394574), 1e-5);
	poisson_ratio_interval(0, 5, &low, &high);
	cr_expect_eq(low, 0);
	cr_expect_float_eq(high, 0.5218238 / (1 - 0.5218238), 1e-5); /* 1 - 0.025^(1/5) */
	poisson_ratio_interval(5, 0, &low, &high);
	cr_expect_gt(low, 0.9);
	cr_expect(isinf(high));
	poisson_ratio_interval(1e6, 1e6, &low, &high); /* 1.96 * sqrt(2e-6) */
	cr_expect_float_eq(low, 1 - 0.00277, 1e-5);
	cr_expect_float_eq(high, 1 + 0.00277, 1e-5);
}

/* The interval of five events is 1.6235 to 11.668; of 1e15, a point. */
Test(poisson, intervals_of_large_counts, .timeout = 5)
{
	double low, high;

	for (int i = 0; i < 1000; i++) {
		poisson_ratio_interval(5, 1e15, &low, &high);
		poisson_ratio_interval(1e18, 2e18, &low, &high);
	}
	cr_expect_float_eq(low, 0.5 * (1 - 1.96 * sqrt(1.5e-18)), 1e-12);
	cr_expect_float_eq(high, 0.5 * (1 + 1.96 * sqrt(1.5e-18)), 1e-12);
	poisson_ratio_interval(5, 1e15, &low, &high);
	cr_expect_float_eq(low * 1e15, 1.6235, 1e-3);
	cr_expect_float_eq(high * 1e15, 11.668, 1e-3);
	poisson_ratio_interval(1e15, 5, &low, &high);
	cr_expect_float_eq(low / 1e15, 1 / 11.668, 1e-5);
	cr_expect_float_eq(high / 1e15, 1 / 1.6235, 1e-4);
	poisson_ratio_interval(0, 1e15, &low, &high);
	cr_expect_eq(low, 0);
	cr_expect_float_eq(high * 1e15, 3.6889, 1e-3);
}

Test(poisson, same_rates)
{
	/* R: poisson.test(c(11, 23), c(800, 3000), alternative = ...): its tails by hand */
	double share = 800. / 3800, tail = 1 - binomial(10, 34, share);

	cr_expect_float_eq(poisson_same_rate(11, 800, 23, 3000), 2 * tail, 1e-9);
	cr_expect_float_eq(poisson_same_rate(23, 3000, 11, 800), 2 * tail, 1e-9, "either way");
	cr_expect_eq(poisson_same_rate(10, 1, 10, 1), 1);
	cr_expect_eq(poisson_same_rate(0, 5, 0, 5), 1);
	cr_expect_eq(poisson_same_rate(3, 0, 3, 1), 1);
	cr_expect_float_eq(poisson_same_rate(0, 1, 10, 1), 2 * exp2(-10), 1e-12);
	cr_expect_lt(poisson_same_rate(1000, 1, 1300, 1), 1e-8);
	cr_expect_gt(poisson_same_rate(1000, 1, 1030, 1), 0.3);
}

Test(poisson, sigmas)
{
	cr_expect_float_eq(sigma_of(1), 0, 1e-9);
	cr_expect_float_eq(sigma_of(0.05), 1.959964, 1e-5);
	cr_expect_float_eq(sigma_of(2.866516e-7 * 2), 5, 1e-5);
	cr_expect_float_eq(sigma_of(0), 38, 1e-6);
	/* 1000 against 1500: a small tail keeps its digits; z of the difference is about 10 */
	cr_expect_float_eq(sigma_of(poisson_same_rate(1000, 1, 1500, 1)), 10, 0.15);
}

static double poisson(int k, double mean)
{
	return exp(k * log(mean) - mean - lgamma(k + 1));
}

/* Not drawn, but added up: of all pairs of counts that may come, those whose interval has the true
 * ratio are 95 % at least. */
Test(poisson, intervals_cover_the_truth)
{
	static const double means[][2] = {{3, 5},   {10, 10}, {10, 90},
					  {90, 10}, {40, 40}, {150, 60}};

	for (size_t i = 0; i < sizeof(means) / sizeof(*means); i++) {
		const double *mean = means[i], truth = mean[0] / mean[1];
		int most[2];
		double covered = 0, all = 0;

		for (int k = 0; k < 2; k++)
			most[k] = (int)(mean[k] + 8 * sqrt(mean[k]) + 8);
		for (int a = 1; a < most[0]; a++) {
			for (int b = 1; b < most[1]; b++) {
				double low, high, p = poisson(a, mean[0]) * poisson(b, mean[1]);

				poisson_ratio_interval(a, b, &low, &high);
				all += p;
				covered += low <= truth && truth <= high ? p : 0;
			}
		}
		cr_expect_gt(all, 0.9, "%g, %g: %g", mean[0], mean[1], all);
		cr_expect_geq(covered / all, 0.95, "%g, %g: %g", mean[0], mean[1], covered / all);
	}
}
