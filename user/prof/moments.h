/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * When samples were: of a recording with a timeline each has a label, in milliseconds since it
 * began, a multiple of the grid, which a comment says ("timeline: steps of 10 ms").
 */
#ifndef PMUBPF_PROF_MOMENTS_H
#define PMUBPF_PROF_MOMENTS_H

#include <stdint.h>

#include "prof/prof.h"

#define MOMENT_LABEL "time"

enum { MOMENTS_NO_GRID = 0, MOMENTS_GRID_MOST_MS = 10000, MOMENTS_MOST_MS = 1000 * 1000 * 1000 };

/* The grid in ms, from 1 to MOMENTS_GRID_MOST_MS; MOMENTS_NO_GRID: there is no timeline. */
uint32_t moments__grid_ms(const struct prof *p);
/* The step that samples with these labels were in, + 1; 0: it isn't known. */
uint32_t moments__step(const struct prof *p, uint32_t grid_ms, uint32_t labels);

#endif
