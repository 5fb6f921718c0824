/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Blocks of a C program's heap that tell of their type. */
#ifndef PMUBPF_TESTS_BLOCKS_H
#define PMUBPF_TESTS_BLOCKS_H

#include <stdlib.h>

#include "told.h"

/* A variable by whose type blocks are known, and n objects of it. */
#define WITNESS(type, name) static type *name##_witness
#define TELL(at, n, name) told(at, (n) * sizeof(*name##_witness), &name##_witness)
#define MAKE(n, name)                                             \
	({                                                        \
		void *made_ = calloc(n, sizeof(*name##_witness)); \
		if (!made_)                                       \
			abort();                                  \
		TELL(made_, n, name);                             \
		made_;                                            \
	})

static void unmake(void *at)
{
	told(at, 0, NULL);
	free(at);
}

#endif
