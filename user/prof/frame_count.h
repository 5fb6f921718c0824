/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How many frames the stacks of a file stand for. A location is a byte in each stack, and may be
 * 65,536 functions that were inlined: some kB could be more frames than memory has room for.
 */
#ifndef PMUBPF_PROF_FRAME_COUNT_H
#define PMUBPF_PROF_FRAME_COUNT_H

#include <stdbool.h>

#include "prof/prof.h"

#define FRAMES_OF_STACK (1 << 18)
/* Of all of a file's, or so many for each of its bytes, if that is more. */
#define FRAMES_OF_FILE (1 << 24)
#define FRAMES_OF_BYTE 64

/* Adds a stack of n locations to those before; false: that is too much for a file of that size. */
bool frame_count__add(uint64_t *all, const struct prof *p, const uint32_t *stack, size_t n,
		      size_t bytes);

#endif
