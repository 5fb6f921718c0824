/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Two stacks of one moment made into one: the native one, and that of Python. Pure. */
#ifndef PMUBPF_ASSEMBLE_PYTHON_H
#define PMUBPF_ASSEMBLE_PYTHON_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/types.h>

#include "pmubpf/record.h"

enum { PYTHON_JOINED_MAX = 3 * PMB_MAX_FRAMES };

enum python_native {
	PYTHON_OTHER,
	PYTHON_EVAL, /* the function that runs Python's code */
	PYTHON_PART, /* runs an instruction for the one that follows, which is that function */
	PYTHON_OWN,  /* another function of the interpreter: left out between frames of Python */
};

/* Both leaf first. */
struct python_join {
	const uint32_t *native;
	const uint8_t *kind; /* of each: enum python_native */
	uint32_t n_native;
	const uint32_t *python;
	uint32_t n_python;
	uint32_t boundary; /* is none of Python's frames: those before it ran in one native frame */
	bool whole;        /* the native stack ends in its outermost frame */
};

/* Returns how many frames ret has, at most n_native + n_python. */
uint32_t python_join(const struct python_join *j, uint32_t ret[PYTHON_JOINED_MAX]);

#endif
