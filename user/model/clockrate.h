/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Cycles to time. The rate is the harmonic mean of the rates of the CPUs that were sampled, as the
 * Sun analyzer had it: a cycle on a slow CPU is worth more time. Pure arithmetic.
 */
#ifndef PMUBPF_MODEL_CLOCKRATE_H
#define PMUBPF_MODEL_CLOCKRATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clock_rate {
	double hz;     /* 0: unknown */
	bool measured; /* cycles counted over time running; else what the machine claims */
	size_t n;      /* CPUs (or tasks) whose rates went in */
	double min_hz, max_hz;
};

/* One rate per entry; entries of 0 don't take part. */
struct clock_rate clock_rate_mean(const double *hz, size_t n, bool measured);

/* The rates of n events in a part that follows: one in which a CPU was hardly busy says nothing. */
void clock_rates__follow(struct clock_rate *rates, const struct clock_rate *next, size_t n);

/* Whole nanoseconds for a weight in cycles, rounded to nearest. hz > 0. */
uint64_t clock_rate__ns(const struct clock_rate *rate, uint64_t cycles);

#endif
