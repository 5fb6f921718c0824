// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/clockrate.h"

struct clock_rate clock_rate_mean(const double *hz, size_t n, bool measured)
{
	struct clock_rate rate = {.measured = measured};
	double inverse = 0;

	for (size_t i = 0; i < n; i++) {
		if (!(hz[i] > 0))
			continue;
		if (!rate.n || hz[i] < rate.min_hz)
			rate.min_hz = hz[i];
		if (!rate.n || hz[i] > rate.max_hz)
			rate.max_hz = hz[i];
		inverse += 1 / hz[i];
		rate.n++;
	}
	if (rate.n)
		rate.hz = (double)rate.n / inverse;
	return rate;
}

uint64_t clock_rate__ns(const struct clock_rate *rate, uint64_t cycles)
{
	return (uint64_t)((double)cycles * 1e9 / rate->hz + 0.5);
}

void clock_rates__follow(struct clock_rate *rates, const struct clock_rate *next, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (next[i].n)
			rates[i] = next[i];
	}
}
