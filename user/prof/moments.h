/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * When samples were: of a recording with a timeline each has a label, in milliseconds since it
 * began, a multiple of the grid, which a comment says ("timeline: steps of 10 ms"). Where the grid
 * is finer than that ("steps of 10 us"), both are in microseconds.
 */
#ifndef PMUBPF_PROF_MOMENTS_H
#define PMUBPF_PROF_MOMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "prof/prof.h"

#define MOMENT_LABEL "time"

enum { MOMENTS_NO_GRID = 0, MOMENTS_GRID_MOST_MS = 10000, MOMENTS_MOST_MS = 1000 * 1000 * 1000 };

/* The grid in ns, of whole microseconds; MOMENTS_NO_GRID: there is no timeline. */
uint64_t moments__grid_ns(const struct prof *p);
/* Since the recording began; false: it isn't known. */
bool moments__at_ns(const struct prof *p, uint32_t labels, uint64_t *ret);

/* The same for whom a ms is fine enough: from 1 to MOMENTS_GRID_MOST_MS, or MOMENTS_NO_GRID. */
uint32_t moments__grid_ms(const struct prof *p);
/* The step that samples with these labels were in, + 1; 0: it isn't known. */
uint32_t moments__step(const struct prof *p, uint32_t grid_ms, uint32_t labels);

#endif
