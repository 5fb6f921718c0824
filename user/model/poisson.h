/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How sure a comparison of two counts is, if what is counted happens independently (Poisson). Given
 * n1 + n2, n1 is binomial, which needs no approximation: Clopper's and Pearson's interval of its
 * share is one of the ratio of the two rates. Pure arithmetic.
 */
#ifndef PMUBPF_MODEL_POISSON_H
#define PMUBPF_MODEL_POISSON_H

/* The 95 % interval of the ratio of two rates, of which n1 and n2 were counted: factors of n1 / n2.
 * *high is infinite for n2 = 0. */
void poisson_ratio_interval(double n1, double n2, double *low, double *high);

/*
 * How likely counts are at least as unlike as these, n1 in t1 and n2 in t2 (times, or totals), if
 * both have the same rate: two-sided, twice the smaller tail, at most 1. No counts, or no time: 1.
 */
double poisson_same_rate(double n1, double t1, double n2, double t2);

/* To both sides of the mean, and 95 % of a normal distribution lie between. */
#define SIGMAS_95 1.959964

/* How many standard deviations of a normal distribution are as unlikely, on both sides; 38 at
 * most. */
double sigma_of(double p);

/* Distribution function of the beta distribution: I_x(a, b). */
double beta_share(double a, double b, double x);

#endif
