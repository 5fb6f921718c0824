// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The incomplete beta function by its continued fraction, evaluated as Lentz does (Press et al.,
 * Numerical Recipes, 6.4).
 */
#include "model/poisson.h"

#include <math.h>

static double not_zero(double x)
{
	const double tiny = 1e-300;

	return fabs(x) < tiny ? tiny : x;
}

static double continued_fraction(double a, double b, double x)
{
	enum { STEPS = 100000 }; /* about sqrt(max(a, b)) are needed */
	double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), f = d;

	for (int m = 1; m <= STEPS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 / not_zero(1 + even * d);
		c = not_zero(1 + even / c);
		f *= d * c;
		d = 1 / not_zero(1 + odd * d);
		c = not_zero(1 + odd / c);
		step = d * c;
		f *= step;
		if (fabs(step - 1) < 1e-14)
			break;
	}
	return f;
}

double beta_share(double a, double b, double x)
{
	double front;

	if (!(x > 0))
		return 0;
	if (x >= 1)
		return 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * continued_fraction(a, b, x) / a;
	return 1 - front * continued_fraction(b, a, 1 - x) / b;
}

/* Where the distribution function reaches p. */
static double beta_quantile(double a, double b, double p)
{
	double low = 0, high = 1;

	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		*(beta_share(a, b, middle) < p ? &low : &high) = middle;
	}
	return (low + high) / 2;
}

/* Of counts above this one the distribution is a normal one's, as near as anybody can tell, and
 * what stands beside it is all that is uncertain. The exact way takes long, and loses digits. */
static const double large = 1e6;

static void exact_interval(double n1, double n2, double *low, double *high)
{
	double least = n1 > 0 ? beta_quantile(n1, n2 + 1, 0.025) : 0;
	double most = n2 > 0 ? beta_quantile(n1 + 1, n2, 0.975) : 1;

	*low = least / (1 - least);
	*high = most < 1 ? most / (1 - most) : INFINITY;
}

void poisson_ratio_interval(double n1, double n2, double *low, double *high)
{
	double m1 = fmin(n1, large), m2 = fmin(n2, large), factor;

	if (n1 <= large || n2 <= large) {
		exact_interval(m1, m2, low, high);
		factor = (n1 > 0 ? n1 / m1 : 1) / (n2 > 0 ? n2 / m2 : 1);
		*low *= factor;
		*high *= factor;
		return;
	}
	factor = exp(1.959964 * sqrt(1 / n1 + 1 / n2));
	*low = n1 / n2 / factor;
	*high = n1 / n2 * factor;
}

double poisson_same_rate(double n1, double t1, double n2, double t2)
{
	double n = n1 + n2, share, up_to, from;

	if (!(n > 0) || !(t1 > 0) || !(t2 > 0))
		return 1;
	share = t1 / (t1 + t2);
	up_to = n1 < n ? beta_share(n - n1, n1 + 1, 1 - share) :
			 1; /* 1 - …: no digits of a small one */
	from = n1 > 0 ? beta_share(n1, n - n1 + 1, share) : 1;
	return fmin(1, 2 * fmin(up_to, from));
}

double sigma_of(double p)
{
	double low = 0, high = 38;

	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		*(erfc(middle / sqrt(2)) > p ? &low : &high) = middle;
	}
	return (low + high) / 2;
}
